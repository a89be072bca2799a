"""Candidates: what text search and vectors find, in one list with what each arm said of it.

The union, not the cut: names and numbers are found by words alone, paraphrases by vectors alone.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.records import Layer, Scope
from langchain_layered_memory.requests import Hit, SearchTerms, SearchVectors
from langchain_layered_memory.steps import Steps, ask, embed_query
from langchain_layered_memory.terms import analyze

_log = logging.getLogger("langchain_layered_memory")
_LAYERS: tuple[Layer, ...] = ("episodes", "memories")


@dataclass(frozen=True)
class Candidate:
    """A record that an arm found; an arm that did not find it scores 0."""

    layer: Layer
    record_id: str
    session_id: str
    position: int
    text: float
    similarity: float


@dataclass(frozen=True)
class Found:
    """The candidates, whether vectors took part, and what the caller may want to know of that."""

    candidates: tuple[Candidate, ...]
    with_vectors: bool
    notes: tuple[str, ...] = ()


def find_candidates(
    question: str,
    scope: Scope,
    policy: MemoryPolicy,
    model: str | None,
    as_of: datetime | None,
) -> Steps[Found]:
    """Return what both arms find for a question; without a model, or if it fails, text alone."""
    limit = policy.candidates
    terms = analyze(question)
    by_text = yield from ask(SearchTerms(scope, terms, _LAYERS, limit, as_of))
    by_vector: tuple[Hit, ...] = ()
    with_vectors = False
    notes: tuple[str, ...] = ()
    if model is not None:
        try:
            vector = (yield from embed_query(question))[0]
        except Exception as error:  # noqa: BLE001 - whatever a model raises, words still find
            _log.warning("the question was not embedded, text alone is searched: %r", error)
            notes = ("the embedding model failed; words alone were searched",)
        else:
            request = SearchVectors(scope, vector, model, _LAYERS, limit, as_of)
            by_vector = yield from ask(request)
            with_vectors = bool(by_vector)
    return Found(tuple(_union(by_text, by_vector)), with_vectors, notes)


def _union(by_text: Iterable[Hit], by_vector: Iterable[Hit]) -> Iterable[Candidate]:
    text = {hit.record_id: hit for hit in by_text}
    vector = {hit.record_id: hit for hit in by_vector}
    for record_id in dict.fromkeys([*text, *vector]):
        hit = text.get(record_id) or vector[record_id]
        yield Candidate(
            layer=hit.layer,
            record_id=record_id,
            session_id=hit.session_id,
            position=hit.position,
            text=text[record_id].score if record_id in text else 0.0,
            similarity=vector[record_id].score if record_id in vector else 0.0,
        )
