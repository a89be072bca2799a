"""A writer that is killed at any moment leaves a whole file, and work to do rather than a hole."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from helpers import file_url, in_child, rows, said

from langchain_layered_memory import LayeredMemory, Scope
from langchain_layered_memory import memory as memory_module

KILLS = 50
USER = Scope("ann", session_id="crash")

# Imports the package once, then forks a child for each round: import time would be most of a
# child's life. What a child printed, it was told to be stored.
WRITER = """
import os, random, signal, sys, time
from langchain_core.messages import HumanMessage
from langchain_layered_memory import LayeredMemory, Scope

url, kills = sys.argv[1], int(sys.argv[2])
user, chance = Scope("ann", session_id="crash"), random.Random(7)


def write_for_ever(round):
    memory = LayeredMemory.open(url)
    for number in range(100_000):
        name = f"r{round}n{number}"
        memory.write(
            [
                HumanMessage(f"I like thing{name}.", id=f"{name}a"),
                HumanMessage(f"I live in Town{name}.", id=f"{name}b"),
            ],
            user,
        )
        os.write(1, f"{name}a\\n{name}b\\n".encode())


for round in range(kills):
    child = os.fork()
    if child == 0:
        try:
            write_for_ever(round)
        finally:
            os._exit(1)
    time.sleep(chance.uniform(0.02, 0.15))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), status
"""


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder with a file that many killed writers left, and the messages they were sure of."""
    folder = tmp_path_factory.mktemp("crash")
    done = subprocess.run(
        [sys.executable, "-c", WRITER, file_url(folder), str(KILLS)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, done.stdout.split()


@pytest.fixture
def reopened(crashed: tuple[Path, list[str]]) -> Iterator[LayeredMemory]:
    """The memory, opened at once, while those that died still seem to hold their jobs."""
    with LayeredMemory.open(file_url(crashed[0])) as memory:
        yield memory


def test_the_file_is_whole(crashed: tuple[Path, list[str]]) -> None:
    path = crashed[0] / "memory.db"
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "PRAGMA foreign_key_check") == []


def test_every_acknowledged_turn_is_there(crashed: tuple[Path, list[str]]) -> None:
    folder, acknowledged = crashed
    stored = {name for (name,) in rows(folder / "memory.db", "SELECT message_id FROM episodes")}
    assert len(acknowledged) > KILLS
    assert set(acknowledged) <= stored


def test_reopening_finishes_what_was_cut_off(
    crashed: tuple[Path, list[str]], reopened: LayeredMemory
) -> None:
    stats = reopened.stats()
    assert "jobs waiting" not in stats
    assert "jobs failed" not in stats
    assert stats["jobs done"] == stats["episodes"]
    memories = reopened.memories(USER, limit=100_000)
    likings = [each for each in memories if each.kind == "preference"]
    sql = "SELECT count(*) FROM episodes WHERE text LIKE 'I like%'"
    assert [(len(likings),)] == rows(crashed[0] / "memory.db", sql)


def test_nothing_is_there_twice(crashed: tuple[Path, list[str]], reopened: LayeredMemory) -> None:
    path = crashed[0] / "memory.db"
    ids = Counter(name for (name,) in rows(path, "SELECT message_id FROM episodes"))
    assert max(ids.values()) == 1
    positions = [p for (p,) in rows(path, "SELECT position FROM episodes ORDER BY position")]
    assert positions == list(range(len(positions)))
    memories = reopened.memories(USER, limit=100_000)
    slots = Counter((each.subject, each.slot) for each in memories)
    assert max(slots.values()) == 1
    assert {each.evidence_count for each in memories} == {1}


def test_the_index_holds_each_record_once(
    crashed: tuple[Path, list[str]], reopened: LayeredMemory
) -> None:
    path = crashed[0] / "memory.db"
    current = Counter(rows(path, "SELECT layer, record_id FROM entries WHERE current = 1"))
    assert max(current.values()) == 1
    stats = reopened.stats()
    assert len(current) == stats["episodes"] + stats["memories active"]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO entry_terms (entry_terms) VALUES ('integrity-check')")


class TestWorkThatWasCutOff:
    """A process that dies while it extracts leaves a job, and whoever opens next does it."""

    def test_the_next_handle_does_it(self, tmp_path: Path) -> None:
        assert self._dies(tmp_path, lambda memory: memory.write([said("I like tea.", "m1")], USER))
        assert rows(tmp_path / "memory.db", "SELECT state FROM outbox") == [("waiting",)]
        self._check(tmp_path)

    def test_also_when_a_handle_died_while_it_recovered(self, tmp_path: Path) -> None:
        assert self._dies(tmp_path, lambda memory: memory.write([said("I like tea.", "m1")], USER))
        assert self._dies(tmp_path, lambda _: None)
        assert rows(tmp_path / "memory.db", "SELECT attempts FROM outbox") == [(2,)]
        self._check(tmp_path)

    @staticmethod
    def _dies(folder: Path, work: Callable[[LayeredMemory], object]) -> bool:
        """Whether a process that dies at its first extraction died so."""

        def extract(*_: object) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

        def live() -> None:
            memory_module.extract_by_rules = extract  # type: ignore[assignment]
            work(LayeredMemory.open(file_url(folder)))

        return in_child(live) == -signal.SIGKILL

    @staticmethod
    def _check(folder: Path) -> None:
        with LayeredMemory.open(file_url(folder)) as memory:
            assert [each.content for each in memory.memories(USER)] == ["The user likes tea"]
            assert "jobs waiting" not in memory.stats()
