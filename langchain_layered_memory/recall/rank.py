"""Rank: meaning first, then what freshness and importance add, capped.

Scores are absolute: a question that nothing answers has no candidate above the thresholds, so the
block stays empty. A turn is lent a share of its neighbours' meaning, since an answer often
stands beside the words of its question.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.recall.candidates import Candidate, Found
from langchain_layered_memory.records import Episode, Memory

_HOURS_PER_DAY = 24.0
_SECONDS_PER_DAY = 86_400.0
_NEIGHBOURS = (-1, 1)


@dataclass(frozen=True)
class Scored:
    """A candidate with what it means to the question, and what each arm said, 0 to 1.

    Meaning is 0 to 1, too, and more only by what a neighbour lends.
    """

    candidate: Candidate
    meaning: float
    text: float
    similarity: float


def by_meaning(found: Found, policy: MemoryPolicy) -> list[Scored]:
    """Return the candidates that have to do with the question, best first."""
    related = [each for each in found.candidates if _is_related(each, policy)]
    share = policy.text_weight if found.with_vectors else 1.0
    own = {
        each.record_id: share * each.text + (1 - share) * max(0.0, each.similarity)
        for each in related
    }
    lent = _lent(related, own, policy.neighbour_weight)
    scored = [
        Scored(each, own[each.record_id] + lent[each.record_id], each.text, each.similarity)
        for each in related
    ]
    return sorted(scored, key=lambda each: (-each.meaning, each.candidate.record_id))


def _is_related(candidate: Candidate, policy: MemoryPolicy) -> bool:
    return candidate.text >= policy.min_text or candidate.similarity >= policy.min_similarity


def _lent(
    candidates: Iterable[Candidate], own: Mapping[str, float], weight: float
) -> dict[str, float]:
    places = {
        (each.session_id, each.position): own[each.record_id]
        for each in candidates
        if each.position >= 0
    }
    return {
        each.record_id: weight
        * max(places.get((each.session_id, each.position + step), 0.0) for step in _NEIGHBOURS)
        if each.position >= 0
        else 0.0
        for each in candidates
    }


def recency(said_at: datetime, now: datetime, half_life_days: float, policy: MemoryPolicy) -> float:
    """Return how fresh something is, 1 for now down to 0.

    exp(-days / half_life), or 1 / (1 + log2(hours)) where the policy asks for it; what lies in the
    future is fresh.
    """
    days = max(0.0, (now - said_at).total_seconds() / _SECONDS_PER_DAY)
    if policy.decay == "logarithmic":
        return 1.0 / (1.0 + math.log2(max(1.0, days * _HOURS_PER_DAY)))
    return math.exp(-days / half_life_days)


def parts_of(
    scored: Scored, record: Episode | Memory, now: datetime, policy: MemoryPolicy
) -> dict[str, float]:
    """Return what a record's score is made of; the first three are summed, the arms explain."""
    if isinstance(record, Memory):
        fresh = recency(record.valid_from, now, policy.half_life(record.kind), policy)
        importance = (record.importance - 1) / 4
    else:
        fresh = recency(record.said_at, now, policy.episode_half_life_days, policy)
        importance = 0.0
    return {
        "meaning": scored.meaning,
        "recency": policy.recency_weight * fresh,
        "importance": policy.importance_weight * importance,
        "text": scored.text,
        "similarity": scored.similarity,
    }


def total(parts: Mapping[str, float]) -> float:
    """Return the score that parts add up to."""
    return parts["meaning"] + parts["recency"] + parts["importance"]
