"""Which memories each rule moves, and that each is moved, and told of, once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from langchain_layered_memory.forget.step import ForgetResult, forget
from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.records import Memory, Scope, Status
from langchain_layered_memory.requests import (
    ArchivedMemories,
    ExpiredMemories,
    IdleMemories,
    PurgeMemories,
    Request,
    SetStatus,
)
from langchain_layered_memory.steps import run

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
LIVE = ("active", "pending_verification", "pending_archive")


def memory(
    number: int, *, used: float = 0, importance: int = 3, ends: float | None = None, **fields: Any
) -> Memory:
    """Return a memory that was last used so many days ago and ends in so many days."""
    defaults: dict[str, Any] = {
        "id": f"m{number:03d}",
        "scope": Scope("ann"),
        "kind": "fact",
        "content": "The user likes tea",
        "subject": "user",
        "attribute": f"a{number}",
        "value": "tea",
        "slot": f"a{number}",
        "importance": importance,
        "confidence": 0.9,
        "valid_from": NOW - 500 * DAY,
        "created_at": NOW - 500 * DAY,
        "updated_at": NOW - used * DAY,
        "valid_until": None if ends is None else NOW + ends * DAY,
    }
    return Memory(**{**defaults, **fields})


class Table:
    """Memories as a database would hold them; those in `others` are moved by somebody else."""

    def __init__(self, *memories: Memory, others: frozenset[str] = frozenset()) -> None:
        self.held = {each.id: each for each in memories}
        self.others = others
        self.requests: list[Request[Any]] = []

    def __call__(self, request: Request[Any]) -> Any:
        self.requests.append(request)
        match request:
            case ExpiredMemories(now, limit, after):
                due = [
                    m
                    for m in self.held.values()
                    if m.status in LIVE and m.valid_until is not None and m.valid_until <= now
                ]
            case IdleMemories(since, importance, limit, after):
                due = [
                    m
                    for m in self.held.values()
                    if m.status == "active" and m.importance <= importance and m.updated_at <= since
                ]
            case ArchivedMemories(since, limit, after):
                due = [
                    m
                    for m in self.held.values()
                    if m.status in ("archived", "retracted") and m.updated_at <= since
                ]
            case SetStatus(memories, status, now):
                return self.move(memories, status, now)
            case PurgeMemories(memories):
                purged = frozenset(m.id for m in memories) - self.others
                self.held = {n: m for n, m in self.held.items() if n not in purged}
                return purged
            case _:
                raise AssertionError(f"unexpected: {request!r}")
        found = sorted((m for m in due if m.id > after), key=lambda m: m.id)
        return tuple(found[:limit])

    def move(self, memories: tuple[Memory, ...], status: Status, now: datetime) -> frozenset[str]:
        moved = frozenset(each.id for each in memories) - self.others
        for each in moved:
            self.held[each] = self.held[each].changed(status=status, updated_at=now)
        return moved

    def forget(self, *, dry_run: bool = False, **policy: Any) -> ForgetResult:
        return run(forget(MemoryPolicy(**policy), NOW, dry_run=dry_run), self)

    def statuses(self) -> dict[str, str]:
        return {number: each.status for number, each in self.held.items()}


def told(result: ForgetResult) -> list[tuple[str, str]]:
    return [(each.memory.id, each.action) for each in result.forgotten]


def test_nothing_due_changes_nothing() -> None:
    table = Table(memory(1), memory(2, ends=1), memory(3, used=29, importance=1))
    assert table.forget() == ForgetResult(dry_run=False)
    assert set(table.statuses().values()) == {"active"}


@pytest.mark.parametrize(
    ("given", "action", "status", "why"),
    [
        (memory(1, ends=0), "archived", "archived", "valid until 2026-03-02"),
        (memory(1, ends=-40), "archived", "archived", "valid until 2026-01-21"),
        (memory(1, ends=-1, status="pending_archive"), "archived", "archived", "2026-03-01"),
        (memory(1, used=30, importance=2), "set aside", "pending_archive", "importance 2, idle"),
        (memory(1, used=400, importance=1), "set aside", "pending_archive", "for 30 days"),
        (memory(1, used=90, status="archived"), "purged", None, "archived for 90 days"),
        (memory(1, used=91, status="retracted"), "purged", None, "retracted for 90 days"),
    ],
)
def test_rule_moves_what_is_due(given: Memory, action: str, status: str | None, why: str) -> None:
    table = Table(given)
    result = table.forget()
    assert told(result) == [("m001", action)]
    assert why in result.forgotten[0].why
    assert table.statuses().get("m001") == status


@pytest.mark.parametrize(
    "given",
    [
        memory(1, used=29.9, importance=2),
        memory(1, used=400, importance=3),
        memory(1, ends=0.1),
        memory(1, used=89.9, status="archived"),
        memory(1, used=400, importance=1, status="pending_archive"),
        memory(1, used=400, importance=1, status="pending_verification"),
    ],
)
def test_rule_leaves_what_is_not_due(given: Memory) -> None:
    table = Table(given)
    assert told(table.forget()) == []
    assert table.statuses() == {"m001": given.status}


def test_policy_gives_the_figures() -> None:
    table = Table(memory(1, used=2, importance=4), memory(2, used=2, status="archived"))
    result = table.forget(idle_days=1, idle_importance=4, purge_after_days=1)
    assert told(result) == [("m001", "set aside"), ("m002", "purged")]


DUE = (
    memory(1, ends=-1),
    memory(2, used=60, importance=1),
    memory(3, used=100, status="archived"),
    memory(4, used=60, importance=1, ends=-1),
    memory(5),
)


def test_dry_run_lists_the_same_and_asks_for_no_change() -> None:
    table = Table(*DUE)
    dry = table.forget(dry_run=True)
    assert not [each for each in table.requests if isinstance(each, SetStatus | PurgeMemories)]
    assert dry.dry_run
    assert told(dry) == told(Table(*DUE).forget())
    assert [each.why for each in dry.forgotten] == [
        each.why for each in Table(*DUE).forget().forgotten
    ]


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("batch", [1, 2, 500])
def test_each_memory_is_moved_once_even_if_several_rules_find_it(dry_run: bool, batch: int) -> None:
    result = Table(*DUE).forget(dry_run=dry_run, forget_batch=batch, purge_after_days=0)
    assert sorted(told(result)) == [
        ("m001", "archived"),
        ("m002", "set aside"),
        ("m003", "purged"),
        ("m004", "archived"),
    ]


def test_actions_are_counted() -> None:
    result = Table(*DUE).forget()
    actions: tuple[Any, ...] = ("archived", "set aside", "purged")
    assert [result.count(each) for each in actions] == [2, 1, 1]


def test_second_run_has_nothing_left_to_do() -> None:
    table = Table(*DUE)
    table.forget()
    assert told(table.forget()) == []


@pytest.mark.parametrize("batch", [1, 3, 10])
def test_large_numbers_are_handled_in_batches(batch: int) -> None:
    table = Table(*(memory(n, ends=-1) for n in range(10)))
    result = table.forget(forget_batch=batch)
    moves = [each for each in table.requests if isinstance(each, SetStatus)]
    assert result.count("archived") == 10
    assert max(len(each.memories) for each in moves) == batch


@pytest.mark.parametrize("batch", [1, 500])
def test_what_others_moved_is_not_reported(batch: int) -> None:
    table = Table(*DUE, others=frozenset({"m001", "m002", "m003"}))
    assert told(table.forget(forget_batch=batch)) == [("m004", "archived")]


def test_run_that_is_broken_off_is_finished_by_the_next() -> None:
    table = Table(*(memory(n, ends=-1) for n in range(10)))
    step = forget(MemoryPolicy(forget_batch=4), NOW, dry_run=False)
    request = next(step)
    for _ in range(2):
        request = step.send(table(request))
    step.close()
    assert list(table.statuses().values()).count("archived") == 4
    assert table.forget().count("archived") == 6


@pytest.mark.parametrize("name", ["idle_days", "purge_after_days"])
def test_largest_figure_that_the_policy_takes_means_never(name: str) -> None:
    assert told(Table(memory(1)).forget(**{name: 36_500.0})) == []
