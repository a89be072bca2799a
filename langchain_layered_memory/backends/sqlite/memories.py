"""Memories: compare-and-swap changes, histories, and the lists that forgetting works through."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from langchain_layered_memory.backends.sqlite import codec
from langchain_layered_memory.backends.sqlite.entries import add_entry
from langchain_layered_memory.backends.sqlite.session import Session, id_list
from langchain_layered_memory.errors import ConflictError
from langchain_layered_memory.records import Memory, Version
from langchain_layered_memory.requests import (
    ApplyChanges,
    ArchivedMemories,
    Change,
    ExpiredMemories,
    GetMemory,
    IdleMemories,
    ListMemories,
    LiveMemories,
    LoadHistories,
    MemoryHistory,
    OutdatedTurns,
    PurgeMemories,
    SetStatus,
    TouchMemories,
)

# What does not hold now may have held at the time that is asked for.
_ENDED = ("archived", "pending_archive")


def apply_changes(db: Session, request: ApplyChanges) -> None:
    """Apply changes outside any job."""
    for change in request.changes:
        apply_change(db, change)


def apply_change(db: Session, change: Change) -> None:
    """Insert or change one memory, keeping what it said before.

    Raises:
        ConflictError: If somebody was quicker.
    """
    memory = change.after.record
    scope_id = db.scope_id_or_new(memory.scope)
    if change.historic:
        _keep_former(db, scope_id, change)
    elif change.read_version is None:
        _insert(db, scope_id, change)
    else:
        _update(db, scope_id, change, change.read_version)


def _insert(db: Session, scope_id: int, change: Change) -> None:
    memory = change.after.record
    try:
        db.run("memory_insert", {"scope_id": scope_id, **codec.memory_columns(memory)})
    except sqlite3.IntegrityError as error:
        raise ConflictError(
            f"{memory.subject!r} has a live value in {memory.slot!r} meanwhile"
        ) from error
    add_entry(db, scope_id, "memories", change.after, at=memory.valid_from)


def _update(db: Session, scope_id: int, change: Change, read_version: int) -> None:
    memory = change.after.record
    before = _before(db, memory, read_version)
    columns = {**codec.memory_columns(memory), "version": read_version + 1}
    try:
        changed = db.run(
            "memory_update", {**columns, "scope_id": scope_id, "read_version": read_version}
        )
    except sqlite3.IntegrityError as error:
        raise ConflictError(f"the slot {memory.slot!r} is taken by another memory") from error
    if not changed:
        raise _lost(memory, read_version)
    if change.supersedes:
        _keep_version(db, scope_id, before, codec.to_micros(memory.valid_from), change.reason)
    if before.indexed_text != memory.indexed_text:
        db.run("entry_retire", {"record_id": memory.id})
        add_entry(db, scope_id, "memories", change.after, at=memory.valid_from)


def _before(db: Session, memory: Memory, read_version: int) -> Memory:
    row = db.one("memory_by_id", id=memory.id)
    if row is None or row["version"] != read_version:
        raise _lost(memory, read_version)
    return codec.memory_of(row)


def _lost(memory: Memory, read_version: int) -> ConflictError:
    return ConflictError(f"memory {memory.id} is no longer at version {read_version}")


def _keep_former(db: Session, scope_id: int, change: Change) -> None:
    """A statement older than the live value, heard late: it is history from the start."""
    former = change.after.record
    live = _before(db, former, change.read_version or former.version)
    place: dict[str, Any] = {
        "memory_id": former.id,
        "valid_from": codec.to_micros(former.valid_from),
    }
    later = [db.value("version_after", **place), codec.to_micros(live.valid_from)]
    later += [codec.to_micros(source.said_at) for source in live.sources]
    until = min(at for at in later if at is not None and at > place["valid_from"])
    db.run("version_cut", place)
    _keep_version(db, scope_id, former, until, change.reason)


def _keep_version(db: Session, scope_id: int, memory: Memory, valid_to: int, reason: str) -> None:
    values = {
        "memory_id": memory.id,
        "scope_id": scope_id,
        "snapshot": json.dumps(codec.memory_columns(memory), ensure_ascii=False),
        "valid_from": codec.to_micros(memory.valid_from),
        "valid_to": valid_to,
        "reason": reason,
    }
    db.run("version_insert", values)


# ------------------------------------------------------------------ reads


def live_memories(db: Session, request: LiveMemories) -> tuple[Memory, ...]:
    """Return the live memories in (subject, slot) places."""
    scope_id = db.scope_id(request.scope)
    rows = db.all("memories_in_slots", scope_id=scope_id, slots=json.dumps(request.slots))
    return tuple(map(codec.memory_of, rows))


def get_memory(db: Session, request: GetMemory) -> Memory | None:
    """Return a memory by its id."""
    row = db.one("memory_by_id", id=request.memory_id)
    return None if row is None else codec.memory_of(row)


def memory_history(db: Session, request: MemoryHistory) -> tuple[Version, ...]:
    """Return every value a memory had, and the present one."""
    memory = get_memory(db, GetMemory(request.memory_id))
    return () if memory is None else _histories(db, [memory])[memory.id]


def load_histories(db: Session, request: LoadHistories) -> Mapping[str, tuple[Version, ...]]:
    """Return the histories of live memories by id."""
    scope_id = db.scope_id(request.scope)
    statuses = ["active", *(_ENDED if request.archived else ())]
    rows = db.all(
        "memories_by_ids", scope_id=scope_id, ids=id_list(request.ids), statuses=id_list(statuses)
    )
    return _histories(db, list(map(codec.memory_of, rows)))


def _histories(db: Session, memories: list[Memory]) -> dict[str, tuple[Version, ...]]:
    former: defaultdict[str, list[Version]] = defaultdict(list)
    for row in db.all("versions_by_memories", ids=id_list(each.id for each in memories)):
        former[row["memory_id"]].append(codec.version_of(row))
    return {
        each.id: (*former[each.id], Version(each, each.valid_from, None, "current"))
        for each in memories
    }


def list_memories(db: Session, request: ListMemories) -> tuple[Memory, ...]:
    """Return memories by status, oldest first."""
    scope_id = None if request.scope is None else (db.scope_id(request.scope) or -1)
    rows = db.all(
        "memories_by_status",
        scope_id=scope_id,
        statuses=json.dumps(request.statuses),
        limit=request.limit,
        offset=request.offset,
    )
    return tuple(map(codec.memory_of, rows))


def outdated_turns(db: Session, request: OutdatedTurns) -> Mapping[tuple[str, str], str]:
    """Return the turns that former values rest on, with the memory that says otherwise now."""
    rows = db.all("outdated_sources", scope_id=db.scope_id(request.scope))
    return {
        (source.session_id, source.message_id): row["memory_id"]
        for row in rows
        for source in codec.load_sources(row["sources"])
    }


def touch_memories(db: Session, request: TouchMemories) -> None:
    """Count one more access."""
    values = {
        "scope_id": db.scope_id(request.scope),
        "ids": id_list(request.ids),
        "now": codec.to_micros(request.now),
    }
    db.run("memory_touch", values)


# ------------------------------------------------------------------ forgetting


def idle_memories(db: Session, request: IdleMemories) -> tuple[Memory, ...]:
    """Return unimportant memories that nobody used since a time."""
    since = codec.to_micros(request.since)
    values = {"since": since, "importance": request.importance}
    return _listed(db.all("memories_idle", **values, after=request.after, limit=request.limit))


def expired_memories(db: Session, request: ExpiredMemories) -> tuple[Memory, ...]:
    """Return memories whose time has passed."""
    now = codec.to_micros(request.now)
    return _listed(db.all("memories_expired", now=now, after=request.after, limit=request.limit))


def archived_memories(db: Session, request: ArchivedMemories) -> tuple[Memory, ...]:
    """Return memories that lie in the archive since a time."""
    since = codec.to_micros(request.since)
    return _listed(
        db.all("memories_archived", since=since, after=request.after, limit=request.limit)
    )


def _listed(rows: Iterable[sqlite3.Row]) -> tuple[Memory, ...]:
    return tuple(map(codec.memory_of, rows))


def set_status(db: Session, request: SetStatus) -> frozenset[str]:
    """Move memories to a status; return the ids of those that were still as read."""
    common: dict[str, Any] = {"status": request.status, "now": codec.to_micros(request.now)}
    return frozenset(
        each.id
        for each in request.memories
        if db.run("memory_set_status", {"id": each.id, "version": each.version, **common})
    )


def purge_memories(db: Session, request: PurgeMemories) -> frozenset[str]:
    """Delete memories with history and index; return the ids of those that were still as read."""
    return frozenset(each.id for each in request.memories if _purge(db, each))


def _purge(db: Session, memory: Memory) -> int:
    deleted = db.run("memory_delete", {"id": memory.id, "version": memory.version})
    if deleted:
        db.run("entries_delete", {"record_id": memory.id, "layer": "memories"})
    return deleted
