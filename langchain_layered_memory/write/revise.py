"""What a person does to a memory: correct it, take it offline, bring it back, confirm it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from langchain_layered_memory.errors import ConflictError, InvalidInputError, NotFoundError
from langchain_layered_memory.records import Memory, Status, clean_text
from langchain_layered_memory.requests import ApplyChanges, Change, GetMemory, Indexed
from langchain_layered_memory.steps import Steps, ask
from langchain_layered_memory.terms import analyze

_ATTEMPTS = 16


def known(memory_id: str) -> Steps[Memory]:
    """Return a memory by its id.

    Raises:
        NotFoundError: If there is none.
    """
    memory = yield from ask(GetMemory(memory_id))
    if memory is None:
        raise NotFoundError(f"there is no memory with the id {memory_id!r}")
    return memory


def correct(memory_id: str, content: str, value: str | None, now: datetime) -> Steps[Memory]:
    """Give a memory another content; the old one stays in its history.

    Raises:
        NotFoundError: If there is no such memory.
        InvalidInputError: If the content is blank.
    """
    content = clean_text(content).strip()
    if not content:
        raise InvalidInputError("a correction needs content; to take a memory offline, retract it")

    def corrected(memory: Memory) -> Change:
        after = memory.changed(
            content=content,
            value=content if value is None else clean_text(value),
            valid_from=now,
            valid_until=None if _expired(memory, now) else memory.valid_until,
            updated_at=now,
            confidence=1.0,
            status="active",
        )
        return _change(memory, after, "corrected by hand", supersedes=True)

    return (yield from _changed(memory_id, corrected))


def set_status(memory_id: str, status: Status, reason: str, now: datetime) -> Steps[Memory]:
    """Move a memory to a status: retracted and archived ones are recalled no more.

    Raises:
        NotFoundError: If there is no such memory.
        ConflictError: If it cannot be active again, for another value took its place.
    """

    def moved(memory: Memory) -> Change:
        return _change(memory, _with_status(memory, status, now), reason)

    return (yield from _changed(memory_id, moved))


def _with_status(memory: Memory, status: Status, now: datetime) -> Memory:
    after = memory.changed(status=status, updated_at=now)
    if status != "active":
        return after
    confidence = max(memory.confidence, 1.0 if memory.status == "pending_verification" else 0.0)
    return after.changed(
        valid_until=None if _expired(memory, now) else memory.valid_until,
        confidence=confidence,
        last_access_at=now,
    )


def _expired(memory: Memory, now: datetime) -> bool:
    return memory.valid_until is not None and memory.valid_until <= now


def _changed(memory_id: str, make: Callable[[Memory], Change]) -> Steps[Memory]:
    """Read, change, and if somebody was quicker read again."""
    for attempt in range(_ATTEMPTS):
        memory = yield from known(memory_id)
        change = make(memory)
        try:
            yield from ask(ApplyChanges((change,)))
        except ConflictError:
            newest = yield from known(memory_id)
            if newest.version == memory.version or attempt == _ATTEMPTS - 1:
                raise  # not a race: the slot is taken
        else:
            return (yield from known(memory_id))
    raise AssertionError("the last attempt returns or raises")


def _change(before: Memory, after: Memory, reason: str, *, supersedes: bool = False) -> Change:
    indexed = Indexed(after, analyze(after.indexed_text))
    return Change(indexed, before.version, reason, supersedes=supersedes)
