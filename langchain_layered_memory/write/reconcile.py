"""What an operation does to what is known: add, merge, supersede, close, or nothing.

One live value for each (owner, subject, slot). The same value again is evidence; another value
supersedes, and the old one becomes history; a statement older than the live value, heard late,
is history from the start. Nothing outside the slot is ever touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.records import Memory, Operation, Scope, Source, Status
from langchain_layered_memory.requests import Change, Indexed
from langchain_layered_memory.steps import NewId
from langchain_layered_memory.terms import analyze

_NUMBER = re.compile(r"\d+")
_NEGATION = re.compile(
    r"\b(?:not|no|never|without|cannot|hates?|dislikes?|avoids?|\w+n['’]t)\b|[不没別别勿无讨厌]",
    re.IGNORECASE,
)

# To prefer tea is no correction of liking it.
_LIKING = {"prefer": "like", "love": "like", "hate": "dislike"}


@dataclass(frozen=True)
class Met:
    """What an operation meets.

    Attributes:
        live: The memory in its slot, or one that says nearly the same.
        alike: Whether `live` was found by its likeness, not by its slot.
        waiting: Memories in its slot that wait to be verified.
    """

    live: Memory | None = None
    alike: bool = False
    waiting: tuple[Memory, ...] = ()

    def waiting_for(self, value: str) -> Memory | None:
        """Return the waiting memory of a value."""
        return next((each for each in self.waiting if same_value(each.value, value)), None)


@dataclass(frozen=True)
class Reconciler:
    """Turns the operations of one turn into changes; the time and new ids are injected."""

    scope: Scope
    policy: MemoryPolicy
    now: datetime
    new_id: NewId

    def change(self, operation: Operation, met: Met) -> Change | None:
        """Return what an operation changes, or None if all is known already."""
        live = met.live
        if operation.op == "delete":
            sure = operation.confidence >= self.policy.verify_below
            return self._close(operation, live) if sure else None
        if operation.op == "none" and live is not None:
            return None
        if operation.confidence < self.policy.verify_below:
            return self._doubtful(operation, met)
        if live is None:
            same = met.waiting_for(operation.value)
            return self._create(operation) if same is None else self._merge(operation, same)
        if met.alike or same_value(live.value, operation.value):
            return self._merge(operation, live)
        if operation.said_at < _last_said(live):
            return self._historic(operation, live)
        return self._supersede(operation, live)

    def _create(self, operation: Operation, *, pending: bool = False) -> Change:
        memory = Memory(
            id=self.new_id(),
            scope=self.scope,
            kind=operation.kind,
            content=operation.content,
            subject=operation.subject,
            attribute=operation.attribute,
            value=operation.value,
            slot=operation.slot,
            importance=operation.importance,
            confidence=operation.confidence,
            valid_from=operation.valid_from or operation.said_at,
            valid_until=self._valid_until(operation),
            created_at=self.now,
            updated_at=self.now,
            tags=operation.tags,
            privacy=operation.privacy,
            status="pending_verification" if pending else "active",
            sources=operation.sources,
        )
        return Change(_indexed(memory), None, "created")

    def _doubtful(self, operation: Operation, met: Met) -> Change | None:
        """A doubtful statement changes nothing that is known; it waits for somebody to confirm."""
        if met.live is not None and same_value(met.live.value, operation.value):
            return None
        same = met.waiting_for(operation.value)
        if same is None:
            return self._create(operation, pending=True)
        return self._merge(operation, same, status="pending_verification")

    def _merge(
        self, operation: Operation, live: Memory, status: Status = "active"
    ) -> Change | None:
        if self._said_just_now(operation.sources, live):
            return None
        sources = _newest_first((*operation.sources, *live.sources))
        until = self._valid_until(operation)
        return self._changed(
            live,
            "merged",
            importance=max(live.importance, operation.importance),
            confidence=max(live.confidence, operation.confidence),
            sources=sources[: self.policy.max_sources],
            evidence_count=live.evidence_count + len(operation.sources),
            valid_until=max((each for each in (until, live.valid_until) if each), default=None),
            tags=tuple(dict.fromkeys((*live.tags, *operation.tags))),
            status=status,
        )

    def _said_just_now(self, sources: Iterable[Source], live: Memory) -> bool:
        """Whether the memory rests on this turn already, or on the same words moments ago."""
        window = timedelta(seconds=self.policy.debounce_seconds)
        return all(
            any(
                (new.session_id, new.message_id) == (old.session_id, old.message_id)
                or (new.quote == old.quote and abs(new.said_at - old.said_at) < window)
                for old in live.sources
            )
            for new in sources
        )

    def _supersede(self, operation: Operation, live: Memory) -> Change:
        return self._changed(
            live,
            "corrected" if "correction" in operation.tags else "superseded",
            supersedes=True,
            kind=operation.kind,
            content=operation.content,
            value=operation.value,
            importance=operation.importance,
            confidence=operation.confidence,
            valid_from=operation.valid_from or operation.said_at,
            valid_until=self._valid_until(operation),
            sources=operation.sources,
            evidence_count=len(operation.sources),
            tags=operation.tags,
            privacy=operation.privacy,
            status="active",
        )

    def _historic(self, operation: Operation, live: Memory) -> Change:
        former = replace(
            live,
            content=operation.content,
            value=operation.value,
            valid_from=operation.said_at,
            sources=operation.sources,
            evidence_count=len(operation.sources),
        )
        return Change(_indexed(former), live.version, "heard late", historic=True)

    def _close(self, operation: Operation, live: Memory | None) -> Change | None:
        """End a value ("I no longer work there"); it stays in the archive, as history."""
        if live is None or operation.said_at < _last_said(live):
            return None
        if operation.value and not same_value(live.value, operation.value):
            return None
        until = operation.said_at
        return self._changed(live, "closed", status="archived", valid_until=until)

    def _changed(
        self, live: Memory, reason: str, *, supersedes: bool = False, **changes: object
    ) -> Change:
        after = live.changed(updated_at=self.now, **changes)
        return Change(_indexed(after), live.version, reason, supersedes=supersedes)

    def _valid_until(self, operation: Operation) -> datetime | None:
        if operation.valid_until is not None:
            return operation.valid_until
        days = self.policy.valid_days.get(operation.kind)
        return None if days is None else operation.said_at + timedelta(days=days)


def same_value(one: str, other: str) -> bool:
    """Whether two values are the same but for case and spaces, and for how much one likes."""
    return _plain(one) == _plain(other)


def _plain(value: str) -> str:
    plain = " ".join(value.casefold().split())
    return _LIKING.get(plain, plain)


def similarity(one: str, other: str) -> float:
    """Return how alike two statements are: the Dice coefficient of their terms, 0 to 1.

    Different numbers, or a negation in one alone, make them 0: that is an update, no duplicate.
    """
    if set(_NUMBER.findall(one)) != set(_NUMBER.findall(other)):
        return 0.0
    if bool(_NEGATION.search(one)) != bool(_NEGATION.search(other)):
        return 0.0
    left, right = set(analyze(one)), set(analyze(other))
    shared = 2 * len(left & right)
    return shared / (len(left) + len(right)) if shared else 0.0


def _last_said(live: Memory) -> datetime:
    """Return when a value was last said to hold, or was corrected by hand."""
    return max([live.valid_from, *(source.said_at for source in live.sources)])


def _newest_first(sources: Iterable[Source]) -> tuple[Source, ...]:
    distinct = {(each.session_id, each.message_id): each for each in sources}
    return tuple(sorted(distinct.values(), key=lambda each: each.said_at, reverse=True))


def _indexed(memory: Memory) -> Indexed[Memory]:
    return Indexed(memory, analyze(memory.indexed_text))
