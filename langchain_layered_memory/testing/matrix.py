"""A table of what several stores do, counted by running the suite on each of them."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

from langchain_layered_memory.testing.store_conformance import GROUPS, StoreConformance

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MODULE = (
    "from langchain_layered_memory.testing.matrix import measured\n\nTestMeasured = measured()\n"
)
_OPTIONS = ["-q", "-p", "no:cacheprovider", "--runxfail", "--import-mode=importlib"]
_SETTINGS = "[pytest]\nasyncio_default_fixture_loop_scope = function\n"


class _Measured:
    """The class that the generated module hands to pytest."""

    current: ClassVar[type[StoreConformance]] = StoreConformance


def measured() -> type[StoreConformance]:
    """Return the class that is being measured; the generated module calls this."""
    return _Measured.current


class _Tally:
    """A pytest plugin that counts passes and runs for each group, and names the failures."""

    def __init__(self, subject: type[StoreConformance]) -> None:
        self.subject = subject
        self.passed: Counter[str] = Counter()
        self.run: Counter[str] = Counter()
        self.failures: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped or (report.when != "call" and report.passed):
            return
        test = report.location[2].partition("TestMeasured.")[2]
        group = _group_of(self.subject, test.partition("[")[0])
        self.run[group] += 1
        self.passed[group] += report.passed
        if report.failed:
            self.failures.append(test)


def _group_of(subject: type[StoreConformance], test: str) -> str:
    for base in subject.__mro__:
        if test in vars(base) and "group" in vars(base):
            return str(vars(base)["group"])
    return "Own tests"


@contextlib.contextmanager
def _as_measured(subject: type[StoreConformance]) -> Iterator[Path]:
    before, _Measured.current = _Measured.current, subject
    try:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "pytest.ini").write_text(_SETTINGS)
            (Path(folder) / "test_measured.py").write_text(_MODULE)
            yield Path(folder)
    finally:
        _Measured.current = before
        sys.modules.pop("test_measured", None)


def _measure(subject: type[StoreConformance], only: str = "") -> _Tally:
    tally, output = _Tally(subject), io.StringIO()
    with (
        _as_measured(subject) as folder,
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
    ):
        arguments = [*_OPTIONS, "-c", str(folder / "pytest.ini"), "-k", only, str(folder)]
        status = pytest.main(arguments, [tally])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"the suite did not run on {subject.__name__}:\n{output.getvalue()}")
    return tally


def failing_tests(subject: type[StoreConformance], only: str = "") -> list[str]:
    """Run the suite on one store and return the names of the tests that fail, known or not.

    Args:
        subject: The suite of the store.
        only: A choice of tests, as pytest's option `-k` takes it; all where it is empty.

    Raises:
        RuntimeError: If pytest cannot run the suite.
    """
    return _measure(subject, only).failures


def conformance_matrix(classes: Mapping[str, type[StoreConformance]]) -> str:
    """Run the suite on several stores and return a Markdown table of the results.

    Known deviations count as failures. A dash marks a group that was skipped as a whole, since
    the class does not declare the capability.

    Args:
        classes: A suite for each store, by the name that heads its column.

    Raises:
        RuntimeError: If pytest cannot run one of the suites.
    """
    tallies = [_measure(subject) for subject in classes.values()]
    own = ["Own tests"] if any(tally.run["Own tests"] for tally in tallies) else []
    rows = [[group, *(_cell(tally, group) for tally in tallies)] for group in [*GROUPS, *own]]
    total = ["Total", *(f"{t.passed.total()}/{t.run.total()}" for t in tallies)]
    header = [["Behaviour", *classes], ["---", *("---:" for _ in classes)]]
    return "\n".join(f"| {' | '.join(row)} |" for row in [*header, *rows, total])


def _cell(tally: _Tally, group: str) -> str:
    return f"{tally.passed[group]}/{tally.run[group]}" if tally.run[group] else "–"
