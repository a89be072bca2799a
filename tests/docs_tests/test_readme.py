"""Every code block of the README and every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import langchain_layered_memory
from langchain_layered_memory.cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"(?P<mark><!-- not run: [^>]+ -->\n)?^```(?P<language>\w+)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
BLOCKS = list(BLOCK.finditer(README))
PYTHON = [block for block in BLOCKS if block["language"] == "python" and not block["mark"]]
COMMANDS = [
    line.partition("  #")[0].strip()
    for block in BLOCKS
    if block["language"] == "console"
    for line in block["code"].splitlines()
    if line.startswith("layered-memory")
]
PACKAGE = Path(langchain_layered_memory.__file__).parent
WITH_EXAMPLES = [
    path for path in sorted(PACKAGE.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")
]


def line_of(block: re.Match[str]) -> str:
    return f"line {README[: block.start()].count(chr(10)) + 1}"


def test_few_blocks_are_not_run() -> None:
    assert len(PYTHON) >= 4
    assert sum(bool(block["mark"]) for block in BLOCKS) <= 1


@pytest.mark.parametrize("block", PYTHON, ids=line_of)
def test_python_block_runs(
    block: re.Match[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block["code"], "README.md", "exec"), {"__name__": "readme"})


def test_commands_run_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "history.jsonl").write_text('{"message_id": "1", "text": "I drink green tea."}\n')
    assert len(COMMANDS) >= 4
    for command in COMMANDS:
        result = CliRunner().invoke(app, shlex.split(command)[1:])
        assert result.exit_code == 0, (command, result.output)


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.stem)
def test_docstring_examples_run(path: Path) -> None:
    relative = path.relative_to(PACKAGE.parent).with_suffix("")
    module = importlib.import_module(".".join(relative.parts))
    names = {name: getattr(langchain_layered_memory, name) for name in ("LayeredStore", "Scope")}
    result = doctest.testmod(module, extraglobs=names)
    assert result.attempted > 0
    assert result.failed == 0


def test_readme_names_only_files_that_exist() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []
