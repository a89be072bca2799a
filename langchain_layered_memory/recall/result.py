"""What recall answers: the block, what it was made of, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_layered_memory.records import Episode, Memory, Source, Version

Group = Literal["relevant", "recent"]


@dataclass(frozen=True)
class RecalledItem:
    """A record that was recalled.

    Attributes:
        record: A turn as it was said, or a memory.
        score: The sum of its parts, by which it was ranked; absolute, not per query.
        parts: What made up the score: meaning, recency, importance, and the arms of meaning.
        group: Relevant to the question, or recent and often used.
        earlier: Former values of the memory, oldest first.
        outdated_by: For a turn, the memory that says otherwise since.
        folded: Turns that say the same as the memory and so are not shown on their own.
    """

    record: Episode | Memory
    score: float
    parts: Mapping[str, float]
    group: Group = "relevant"
    earlier: tuple[Version, ...] = ()
    outdated_by: str | None = None
    folded: tuple[Source, ...] = ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """The turns it rests on, the best matching first."""
        own = {(s.session_id, s.message_id): s for s in (*self.folded, *self.record.sources)}
        return tuple(own.values())

    def as_dict(self) -> dict[str, Any]:
        """Return id, score and sources as plain values, for a graph's state."""
        return {
            "id": self.record.id,
            "score": round(self.score, 4),
            "group": self.group,
            "sources": [
                {"session_id": s.session_id, "message_id": s.message_id} for s in self.sources
            ],
        }


@dataclass(frozen=True)
class LeftOut:
    """A record that was found and not shown, and why."""

    record_id: str
    why: str


@dataclass(frozen=True)
class Recall:
    """The answer to a question to memory.

    Attributes:
        text: The block for the prompt, "" if nothing relevant is known.
        items: What the block was made of, best first.
        left_out: With `explain`, what was found and not shown.
        notes: What the caller may want to know: an empty scope, a missing embedder.
    """

    text: str = ""
    items: tuple[RecalledItem, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.items)
