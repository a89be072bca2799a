"""Past conversations: chunk by chunk, session by session, or only looked at."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any

import pytest

from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.records import Episode, Operation, Scope
from langchain_layered_memory.requests import (
    AppendTurns,
    ClaimJobs,
    FailJob,
    FinishJob,
    Job,
    LiveMemories,
    MissingMessages,
    NewTurn,
    PrecedingTurn,
    Request,
    SearchTerms,
)
from langchain_layered_memory.steps import Steps, run
from langchain_layered_memory.write.importing import Row, import_turns, shadow
from langchain_layered_memory.write.step import Writer, WriteResult
from langchain_layered_memory.write.turns import new_turn, turns_of_dicts

ANN = Scope("ann")
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Ledger:
    """Turns and jobs as a database would keep them; no memories."""

    def __init__(self) -> None:
        self.turns: dict[tuple[str, str], NewTurn] = {}
        self.appended: list[list[NewTurn]] = []
        self.jobs: list[Job] = []
        self.finished: list[FinishJob] = []
        self.numbers = count(1)

    def __call__(self, request: Request[Any]) -> Any:
        match request:
            case MissingMessages(scope, ids):
                session = scope.session_id or ""
                return frozenset(each for each in ids if (session, each) not in self.turns)
            case AppendTurns(turns, extractor):
                return self.append(turns, extractor)
            case ClaimJobs(limit, _, _, scope):
                due = [job for job in self.jobs if scope and job.episode.scope.owner == scope.owner]
                self.jobs = [job for job in self.jobs if job not in due[:limit]]
                return tuple(due[:limit])
            case FinishJob():
                self.finished.append(request)
                return True
            case LiveMemories() | SearchTerms():
                return ()
            case PrecedingTurn() | FailJob():
                return None
        raise AssertionError(f"unexpected: {request!r}")

    def append(self, turns: Sequence[NewTurn], extractor: str) -> tuple[Episode, ...]:
        self.appended.append(list(turns))
        new = []
        for turn in turns:
            place = (turn.episode.session_id, turn.episode.message_id)
            if place in self.turns:
                continue
            self.turns[place] = turn
            new.append(turn.episode)
            if turn.work is not None:
                job = Job(next(self.numbers), turn.episode, extractor, turn.work, 1)
                self.jobs.append(job)
        return tuple(new)


def extract(episode: Episode) -> Steps[tuple[Operation, ...]]:
    yield from ()
    if "broken" in episode.text:
        raise ValueError("the model stumbled")
    return (
        Operation(
            op="create",
            kind="fact",
            content=f"The user said {episode.text}",
            subject="user",
            attribute=f"said:{episode.text}",
            value=episode.text,
            sources=(episode.source,),
        ),
    )


def writer() -> Writer:
    numbers = count(1)
    return Writer(extract, "test-1", MemoryPolicy(), lambda: NOW, lambda: f"m{next(numbers)}")


def reader() -> Callable[[Sequence[Row]], list[NewTurn]]:
    """Return what reads the rows of one import, part by part."""
    numbers = count(1)
    return partial(
        turns_of_dicts,
        scope=ANN,
        now=NOW,
        new_id=lambda: f"e{next(numbers)}",
        index_chars=1000,
        zone=UTC,
        seen=Counter(),
    )


def rows(number: int, session: str = "s1") -> list[dict[str, Any]]:
    return [
        {"session_id": session, "message_id": f"{session}-{i}", "text": f"I have {i} cats"}
        for i in range(number)
    ]


def imported(
    ledger: Ledger, given: Any, *, extract: bool = True, told: list[int] | None = None
) -> WriteResult:
    progress = None if told is None else told.append
    return run(import_turns(writer(), given, reader(), extract, progress), ledger)


def test_turns_are_stored_in_their_order_and_worked_off() -> None:
    ledger = Ledger()
    result = imported(ledger, rows(3))
    assert [each.message_id for each in result.turns] == ["s1-0", "s1-1", "s1-2"]
    assert [each.content for each in result.memories] == [
        f"The user said I have {i} cats" for i in range(3)
    ]
    assert len(ledger.finished) == 3


@pytest.mark.parametrize(
    ("number", "told"), [(0, []), (1, [1]), (200, [200]), (201, [200, 1]), (450, [200, 200, 50])]
)
def test_progress_is_told_after_each_chunk(number: int, told: list[int]) -> None:
    ledger, noted = Ledger(), list[int]()
    result = imported(ledger, rows(number), extract=False, told=noted)
    assert noted == told
    assert len(result.turns) == len(ledger.turns) == number
    assert [len(each) for each in ledger.appended] == told


def test_progress_counts_rows_that_hold_no_turn_too() -> None:
    noted: list[int] = []
    given = [{"text": " "}, *rows(2)]
    assert len(imported(Ledger(), given, told=noted).turns) == 2
    assert noted == [3]


def test_rows_are_read_no_further_than_the_chunk_that_is_stored() -> None:
    taken: list[int] = []

    def endless() -> Iterator[dict[str, Any]]:
        for i in count():
            taken.append(i)
            yield {"message_id": f"m{i}", "text": f"tea {i}"}

    step = import_turns(writer(), endless(), reader(), False, None)
    first = next(step)
    assert isinstance(first, MissingMessages)
    assert len(taken) == 200


def test_each_session_is_written_for_itself() -> None:
    ledger = Ledger()
    imported(ledger, [*rows(2, "a"), *rows(3, "b"), *rows(1, "c")])
    sessions = [{turn.episode.session_id for turn in each} for each in ledger.appended]
    assert sessions == [{"a"}, {"b"}, {"c"}]


def test_session_that_is_taken_up_again_keeps_the_order() -> None:
    ledger = Ledger()
    result = imported(ledger, [rows(1, "a")[0], rows(1, "b")[0], rows(2, "a")[1]])
    assert [each.message_id for each in result.turns] == ["a-0", "b-0", "a-1"]


def test_turns_that_are_stored_already_are_passed_over() -> None:
    ledger = Ledger()
    imported(ledger, rows(3))
    again = imported(ledger, rows(5))
    assert [each.message_id for each in again.turns] == ["s1-3", "s1-4"]
    assert len(ledger.finished) == 5


def test_without_extraction_turns_are_stored_and_found_but_not_worked_off() -> None:
    ledger = Ledger()
    result = imported(ledger, rows(3), extract=False)
    assert len(result.turns) == 3
    assert result.changes == []
    assert [turn.work for turn in ledger.turns.values()] == [None] * 3
    assert all("cat" in turn.terms for turn in ledger.turns.values())


def test_turn_whose_extraction_fails_is_kept_and_reported() -> None:
    ledger = Ledger()
    given = [{"message_id": "bad", "text": "I am broken"}, *rows(2)]
    result = imported(ledger, given)
    assert len(result.turns) == 3
    assert len(result.changes) == 2
    assert [(each.message_id, each.retried) for each in result.failures] == [("bad", True)]


def test_rows_without_ids_are_all_stored_however_often_the_same_was_said() -> None:
    ledger = Ledger()
    given = [{"text": "yes", "ts": (NOW + timedelta(minutes=i)).isoformat()} for i in range(300)]
    assert len(imported(ledger, given, extract=False).turns) == 300


def test_rows_before_the_source_breaks_are_stored() -> None:
    def breaking() -> Iterator[dict[str, Any]]:
        yield from rows(3)
        raise OSError("the file ends here")

    ledger = Ledger()
    with pytest.raises(OSError, match="ends here"):
        imported(ledger, breaking())
    assert len(ledger.turns) == 3


# ------------------------------------------------------------ shadow


def turn(text: str, role: Any = "user", commands: str = "") -> NewTurn:
    return new_turn(Episode("e1", ANN, text, role, role, text, NOW, NOW), commands, 1000)


def test_shadow_shows_what_would_be_extracted_and_stores_nothing() -> None:
    given = [turn("I have 3 cats"), turn("Noted", "assistant"), turn("hello"), turn("x", "tool")]
    step = shadow(writer(), given)
    with pytest.raises(StopIteration) as ended:
        next(step)
    found = ended.value.value
    assert [(each.text, len(operations)) for each, operations in found] == [
        ("I have 3 cats", 1),
        ("hello", 0),
    ]


def test_shadow_reads_commands_against_what_the_user_said() -> None:
    commands = json.dumps({"ops": [{"content": "The user has 3 cats"}]})
    step = shadow(writer(), [turn("Noted", "assistant", commands)])
    assert isinstance(next(step), PrecedingTurn)
    with pytest.raises(StopIteration) as ended:
        step.send(turn("I have 3 cats").episode)
    ((_, operations),) = ended.value.value
    assert [each.sources[0].quote for each in operations] == ["I have 3 cats"]
