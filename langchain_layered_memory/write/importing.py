"""Past conversations: stored chunk by chunk, or only looked at (shadow mode)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from langchain_layered_memory.records import Episode, Operation, Scope
from langchain_layered_memory.requests import NewTurn
from langchain_layered_memory.steps import Steps
from langchain_layered_memory.write.step import Writer, WriteResult

Row = Mapping[str, Any]
ReadTurns = Callable[[Sequence[Row]], list[NewTurn]]
# Small enough that a break loses little time, large enough that a transaction pays.
_CHUNK = 200


def import_turns(
    writer: Writer,
    rows: Iterable[Row],
    read: ReadTurns,
    extract: bool,
    progress: Callable[[int], None] | None,
) -> Steps[WriteResult]:
    """Store turns in their order; those that are stored already are passed over."""
    result = WriteResult()
    for chunk in _chunks(rows):
        for scope, turns in _by_session(read(chunk)):
            part = yield from writer.write(turns if extract else _unworked(turns), scope)
            result.turns += part.turns
            result.changes += part.changes
            result.failures += part.failures
        if progress is not None:
            progress(len(chunk))
    return result


def shadow(
    writer: Writer, turns: Iterable[NewTurn]
) -> Steps[list[tuple[Episode, tuple[Operation, ...]]]]:
    """Return what would be extracted from each turn that speaks for somebody; store nothing."""
    found = []
    for turn in turns:
        if turn.work is not None:
            operations = yield from writer.operations(turn.episode, turn.work)
            found.append((turn.episode, operations))
    return found


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows in chunks; if their source fails, what it gave before is yielded first."""
    chunk: list[Row] = []
    try:
        for row in rows:
            chunk.append(row)
            if len(chunk) == _CHUNK:
                yield chunk
                chunk = []
    except Exception:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def _by_session(turns: Iterable[NewTurn]) -> Iterator[tuple[Scope, list[NewTurn]]]:
    for scope, group in groupby(turns, key=lambda turn: turn.episode.scope):
        yield scope, list(group)


def _unworked(turns: Iterable[NewTurn]) -> list[NewTurn]:
    return [NewTurn(turn.episode, turn.terms, None) for turn in turns]
