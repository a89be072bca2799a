"""Every number the memory follows, with its unit and its reason, in one object.

    MemoryPolicy(token_budget=4000, half_life_days={"preference": 90.0})

Figures of parts that are still to come stand here as well, so that their names are settled, and
nothing reads them yet: working memory, sessions, locks, hot records, HNSW, reranking, tags, hops,
the recent group, the deadline of recall, consolidation, the schedule and the audit sample.
A value outside its range raises `PolicyError` at once; `MemoryPolicy.describe()` lists them all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, get_args

from langchain_layered_memory.errors import PolicyError
from langchain_layered_memory.records import Kind

BlockOrder = Literal["facts_first", "constraints_first"]
Decay = Literal["exponential", "logarithmic"]

# How fast each kind fades in ranking. A preference half forgotten after half a year still beats
# nothing; an event is asked for while it is fresh.
_HALF_LIFE_DAYS: dict[str, float] = {
    "preference": 180.0,
    "constraint": 730.0,
    "identity": 3650.0,
    "commitment": 30.0,
    "fact": 365.0,
    "business_rule": 365.0,
    "event": 90.0,
    "summary": 365.0,
}
# After how long a kind expires by itself; kinds that are not named never do.
_VALID_DAYS: dict[str, float] = {"preference": 180.0, "business_rule": 365.0}


# A century: what is kept longer is kept for ever, and calendars end.
_LONGEST_DAYS = 36_500.0


def _number(default: float, low: float, high: float, unit: str, reason: str) -> Any:
    return field(
        default=default, metadata={"low": low, "high": high, "unit": unit, "reason": reason}
    )


def _by_kind(default: dict[str, float], low: float, unit: str, reason: str) -> Any:
    return field(
        default_factory=lambda: MappingProxyType(dict(default)),
        metadata={
            "low": low,
            "high": _LONGEST_DAYS,
            "by_kind": True,
            "unit": unit,
            "reason": reason,
        },
    )


def _choice(default: str, options: tuple[str, ...], reason: str) -> Any:
    return field(default=default, metadata={"options": options, "reason": reason})


@dataclass(frozen=True, kw_only=True)
class MemoryPolicy:
    """The figures of the memory; each has a default that fits most agents.

    Raises:
        PolicyError: If a figure is out of its range; the message names it, its value and the range.
    """

    # ---- working memory (L1)
    working_turns: int = _number(3, 0, 1_000, "turns", "The newest turns go to the model verbatim.")
    working_tokens: int = _number(32_000, 1, 10**8, "tokens", "All a model call may hold.")

    # ---- session memory (L2)
    session_idle_minutes: float = _number(
        30.0, 0.1, 10**6, "minutes", "A session ends after this long without use."
    )

    # ---- write
    debounce_seconds: float = _number(
        10.0, 0.0, 86_400.0, "seconds", "The same statement within this time is one."
    )
    verify_below: float = _number(
        0.7, 0.0, 1.0, "confidence", "Less sure than this waits for verification, unrecalled."
    )
    merge_similarity: float = _number(
        0.85, 0.0, 1.0, "similarity", "Statements more alike than this are one with more evidence."
    )
    max_sources: int = _number(
        64, 1, 10_000, "sources", "Kept with a memory; beyond it only the count grows."
    )
    lock_seconds: float = _number(
        5.0, 0.1, 600.0, "seconds", "A lock's limit; correctness never rests on it."
    )
    conflict_retries: int = _number(
        16, 0, 1_000, "attempts", "Before a writer that lost every race gives up and is queued."
    )
    job_attempts: int = _number(
        5, 1, 1_000, "attempts", "Before a turn's extraction is set aside as failed."
    )
    job_lease_seconds: float = _number(
        60.0, 1.0, 86_400.0, "seconds", "A worker that died holds its job this long at most."
    )
    job_backoff_seconds: float = _number(
        2.0, 0.0, 3_600.0, "seconds", "Wait before the first retry; doubled each time."
    )

    # ---- index
    index_chars: int = _number(
        20_000, 100, 10**7, "characters", "Of a record are indexed; a pasted book is not a turn."
    )
    embed_batch: int = _number(64, 1, 10_000, "texts", "Embedded in one call.")
    hot_days: float = _number(7.0, 0.0, 3_650.0, "days", "Use within this time makes a record hot.")
    hnsw_m: int = _number(16, 2, 100, "links", "Per node of the vector graph.")
    hnsw_ef_construction: int = _number(64, 4, 1_000, "candidates", "While the graph is built.")
    hnsw_ef_search: int = _number(64, 1, 1_000, "candidates", "While the graph is searched.")

    # ---- recall
    candidates: int = _number(
        200, 1, 10_000, "records", "Taken from each arm, text and vectors, before ranking."
    )
    rerank_top: int = _number(20, 0, 1_000, "records", "Given to a cross-encoder, if there is one.")
    text_weight: float = _number(
        0.7, 0.0, 1.0, "share", "Of meaning that comes from words, the rest from vectors."
    )
    neighbour_weight: float = _number(
        0.3,
        0.0,
        1.0,
        "share",
        "Of a neighbouring turn's score that a turn is lent: answers "
        "often stand beside the words of the question.",
    )
    recency_weight: float = _number(
        0.02, 0.0, 1.0, "score", "Most that freshness adds; capped so that it never beats meaning."
    )
    importance_weight: float = _number(0.02, 0.0, 1.0, "score", "Most that importance adds.")
    tag_boost: float = _number(1.8, 1.0, 10.0, "factor", "On meaning, if a tag is asked for.")
    outdated_factor: float = _number(
        0.5, 0.0, 1.0, "factor", "On a turn whose statement has been corrected since."
    )
    min_text: float = _number(
        0.05,
        0.0,
        1.0,
        "score",
        "Words in common below this are chance; nothing is recalled for it.",
    )
    min_similarity: float = _number(
        0.30, -1.0, 1.0, "cosine", "Vectors less alike than this are chance."
    )
    decay: Decay = _choice(
        "exponential",
        ("exponential", "logarithmic"),
        "exp(-days / half_life), or 1 / (1 + log2(hours)) for agents that live by the hour.",
    )
    half_life_days: Mapping[str, float] = _by_kind(
        _HALF_LIFE_DAYS, 0.01, "days", "How fast a kind fades in ranking."
    )
    episode_half_life_days: float = _number(
        180.0, 0.01, 10**6, "days", "How fast a turn fades in ranking."
    )
    token_budget: int = _number(
        2_000, 1, 10**7, "tokens", "Of the recalled block: a thirtieth of a full history's cost."
    )
    recent_token_share: float = _number(
        0.2, 0.0, 1.0, "share", "Of the budget kept for what is recent and often used."
    )
    recent_items: int = _number(3, 0, 100, "records", "At most, in the recent group.")
    block_order: BlockOrder = _choice(
        "facts_first",
        ("facts_first", "constraints_first"),
        "Facts, constraints, events, skills; or constraints, preferences, events, knowledge.",
    )
    max_hops: int = _number(3, 0, 10, "hops", "Over relations between entities.")
    recall_deadline_seconds: float = _number(
        2.0, 0.01, 600.0, "seconds", "An embedder slower than this is done without."
    )

    # ---- forget
    idle_days: float = _number(
        30.0,
        0.0,
        _LONGEST_DAYS,
        "days",
        "Unused, an unimportant memory leaves recall.",
    )
    idle_importance: int = _number(
        2, 0, 5, "importance", "At most this is unimportant enough to leave by itself."
    )
    valid_days: Mapping[str, float] = _by_kind(
        _VALID_DAYS, 0.0, "days", "After which a kind expires unless it was said again."
    )
    consolidate_over: int = _number(
        20, 2, 10**6, "records", "On one topic, before they become one summary."
    )
    purge_after_days: float = _number(
        90.0, 0.0, _LONGEST_DAYS, "days", "In the archive without complaint; then deleted."
    )
    forget_batch: int = _number(500, 1, 10**6, "records", "Handled in one transaction.")
    forget_hour: int = _number(2, 0, 23, "hour", "Of the day when the schedule runs.")

    # ---- govern
    audit_share: float = _number(0.01, 0.0, 1.0, "share", "Sampled each quarter for labelling.")

    def __post_init__(self) -> None:
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if "options" in each.metadata:
                self._check_choice(each.name, value, each.metadata["options"])
            elif "by_kind" in each.metadata:
                self._freeze_by_kind(each, value)
            else:
                self._check_number(each, value, each.name)

    def __reduce__(self) -> tuple[Any, ...]:
        # The read-only views of figures by kind can be neither pickled nor copied.
        figures = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        plain: dict[str, Any] = {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in figures.items()
        }
        return partial(MemoryPolicy, **plain), ()

    def _check_choice(self, name: str, value: object, options: tuple[str, ...]) -> None:
        if value not in options:
            raise PolicyError(f"{name} is one of {', '.join(options)}; got {value!r}")

    def _freeze_by_kind(self, each: dataclasses.Field[Any], given: Mapping[str, float]) -> None:
        if not isinstance(given, Mapping) or not set(given) <= set(get_args(Kind)):
            kinds = ", ".join(get_args(Kind))
            raise PolicyError(f"{each.name} is a dict of days by kind ({kinds}), got {given!r}")
        for kind, value in given.items():
            self._check_number(each, value, f"{each.name}[{kind!r}]")
        object.__setattr__(self, each.name, MappingProxyType(dict(given)))

    def _check_number(self, each: dataclasses.Field[Any], value: object, name: str) -> None:
        low, high, unit = each.metadata["low"], each.metadata["high"], each.metadata["unit"]
        wrong = isinstance(value, bool) or not isinstance(value, (int, float))
        if wrong or not low <= value <= high:
            raise PolicyError(f"{name} is {low:g} to {high:g} {unit}, got {value!r}")
        if each.type == "int" and not isinstance(value, int):
            raise PolicyError(f"{name} is a whole number of {unit}, got {value!r}")

    def half_life(self, kind: Kind) -> float:
        """Return the half-life of a kind, in days; a year for kinds that are not named."""
        return self.half_life_days.get(kind, 365.0)

    @classmethod
    def describe(cls) -> list[tuple[str, Any, str, str]]:
        """Return name, default, unit and reason of every figure, in the order of the cycle."""
        defaults = cls()
        return [
            (
                each.name,
                getattr(defaults, each.name),
                each.metadata.get("unit", ""),
                each.metadata["reason"],
            )
            for each in dataclasses.fields(cls)
        ]
