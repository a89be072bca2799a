"""What a person does to a memory, and what happens if somebody else was quicker."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest

from langchain_layered_memory.errors import ConflictError, InvalidInputError, NotFoundError
from langchain_layered_memory.records import Memory, Scope, Source, Status
from langchain_layered_memory.requests import ApplyChanges, Change, GetMemory, Request
from langchain_layered_memory.steps import Steps, run
from langchain_layered_memory.terms import analyze
from langchain_layered_memory.write.revise import correct, known, set_status

T = TypeVar("T")
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
PAST = NOW - 10 * DAY


def memory(**fields: Any) -> Memory:
    defaults: dict[str, Any] = {
        "id": "m1",
        "scope": Scope("ann"),
        "kind": "fact",
        "content": "The user lives in Oslo",
        "subject": "user",
        "attribute": "lives_in",
        "value": "Oslo",
        "slot": "lives_in",
        "importance": 3,
        "confidence": 0.8,
        "valid_from": PAST,
        "created_at": PAST,
        "updated_at": PAST,
        "sources": (Source("s1", "t1", PAST, "I live in Oslo"),),
        "version": 4,
    }
    return Memory(**{**defaults, **fields})


class Table:
    """One memory, changed as a database would; the first writes may meet somebody quicker."""

    def __init__(self, held: Memory | None, lost: int = 0, *, taken: bool = False) -> None:
        self.held, self.lost, self.taken = held, lost, taken
        self.changes: list[Change] = []
        self.reads = 0

    def __call__(self, request: Request[Any]) -> Any:
        if isinstance(request, GetMemory):
            self.reads += 1
            found = self.held is not None and self.held.id == request.memory_id
            return self.held if found else None
        assert isinstance(request, ApplyChanges)
        assert self.held is not None
        (change,) = request.changes
        assert change.read_version == self.held.version
        self.changes.append(change)
        if self.taken:
            raise ConflictError("the slot is taken")
        if self.lost:
            self.lost -= 1
            self.held = self.held.changed(version=self.held.version + 1, access_count=99)
            raise ConflictError("somebody was quicker")
        self.held = change.after.record.changed(version=self.held.version + 1)
        return None

    def do(self, step: Steps[T]) -> T:
        return run(step, self)


def by_hand(memory_id: str, content: str, value: str | None = None) -> Steps[Memory]:
    return correct(memory_id, content, value, NOW)


def moved(memory_id: str, status: Status = "retracted") -> Steps[Memory]:
    return set_status(memory_id, status, "by hand", NOW)


@pytest.mark.parametrize("step", [known, moved, lambda each: by_hand(each, "something")])
def test_unknown_memory_is_not_found(step: Callable[[str], Steps[Memory]]) -> None:
    with pytest.raises(NotFoundError, match="'other'"):
        Table(memory()).do(step("other"))


def test_known_memory_is_returned() -> None:
    assert Table(memory()).do(known("m1")) == memory()


# ------------------------------------------------------------ correct


def test_correction_replaces_the_content_and_keeps_the_old_as_history() -> None:
    table = Table(memory())
    corrected = table.do(by_hand("m1", "  The user lives in Bergen\n", "Bergen"))
    (change,) = table.changes
    assert (change.reason, change.supersedes, change.historic) == ("corrected by hand", True, False)
    assert change.after.terms == analyze("The user lives in Bergen")
    assert corrected == memory(
        content="The user lives in Bergen",
        value="Bergen",
        valid_from=NOW,
        updated_at=NOW,
        confidence=1.0,
        version=5,
    )


def test_value_of_a_correction_is_its_content_by_default() -> None:
    assert Table(memory()).do(by_hand("m1", "In Bergen")).value == "In Bergen"


def test_correction_is_made_storable() -> None:
    corrected = Table(memory()).do(by_hand("m1", "tea\x00", "\ud83d"))
    assert (corrected.content, corrected.value) == ("tea\ufffd", "\ufffd")


@pytest.mark.parametrize("content", ["", "  \n"])
def test_blank_correction_is_refused_before_anything_is_read(content: str) -> None:
    table = Table(memory())
    with pytest.raises(InvalidInputError, match="retract"):
        table.do(by_hand("m1", content))
    assert table.reads == 0


@pytest.mark.parametrize("status", ["pending_verification", "pending_archive", "retracted"])
def test_corrected_memory_is_active(status: Status) -> None:
    assert Table(memory(status=status)).do(by_hand("m1", "In Bergen")).status == "active"


def test_corrected_memory_holds_from_now_even_if_the_old_value_had_expired() -> None:
    ended = memory(status="archived", valid_until=NOW - DAY)
    corrected = Table(ended).do(by_hand("m1", "In Bergen"))
    assert corrected.valid_until is None or corrected.valid_until > NOW


# ------------------------------------------------------------ status


@pytest.mark.parametrize("status", ["retracted", "archived", "pending_archive"])
def test_memory_taken_offline_changes_its_status_alone(status: Status) -> None:
    table = Table(memory())
    assert table.do(moved("m1", status)) == memory(status=status, updated_at=NOW, version=5)
    assert (table.changes[0].reason, table.changes[0].supersedes) == ("by hand", False)


def test_memory_brought_back_counts_as_used_now() -> None:
    back = Table(memory(status="pending_archive")).do(moved("m1", "active"))
    assert back == memory(updated_at=NOW, last_access_at=NOW, version=5)


@pytest.mark.parametrize(
    ("until", "then"), [(NOW - DAY, None), (NOW, None), (NOW + DAY, NOW + DAY), (None, None)]
)
def test_memory_brought_back_loses_an_end_that_has_passed(
    until: datetime | None, then: datetime | None
) -> None:
    back = Table(memory(status="archived", valid_until=until)).do(moved("m1", "active"))
    assert back.valid_until == then


@pytest.mark.parametrize(
    ("status", "confidence"), [("pending_verification", 1.0), ("archived", 0.8)]
)
def test_confirmation_makes_it_sure(status: Status, confidence: float) -> None:
    back = Table(memory(status=status, confidence=0.8)).do(moved("m1", "active"))
    assert back.confidence == confidence


# ------------------------------------------------------------ conflicts


@pytest.mark.parametrize("lost", [1, 3, 15])
def test_lost_race_is_read_anew_and_tried_again(lost: int) -> None:
    table = Table(memory(), lost)
    after = table.do(moved("m1"))
    assert len(table.changes) == lost + 1
    assert (after.status, after.access_count, after.version) == ("retracted", 99, 4 + lost + 1)


def test_whoever_loses_every_race_is_told() -> None:
    table = Table(memory(), 1000)
    with pytest.raises(ConflictError, match="quicker"):
        table.do(moved("m1"))
    assert len(table.changes) == 16


def test_taken_slot_is_no_race_and_is_raised_at_once() -> None:
    table = Table(memory(status="archived"), taken=True)
    with pytest.raises(ConflictError, match="taken"):
        table.do(moved("m1", "active"))
    assert len(table.changes) == 1


def test_memory_that_is_purged_meanwhile_is_not_found() -> None:
    step = moved("m1")
    next(step)
    step.send(memory())
    step.throw(ConflictError("gone"))
    with pytest.raises(NotFoundError):
        step.send(None)
