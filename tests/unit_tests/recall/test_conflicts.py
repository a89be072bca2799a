"""A corrected value never stands beside its correction as if both held."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.recall.conflicts import fold, mark_outdated
from langchain_layered_memory.recall.result import RecalledItem
from langchain_layered_memory.records import Episode, Memory, Scope, Source

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def source(message: str, session: str = "s1") -> Source:
    return Source(session, message, NOW, f"quote of {message}")


def turn(message: str, score: float, text: str = "I like tea", session: str = "s1") -> RecalledItem:
    scope = Scope("ann", session_id=session)
    record = Episode(f"e-{message}", scope, message, "user", "user", text, NOW, NOW)
    return RecalledItem(record, score, {"meaning": score})


def memory(
    name: str, score: float, *sources: Source, content: str = "The user likes tea"
) -> RecalledItem:
    record = Memory(
        id=name,
        scope=Scope("ann"),
        kind="fact",
        content=content,
        subject="user",
        attribute=name,
        value="tea",
        slot=name,
        importance=3,
        confidence=0.9,
        valid_from=NOW,
        created_at=NOW,
        updated_at=NOW,
        sources=sources,
    )
    return RecalledItem(record, score, {"meaning": score})


def order(items: list[RecalledItem]) -> list[str]:
    return [item.record.id for item in items]


def messages(item: RecalledItem) -> list[str]:
    return [each.message_id for each in item.sources]


# ------------------------------------------------------------ outdated


def test_turn_that_was_corrected_since_is_marked_and_ranked_down() -> None:
    policy = MemoryPolicy(outdated_factor=0.25)
    (marked,) = mark_outdated([turn("t1", 0.8)], {("s1", "t1"): "m1"}, policy)
    assert (marked.outdated_by, marked.score) == ("m1", pytest.approx(0.2))
    assert marked.parts == {"meaning": 0.8, "outdated": 0.25}


@pytest.mark.parametrize(
    "item", [turn("t2", 0.8), turn("t1", 0.8, session="s2"), memory("m1", 0.8, source("t1"))]
)
def test_nothing_else_is_marked(item: RecalledItem) -> None:
    assert mark_outdated([item], {("s1", "t1"): "m1"}, MemoryPolicy()) == [item]


# ------------------------------------------------------------ fold


@pytest.mark.parametrize(("turn_score", "memory_score"), [(0.9, 0.4), (0.4, 0.9)])
def test_turn_is_folded_into_the_memory_which_takes_the_better_place(
    turn_score: float, memory_score: float
) -> None:
    (one,) = fold([turn("t1", turn_score), memory("m1", memory_score, source("t1"))])
    assert (one.record.id, one.score, one.parts) == ("m1", 0.9, {"meaning": 0.9})


def test_folded_memory_overtakes_what_stood_between() -> None:
    items = [turn("t1", 0.9), turn("t2", 0.6, "coffee"), memory("m1", 0.4, source("t1"))]
    assert order(fold(items)) == ["m1", "e-t2"]


def test_all_sources_are_kept_and_the_folded_ones_lead() -> None:
    items = [turn("t2", 0.9), turn("t3", 0.8), memory("m1", 0.4, *map(source, "t1 t2 t3".split()))]
    (one,) = fold(items)
    assert [each.message_id for each in one.folded] == ["t2", "t3"]
    assert messages(one)[0] == "t2"
    assert sorted(messages(one)) == ["t1", "t2", "t3"]


def test_turn_that_says_more_keeps_its_words() -> None:
    text = "I like tea, and on Sunday Mira and I climb the big mountain"
    items = [turn("t1", 0.9, text), memory("m1", 0.4, source("t1"))]
    assert order(fold(items)) == ["e-t1", "m1"]


def test_half_of_a_turn_may_be_left_unsaid() -> None:
    text = "green tea with honey and milk"
    half, less = "The user likes green tea", "The user likes tea"
    assert len(fold([turn("t1", 0.9, "green tea honey milk"), memory("m1", 0.4, source("t1"))])) > 1
    two = [turn("t1", 0.9, "green tea honey milk"), memory("m1", 0.4, source("t1"), content=half)]
    assert order(fold(two)) == ["m1"]
    assert len(fold([turn("t1", 0.9, text), memory("m1", 0.4, source("t1"), content=less)])) == 2


@pytest.mark.parametrize("other", [source("t9"), source("t1", "s2")])
def test_turn_that_the_memory_does_not_rest_on_stays(other: Source) -> None:
    assert order(fold([turn("t1", 0.9), memory("m1", 0.4, other)])) == ["e-t1", "m1"]


def test_turn_of_two_memories_is_shown_by_the_better_one() -> None:
    items = [
        turn("t1", 0.9),
        memory("m1", 0.6, source("t1")),
        memory("m2", 0.5, source("t1")),
    ]
    folded = fold(items)
    assert [(item.record.id, item.score) for item in folded] == [("m1", 0.9), ("m2", 0.5)]


def test_nothing_is_nothing() -> None:
    assert fold([]) == []
    assert mark_outdated([], {("s1", "t1"): "m1"}, MemoryPolicy()) == []


def test_folding_twice_changes_nothing_more() -> None:
    items: list[Any] = [turn("t1", 0.9), turn("t2", 0.7, "coffee"), memory("m1", 0.4, source("t1"))]
    assert fold(fold(items)) == fold(items)


def test_order_is_by_score() -> None:
    items = [turn(f"t{i}", i / 10, f"word{i}") for i in (3, 1, 2)]
    assert order(fold(items)) == ["e-t3", "e-t2", "e-t1"]
