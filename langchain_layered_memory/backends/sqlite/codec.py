"""Between rows and records: times as integers of microseconds, namespaces as bytes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, overload

from langchain_layered_memory.item_requests import Namespace
from langchain_layered_memory.records import Episode, Memory, Scope, Source, Version

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """Return an aware time as microseconds since 1970; exact, where floats are not."""
    return (moment - _EPOCH) // _MICROSECOND


def to_micros_or_none(moment: datetime | None) -> int | None:
    """Return `to_micros`, or None for None."""
    return None if moment is None else to_micros(moment)


@overload
def from_micros(micros: int) -> datetime: ...
@overload
def from_micros(micros: int | None) -> datetime | None: ...
def from_micros(micros: int | None) -> datetime | None:
    """Return microseconds since 1970 as an aware time in UTC."""
    return None if micros is None else _EPOCH + timedelta(microseconds=micros)


def encode_text(text: str) -> bytes:
    """Return any Python string as bytes; lone surrogates too, which UTF-8 alone refuses."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(raw: bytes) -> str:
    """Return the string that `encode_text` was given."""
    return raw.decode("utf-8", "surrogatepass")


def encode_namespace(namespace: Namespace) -> bytes:
    """Return the labels joined by NUL, so that byte order is tuple order."""
    return b"\0".join(map(encode_text, namespace))


def decode_namespace(raw: bytes) -> Namespace:
    """Return the labels that `encode_namespace` was given."""
    return tuple(map(decode_text, raw.split(b"\0")))


def below(prefix: Namespace) -> tuple[bytes, bytes, bytes]:
    """Return what names a prefix in SQL: itself, and the half-open range of all below it.

    The empty prefix has every namespace below it.
    """
    if not prefix:
        return b"", b"", b"\xff"
    exact = encode_namespace(prefix)
    return exact, exact + b"\0", exact + b"\1"


def dump_sources(sources: Iterable[Source]) -> str:
    """Return sources as JSON text."""
    rows = [[s.session_id, s.message_id, to_micros(s.said_at), s.quote] for s in sources]
    return json.dumps(rows, ensure_ascii=False)


def load_sources(text: str) -> tuple[Source, ...]:
    """Return the sources that `dump_sources` was given."""
    return tuple(
        Source(session, message, from_micros(at), quote)
        for session, message, at, quote in json.loads(text)
    )


def scope_of(row: sqlite3.Row) -> Scope:
    """Return the scope of a row that was joined with its owner."""
    return Scope(
        user_id=row["user_id"],
        tenant_id=row["tenant_id"],
        session_id=row["session_id"] or None,
        agent_id=row["agent_id"] or None,
    )


def episode_of(row: sqlite3.Row) -> Episode:
    """Return a row of episodes, joined with its owner, as a record."""
    return Episode(
        id=row["id"],
        scope=scope_of(row),
        message_id=row["message_id"],
        role=row["role"],
        speaker=row["speaker"],
        text=row["text"],
        said_at=from_micros(row["said_at"]),
        created_at=from_micros(row["created_at"]),
        position=row["position"],
    )


def memory_of(row: sqlite3.Row) -> Memory:
    """Return a row of memories, joined with its owner, as a record."""
    return memory_from_columns(dict(row), scope_of(row))


_MEMORY_TIMES = ("valid_from", "valid_until", "created_at", "updated_at", "last_access_at")
_MEMORY_PLAIN = (
    "id kind content subject attribute value slot importance confidence access_count privacy"
    " status evidence_count version"
).split()


def memory_columns(memory: Memory) -> dict[str, Any]:
    """Return a memory as the columns of its table, but for the owner."""
    return {
        **{name: getattr(memory, name) for name in _MEMORY_PLAIN},
        **{name: to_micros_or_none(getattr(memory, name)) for name in _MEMORY_TIMES},
        "session_id": memory.scope.session_id or "",
        "agent_id": memory.scope.agent_id or "",
        "tags": json.dumps(memory.tags, ensure_ascii=False),
        "sources": dump_sources(memory.sources),
    }


def memory_from_columns(columns: dict[str, Any], scope: Scope) -> Memory:
    """Return the memory that `memory_columns` was given."""
    return Memory(
        **{name: columns[name] for name in _MEMORY_PLAIN},
        **{name: from_micros(columns[name]) for name in _MEMORY_TIMES},
        scope=scope,
        tags=tuple(json.loads(columns["tags"])),
        sources=load_sources(columns["sources"]),
    )


def version_of(row: sqlite3.Row) -> Version:
    """Return a row of versions, joined with its owner, as a record."""
    columns = json.loads(row["snapshot"])
    scope = Scope(
        user_id=row["user_id"],
        tenant_id=row["tenant_id"],
        session_id=columns["session_id"] or None,
        agent_id=columns["agent_id"] or None,
    )
    return Version(
        memory=memory_from_columns(columns, scope),
        valid_from=from_micros(row["valid_from"]),
        valid_to=from_micros(row["valid_to"]),
        reason=row["reason"],
    )
