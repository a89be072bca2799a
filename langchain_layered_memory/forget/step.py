"""The forget step: idle memories leave recall, expired ones are archived, old ones are purged.

Each rule works in batches and asks the database anew, so it can stop anywhere and be run again;
two runs at once move a record once, for a move names the version that was read. A dry run lists
the same records and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.records import Memory
from langchain_layered_memory.requests import (
    ArchivedMemories,
    ExpiredMemories,
    IdleMemories,
    PurgeMemories,
    SetStatus,
    StorageRequest,
)
from langchain_layered_memory.steps import Steps, ask

Action = Literal["set aside", "archived", "purged"]


@dataclass(frozen=True)
class Forgotten:
    """A memory that was moved, or with a dry run would be, and why."""

    memory: Memory
    action: Action
    why: str


@dataclass
class ForgetResult:
    """What a forget run did, or would do."""

    dry_run: bool
    forgotten: list[Forgotten] = field(default_factory=list)

    def count(self, action: Action) -> int:
        """Return how many memories an action was done to."""
        return sum(each.action == action for each in self.forgotten)


@dataclass(frozen=True)
class _Rule:
    """Which memories a rule finds, what happens to them, and why."""

    action: Action
    find: Callable[[str], StorageRequest[tuple[Memory, ...]]]
    move: Callable[[tuple[Memory, ...]], StorageRequest[frozenset[str]]]
    why: Callable[[Memory], str]


def forget(policy: MemoryPolicy, now: datetime, *, dry_run: bool) -> Steps[ForgetResult]:
    """Apply every rule; a memory that one rule moved is not found by the next in the same run."""
    result = ForgetResult(dry_run)
    seen: set[str] = set()
    for rule in _rules(policy, now):
        yield from _apply(rule, result, seen)
    return result


def _apply(rule: _Rule, result: ForgetResult, seen: set[str]) -> Steps[None]:
    after = ""
    while batch := (yield from ask(rule.find(after))):
        after = batch[-1].id
        due = tuple(memory for memory in batch if memory.id not in seen)
        seen |= {memory.id for memory in due}
        if due and not result.dry_run:
            moved = yield from ask(rule.move(due))
            due = tuple(memory for memory in due if memory.id in moved)
        result.forgotten += _notes(rule, due)


def _notes(rule: _Rule, due: Sequence[Memory]) -> list[Forgotten]:
    return [Forgotten(memory, rule.action, rule.why(memory)) for memory in due]


def _rules(policy: MemoryPolicy, now: datetime) -> tuple[_Rule, ...]:
    batch = policy.forget_batch
    idle_since = now - timedelta(days=policy.idle_days)
    purge_since = now - timedelta(days=policy.purge_after_days)
    return (
        _Rule(
            "archived",
            lambda after: ExpiredMemories(now, batch, after),
            lambda due: SetStatus(due, "archived", now),
            lambda memory: f"valid until {memory.valid_until:%Y-%m-%d}",
        ),
        _Rule(
            "set aside",
            lambda after: IdleMemories(idle_since, policy.idle_importance, batch, after),
            lambda due: SetStatus(due, "pending_archive", now),
            lambda memory: f"importance {memory.importance}, idle for {policy.idle_days:g} days",
        ),
        _Rule(
            "purged",
            lambda after: ArchivedMemories(purge_since, batch, after),
            PurgeMemories,
            lambda memory: f"{memory.status} for {policy.purge_after_days:g} days",
        ),
    )
