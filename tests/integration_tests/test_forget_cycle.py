"""Forget: idle, expired and long archived memories leave step by step; all but purge is undone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from helpers import (
    ANN,
    EVERY_STATUS,
    START,
    MovableClock,
    answer,
    contents,
    dump,
    file_url,
    only,
    open_memory,
    operation,
    recalled_memories,
    rows,
    said,
    scripted,
)

from langchain_layered_memory import LayeredMemory, MemoryPolicy
from langchain_layered_memory.backends.base import open_backend
from langchain_layered_memory.errors import ConflictError, NotFoundError
from langchain_layered_memory.forget.step import ForgetResult, forget
from langchain_layered_memory.requests import SetStatus

DAY = timedelta(days=1)
TRIFLE = operation("The user saw a heron", attribute="saw", value="a heron", importance=1)
NAME = operation("The user is called Ada", attribute="name", value="Ada", importance=4)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def memory(tmp_path: Path, clock: MovableClock) -> Iterator[LayeredMemory]:
    """A memory of a trifle, that leaves when idle, and of a name, that stays."""
    model = scripted(answer(TRIFLE), answer(NAME))
    with open_memory(tmp_path, clock=clock, model=model) as memory:
        memory.write([said("I saw a heron.", "m1"), said("I am called Ada.", "m2")], ANN)
        yield memory


def done(result: ForgetResult) -> list[tuple[str, str]]:
    return [(each.action, each.memory.content) for each in result.forgotten]


class TestIdle:
    def test_an_idle_trifle_leaves_recall_and_what_matters_stays(
        self, memory: LayeredMemory, clock: MovableClock
    ) -> None:
        clock.advance(days=30)
        assert done(memory.forget()) == []
        clock.advance(seconds=1)
        result = memory.forget()
        assert done(result) == [("set aside", "The user saw a heron")]
        assert "importance 1" in result.forgotten[0].why
        assert contents(memory) == ["The user is called Ada"]
        assert recalled_memories(memory, "heron") == []
        assert contents(memory, ANN, "pending_archive") == ["The user saw a heron"]

    def test_use_keeps_it(self, memory: LayeredMemory, clock: MovableClock) -> None:
        clock.advance(days=20)
        assert recalled_memories(memory, "Which heron?") == ["The user saw a heron"]
        clock.advance(days=20)
        assert done(memory.forget()) == []
        clock.advance(days=11)
        assert done(memory.forget()) == [("set aside", "The user saw a heron")]

    def test_restored_it_is_found_by_words_and_not_set_aside_at_once(
        self, memory: LayeredMemory, clock: MovableClock
    ) -> None:
        clock.advance(days=31)
        memory.forget()
        memory.restore(only(memory, ANN, "pending_archive").id)
        assert recalled_memories(memory, "Which heron?") == ["The user saw a heron"]
        assert done(memory.forget()) == []

    def test_said_again_it_comes_back_by_itself(self, tmp_path: Path, clock: MovableClock) -> None:
        with open_memory(tmp_path, clock=clock, model=scripted(answer(TRIFLE))) as memory:
            memory.write([said("I saw a heron.", "m1")], ANN)
            clock.advance(days=31)
            memory.forget()
            memory.write([said("I saw a heron again.", "m3")], ANN)
            assert only(memory).evidence_count == 2


class TestExpired:
    def test_a_preference_expires_and_is_archived(
        self, tmp_path: Path, clock: MovableClock
    ) -> None:
        with open_memory(tmp_path, clock=clock) as memory:
            memory.write([said("I like green tea.", "m1"), said("I live in Oslo.", "m2")], ANN)
            clock.advance(days=180, seconds=-1)
            assert done(memory.forget()) == []
            clock.advance(seconds=1)
            result = memory.forget()
            assert done(result) == [("archived", "The user likes green tea")]
            assert "valid until 2026-08-29" in result.forgotten[0].why
            assert contents(memory) == ["The user lives in Oslo"]

    def test_restored_it_is_recalled_and_does_not_expire_at_once(
        self, tmp_path: Path, clock: MovableClock
    ) -> None:
        with open_memory(tmp_path, clock=clock) as memory:
            memory.write([said("I like green tea.", "m1")], ANN)
            clock.advance(days=181)
            memory.forget()
            memory.restore(only(memory, ANN, "archived").id)
            assert recalled_memories(memory, "Which tea?") == ["The user likes green tea"]
            assert done(memory.forget()) == []

    def test_restoring_fails_where_another_value_took_its_place(
        self, tmp_path: Path, clock: MovableClock
    ) -> None:
        with open_memory(tmp_path, clock=clock) as memory:
            memory.write([said("I live in Oslo.", "m1")], ANN)
            oslo = only(memory)
            memory.retract(oslo.id)
            clock.advance(days=1)
            memory.write([said("I live in Bergen.", "m2")], ANN)
            with pytest.raises(ConflictError):
                memory.restore(oslo.id)
            assert contents(memory) == ["The user lives in Bergen"]

    def test_the_days_are_the_policys(self, tmp_path: Path, clock: MovableClock) -> None:
        policy = MemoryPolicy(valid_days={"preference": 2.0})
        with open_memory(tmp_path, clock=clock, policy=policy) as memory:
            memory.write([said("I like green tea.", "m1")], ANN)
            clock.advance(days=2)
            assert memory.forget().count("archived") == 1


class TestPurge:
    def test_only_after_the_days(self, tmp_path: Path, clock: MovableClock) -> None:
        with open_memory(tmp_path, clock=clock) as memory:
            memory.write([said("I like green tea.", "m1")], ANN)
            tea = only(memory)
            clock.advance(days=180)
            memory.forget()
            clock.advance(days=90)
            assert done(memory.forget()) == []
            clock.advance(seconds=1)
            assert done(memory.forget()) == [("purged", "The user likes green tea")]
            assert contents(memory, ANN, *EVERY_STATUS) == []
            with pytest.raises(NotFoundError):
                memory.history(tea.id)

    def test_history_and_index_go_with_it_and_the_turns_stay(
        self, tmp_path: Path, clock: MovableClock
    ) -> None:
        with open_memory(tmp_path, clock=clock) as memory:
            memory.write([said("I like sushi.", "m1")], ANN)
            memory.write([said("Actually I can't stand sushi now.", "m2")], ANN, at=START + DAY)
            memory.retract(only(memory).id)
            clock.advance(days=91)
            assert memory.forget().count("purged") == 1
            stats = memory.stats()
            assert (stats["versions"], stats["episodes"]) == (0, 2)
        layers = rows(tmp_path / "memory.db", "SELECT DISTINCT layer FROM entries")
        assert layers == [("episodes",)]

    def test_a_memory_that_was_archived_in_this_run_is_not_purged_in_it(
        self, tmp_path: Path, clock: MovableClock
    ) -> None:
        policy = MemoryPolicy(purge_after_days=0.0)
        with open_memory(tmp_path, clock=clock, policy=policy) as memory:
            memory.write([said("I like green tea.", "m1")], ANN)
            clock.advance(days=181)
            assert done(memory.forget()) == [("archived", "The user likes green tea")]


class TestDryRun:
    def test_it_says_what_would_be_done_and_changes_nothing(
        self, memory: LayeredMemory, clock: MovableClock, tmp_path: Path
    ) -> None:
        clock.advance(days=31)
        before = dump(tmp_path / "memory.db")
        dry = memory.forget(dry_run=True)
        assert dry.dry_run
        assert dump(tmp_path / "memory.db") == before
        wet = memory.forget()
        assert done(dry) == done(wet) == [("set aside", "The user saw a heron")]
        assert dump(tmp_path / "memory.db") != before

    def test_at_another_time(self, memory: LayeredMemory) -> None:
        assert done(memory.forget(dry_run=True)) == []
        assert len(done(memory.forget(dry_run=True, at=START + 31 * DAY))) == 1

    def test_more_than_one_batch(self, tmp_path: Path, clock: MovableClock) -> None:
        with open_memory(tmp_path, clock=clock, policy=MemoryPolicy(forget_batch=3)) as memory:
            messages = [said(f"I like thing{number}.", f"m{number}") for number in range(10)]
            memory.write(messages, ANN)
            clock.advance(days=181)
            assert memory.forget(dry_run=True).count("archived") == 10
            assert memory.forget().count("archived") == 10
            assert memory.forget().count("archived") == 0


class TestTwoRuns:
    def test_one_after_the_other_do_it_once(self, tmp_path: Path, clock: MovableClock) -> None:
        with (
            open_memory(tmp_path, clock=clock) as one,
            open_memory(tmp_path, clock=clock, ids="other") as other,
        ):
            one.write([said("I like green tea.", "m1")], ANN)
            clock.advance(days=181)
            assert (one.forget().count("archived"), other.forget().count("archived")) == (1, 0)
            assert only(one, ANN, "archived").version == 2

    def test_at_once_a_memory_is_moved_once(self, tmp_path: Path, clock: MovableClock) -> None:
        self._overtaken(tmp_path, clock)
        with open_memory(tmp_path, clock=clock, ids="other") as memory:
            assert only(memory, ANN, "archived").version == 2

    def test_at_once_one_of_them_reports_it(self, tmp_path: Path, clock: MovableClock) -> None:
        first, second = self._overtaken(tmp_path, clock)
        assert first.count("archived") + second.count("archived") == 1

    @staticmethod
    def _overtaken(tmp_path: Path, clock: MovableClock) -> tuple[ForgetResult, ForgetResult]:
        """Let a run be overtaken by another between its reading and its moving."""
        with open_memory(tmp_path, clock=clock) as memory:
            memory.write([said("I like green tea.", "m1")], ANN)
            clock.advance(days=181)
            backend = open_backend(file_url(tmp_path))
            steps = forget(memory.policy, clock(), dry_run=False)
            overtaker: ForgetResult | None = None
            request: Any = next(steps)
            try:
                while True:
                    if isinstance(request, SetStatus) and overtaker is None:
                        overtaker = memory.forget()
                    request = steps.send(backend.execute(request))
            except StopIteration as stop:
                overtaken: ForgetResult = stop.value
            backend.close()
        assert overtaker is not None
        return overtaken, overtaker
