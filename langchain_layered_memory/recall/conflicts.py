"""Conflicts: a corrected value never stands beside the correction as if both held.

A memory shows its former values as such. A turn that a former value rests on is marked and ranked
down. A turn that says no more than a memory drawn from it is folded into the memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.recall.result import RecalledItem
from langchain_layered_memory.records import Episode, Memory
from langchain_layered_memory.terms import analyze

Place = tuple[str, str]
# A memory covers a turn if it leaves at most this share of the turn's terms unsaid.
_LEFT_UNSAID = 0.5


def mark_outdated(
    items: Sequence[RecalledItem], outdated: Mapping[Place, str], policy: MemoryPolicy
) -> list[RecalledItem]:
    """Return the items, turns whose statement was corrected since marked and ranked down."""
    return [_marked(item, outdated, policy) for item in items]


def _marked(
    item: RecalledItem, outdated: Mapping[Place, str], policy: MemoryPolicy
) -> RecalledItem:
    if not isinstance(item.record, Episode):
        return item
    memory_id = outdated.get(_place(item.record))
    if memory_id is None:
        return item
    parts = {**item.parts, "outdated": policy.outdated_factor}
    return replace(
        item, outdated_by=memory_id, score=item.score * policy.outdated_factor, parts=parts
    )


def fold(items: Sequence[RecalledItem]) -> list[RecalledItem]:
    """Return the items, best first, with a turn made one with a memory that says all it says.

    The memory stays, for it knows its validity and its history; it takes the better place and the
    turn's evidence. A turn that says more than the memory keeps its words.
    """
    kept = {item.record.id: item for item in items}
    turns = {_places(item)[0]: item for item in items if isinstance(item.record, Episode)}
    for item in items:
        if not isinstance(item.record, Memory):
            continue
        for place in _places(item):
            turn = turns.get(place)
            if turn is not None and turn.record.id in kept and _covers(item.record, turn.record):
                kept[item.record.id] = _joined(kept[item.record.id], kept.pop(turn.record.id))
    return sorted(kept.values(), key=lambda item: -item.score)


def _covers(memory: Memory, turn: Episode | Memory) -> bool:
    """Whether a memory leaves out little of what a turn says."""
    said = set(analyze(turn.sources[0].quote))
    return len(said - set(analyze(memory.content))) <= len(said) * _LEFT_UNSAID


def _joined(memory: RecalledItem, turn: RecalledItem) -> RecalledItem:
    better = max(memory, turn, key=lambda item: item.score)
    folded = (*memory.folded, *turn.record.sources)
    return replace(memory, score=better.score, parts=better.parts, folded=folded)


def _place(episode: Episode) -> Place:
    return (episode.session_id, episode.message_id)


def _places(item: RecalledItem) -> list[Place]:
    return [(source.session_id, source.message_id) for source in item.record.sources]
