"""The recall step: candidates, rank, conflicts, block. No model but the embedder is asked."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from langchain_layered_memory.errors import BackendError
from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.recall.assemble import assemble
from langchain_layered_memory.recall.candidates import find_candidates
from langchain_layered_memory.recall.conflicts import fold, mark_outdated
from langchain_layered_memory.recall.rank import Scored, by_meaning, parts_of, total
from langchain_layered_memory.recall.result import LeftOut, Recall, RecalledItem
from langchain_layered_memory.records import Episode, Memory, Scope, Version
from langchain_layered_memory.requests import (
    CountRecords,
    LoadEpisodes,
    LoadHistories,
    OutdatedTurns,
    TouchMemories,
)
from langchain_layered_memory.steps import Steps, ask
from langchain_layered_memory.terms import analyze

_log = logging.getLogger("langchain_layered_memory")
Histories = Mapping[str, tuple[Version, ...]]
# Folding makes one of several records, so more are loaded than are shown.
_LOADED_FOR_EACH_SHOWN = 4
_SEVERAL = 2


@dataclass(frozen=True)
class Question:
    """What is asked, whose memory, when, and as it was known when.

    Attributes:
        k: How many records are recalled at most.
        model: The name that the embedder's vectors are kept under, or None without one.
        as_of: Answer from what was known then; None for all that is known.
    """

    text: str
    scope: Scope
    now: datetime
    k: int = 10
    model: str | None = None
    as_of: datetime | None = None
    explain: bool = False


def recall(question: Question, policy: MemoryPolicy) -> Steps[Recall]:
    """Return what memory knows about a question; an empty answer says if nothing is stored."""
    found = yield from find_candidates(
        question.text, question.scope, policy, question.model, question.as_of
    )
    scored = by_meaning(found, policy)
    if not scored:
        return (yield from _nothing_found(question, found.notes))
    items = yield from _items(scored, question, policy)
    ranked = fold(sorted(items, key=lambda item: -item.score))
    block = assemble(ranked[: question.k], policy)
    yield from _touch(block.items, question)
    left_out = block.left_out + tuple(
        LeftOut(item.record.id, f"beyond the first {question.k}") for item in ranked[question.k :]
    )
    return Recall(block.text, block.items, left_out if question.explain else (), found.notes)


def _nothing_found(question: Question, notes: tuple[str, ...]) -> Steps[Recall]:
    """A mistyped user must not look like a question that nothing answers."""
    if (yield from ask(CountRecords(question.scope))):
        return Recall(notes=(*notes, "nothing stored has to do with the question"))
    tenant, user = question.scope.owner
    return Recall(notes=(*notes, f"user {user!r} of tenant {tenant!r} has no records at all"))


def _items(
    scored: Sequence[Scored], question: Question, policy: MemoryPolicy
) -> Steps[list[RecalledItem]]:
    wanted = scored[: max(question.k, 1) * _LOADED_FOR_EACH_SHOWN]
    episodes = yield from _episodes(wanted, question.scope)
    histories = yield from _histories(wanted, question)
    items = []
    for each in wanted:
        record, earlier = _record(each, episodes, histories, question)
        if record is not None:
            parts = parts_of(each, record, question.now, policy)
            items.append(RecalledItem(record, total(parts), parts, earlier=earlier))
    if question.as_of is None:
        outdated = yield from ask(OutdatedTurns(question.scope))
        items = mark_outdated(items, outdated, policy)
    return items


def _episodes(wanted: Sequence[Scored], scope: Scope) -> Steps[Mapping[str, Episode]]:
    ids = tuple(s.candidate.record_id for s in wanted if s.candidate.layer == "episodes")
    found = (yield from ask(LoadEpisodes(scope, ids))) if ids else ()
    return {episode.id: episode for episode in found}


def _histories(wanted: Sequence[Scored], question: Question) -> Steps[Histories]:
    ids = tuple(s.candidate.record_id for s in wanted if s.candidate.layer == "memories")
    archived = question.as_of is not None
    return (yield from ask(LoadHistories(question.scope, ids, archived))) if ids else {}


def _record(
    scored: Scored, episodes: Mapping[str, Episode], histories: Histories, question: Question
) -> tuple[Episode | Memory | None, tuple[Version, ...]]:
    """Return the record, as it was known at the time asked for, with its former values."""
    record_id = scored.candidate.record_id
    if record_id in episodes:
        return episodes[record_id], ()
    versions = histories.get(record_id, ())
    at = question.as_of or question.now
    known = _known_at(versions, at) if question.as_of else list(versions)
    if not known or _expired(known[-1].memory, at):
        return None, ()
    return _best_source_first(known[-1].memory, question.text), tuple(known[:-1])


def _known_at(versions: Sequence[Version], at: datetime) -> list[Version]:
    """Return the values known at a time, the one that held then last.

    A value that was said again after another one began before that other, and outlived it.
    """
    known = sorted((v for v in versions if v.valid_from <= at), key=lambda v: v.valid_from)
    holding = [v for v in known if v.valid_to is None or at < v.valid_to]
    return [v for v in known if v.valid_from <= holding[-1].valid_from] if holding else []


def _best_source_first(memory: Memory, asked: str) -> Memory:
    """Order a memory's turns by how many of the question's words they hold, then newest first."""
    if len(memory.sources) < _SEVERAL:
        return memory
    terms = set(analyze(asked))
    shared = {source: len(terms & set(analyze(source.quote))) for source in memory.sources}
    return memory.changed(sources=tuple(sorted(memory.sources, key=lambda s: -shared[s])))


def _expired(memory: Memory, at: datetime) -> bool:
    return memory.valid_until is not None and memory.valid_until <= at


def _touch(items: Sequence[RecalledItem], question: Question) -> Steps[None]:
    ids = tuple(item.record.id for item in items if isinstance(item.record, Memory))
    if not ids or question.as_of is not None:
        return
    try:
        yield from ask(TouchMemories(question.scope, ids, question.now))
    except BackendError as error:
        # A read-only file, or a writer that holds it for long: what was found is found.
        _log.warning("the recall was not counted: %s", error)
