"""Meaning first; what freshness and importance add never turns the order of meaning."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import exp
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory.errors import PolicyError
from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.recall.candidates import Candidate, Found
from langchain_layered_memory.recall.rank import Scored, by_meaning, parts_of, recency, total
from langchain_layered_memory.records import Episode, Memory, Scope

ANN = Scope("ann", session_id="s1")
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
DEFAULT = MemoryPolicy()
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def candidate(
    name: str, text: float = 0.0, similarity: float = 0.0, position: int = -1, session: str = "s1"
) -> Candidate:
    layer: Any = "memories" if position < 0 else "episodes"
    return Candidate(layer, name, session if position >= 0 else "", position, text, similarity)


def meanings(
    *candidates: Candidate, vectors: bool = True, policy: MemoryPolicy = DEFAULT
) -> dict[str, float]:
    """Return what each candidate means to the question, best first."""
    scored = by_meaning(Found(candidates, vectors), policy)
    return {each.candidate.record_id: pytest.approx(each.meaning) for each in scored}


def episode(said_at: datetime = NOW) -> Episode:
    return Episode("e1", ANN, "m1", "user", "user", "I like tea.", said_at, said_at)


def memory(valid_from: datetime = NOW, importance: int = 3, kind: Any = "fact") -> Memory:
    return Memory(
        id="m1",
        scope=ANN,
        kind=kind,
        content="The user likes tea",
        subject="user",
        attribute="a",
        value="tea",
        slot="a",
        importance=importance,
        confidence=0.9,
        valid_from=valid_from,
        created_at=valid_from,
        updated_at=valid_from,
    )


# ------------------------------------------------------------ meaning


def test_meaning_is_the_weighted_sum_of_both_arms() -> None:
    assert meanings(candidate("a", 0.5, 0.4)) == {"a": 0.7 * 0.5 + 0.3 * 0.4}


def test_policy_weighs_the_arms() -> None:
    policy = MemoryPolicy(text_weight=0.1)
    assert meanings(candidate("a", 0.5, 0.4), policy=policy) == {"a": 0.1 * 0.5 + 0.9 * 0.4}


def test_without_vectors_words_are_all() -> None:
    assert meanings(candidate("a", 0.5), vectors=False) == {"a": 0.5}


def test_opposite_vectors_do_not_lessen_what_words_say() -> None:
    assert meanings(candidate("a", 0.5, -0.9)) == {"a": 0.35}


def test_best_is_first_and_ties_have_an_order() -> None:
    given = [candidate("c", 0.5), candidate("b", 0.5), candidate("a", 0.2), candidate("d", 0.9)]
    assert list(meanings(*given)) == list(meanings(*reversed(given))) == ["d", "b", "c", "a"]


@pytest.mark.parametrize(
    ("text", "similarity", "related"),
    [
        (0.05, 0.0, True),
        (0.049, 0.0, False),
        (0.0, 0.30, True),
        (0.0, 0.299, False),
        (0.049, 0.299, False),
        (0.9, -0.5, True),
        (0.0, 0.9, True),
    ],
)
def test_what_both_arms_find_by_chance_is_left_out(
    text: float, similarity: float, related: bool
) -> None:
    assert bool(meanings(candidate("a", text, similarity))) is related


def test_thresholds_are_the_policys() -> None:
    policy = MemoryPolicy(min_text=0.5, min_similarity=0.8)
    given = [candidate("a", 0.49, 0.79), candidate("b", 0.5), candidate("c", 0.0, 0.8)]
    assert set(meanings(*given, policy=policy)) == {"b", "c"}


def test_nothing_found_is_nothing() -> None:
    assert meanings() == {}


# ------------------------------------------------------------ neighbours


def test_turn_is_lent_a_share_of_its_better_neighbour() -> None:
    given = [candidate("a", 0.8, position=3), candidate("b", 0.1, position=4)]
    given.append(candidate("c", 0.5, position=5))
    assert meanings(*given, vectors=False) == {
        "a": 0.8 + 0.3 * 0.1,
        "c": 0.5 + 0.3 * 0.1,
        "b": 0.1 + 0.3 * 0.8,
    }


@pytest.mark.parametrize(
    "other",
    [
        candidate("b", 0.5, position=5),
        candidate("b", 0.5, position=4, session="s2"),
        candidate("b", 0.5),
        candidate("b", 0.01, position=4),
    ],
    ids=["two turns away", "another session", "a memory", "unrelated"],
)
def test_nothing_is_lent_by_what_is_no_neighbour(other: Candidate) -> None:
    assert meanings(candidate("a", 0.8, position=3), other, vectors=False)["a"] == 0.8


def test_memories_lend_each_other_nothing() -> None:
    assert meanings(candidate("a", 0.8), candidate("b", 0.5), vectors=False) == {"a": 0.8, "b": 0.5}


def test_nothing_is_lent_if_the_policy_says_so() -> None:
    given = [candidate("a", 0.8, position=3), candidate("b", 0.1, position=4)]
    policy = MemoryPolicy(neighbour_weight=0.0)
    assert meanings(*given, vectors=False, policy=policy) == {"a": 0.8, "b": 0.1}


# ------------------------------------------------------------ recency


@pytest.mark.parametrize(
    ("age", "half_life", "fresh"),
    [
        (timedelta(0), 180.0, 1.0),
        (180 * DAY, 180.0, exp(-1)),
        (90 * DAY, 180.0, exp(-0.5)),
        (12 * HOUR, 1.0, exp(-0.5)),
        (3650 * DAY, 90.0, exp(-3650 / 90)),
        (-DAY, 90.0, 1.0),
    ],
)
def test_freshness_fades_exponentially(age: timedelta, half_life: float, fresh: float) -> None:
    assert recency(NOW - age, NOW, half_life, DEFAULT) == pytest.approx(fresh)


@pytest.mark.parametrize(
    ("age", "fresh"),
    [
        (timedelta(0), 1.0),
        (HOUR / 2, 1.0),
        (HOUR, 1.0),
        (2 * HOUR, 1 / 2),
        (8 * HOUR, 1 / 4),
        (1024 * HOUR, 1 / 11),
        (-DAY, 1.0),
    ],
)
def test_freshness_may_fade_by_the_hour(age: timedelta, fresh: float) -> None:
    policy = MemoryPolicy(decay="logarithmic")
    assert recency(NOW - age, NOW, 1.0, policy) == pytest.approx(fresh)


@given(
    st.sampled_from(["exponential", "logarithmic"]),
    st.timedeltas(timedelta(days=-9999), timedelta(days=9999)),
    st.timedeltas(timedelta(0), timedelta(days=9999)),
)
def test_older_is_never_fresher(decay: Any, age: timedelta, older: timedelta) -> None:
    policy = MemoryPolicy(decay=decay)
    fresh = recency(NOW - age, NOW, 30.0, policy)
    assert 1.0 >= fresh >= recency(NOW - age - older, NOW, 30.0, policy) >= 0.0


def test_policy_refuses_a_half_life_of_nothing() -> None:
    with pytest.raises(PolicyError):
        MemoryPolicy(half_life_days={"fact": 0.0})


# ------------------------------------------------------------ score


def parts(record: Episode | Memory, **policy: Any) -> dict[str, float]:
    scored = Scored(candidate("a"), 0.5, 0.6, 0.4)
    return parts_of(scored, record, NOW, MemoryPolicy(**policy))


@pytest.mark.parametrize(("importance", "adds"), [(1, 0.0), (2, 0.005), (3, 0.01), (5, 0.02)])
def test_importance_adds_its_share(importance: int, adds: float) -> None:
    assert parts(memory(importance=importance))["importance"] == pytest.approx(adds)


@pytest.mark.parametrize(
    ("record", "half_life"),
    [
        (memory(NOW - 90 * DAY, kind="event"), 90),
        (memory(NOW - 90 * DAY, kind="identity"), 3650),
        (memory(NOW - 90 * DAY, kind="commitment"), 30),
        (episode(NOW - 90 * DAY), 180),
    ],
)
def test_each_kind_fades_at_its_own_pace(record: Episode | Memory, half_life: float) -> None:
    assert parts(record)["recency"] == pytest.approx(0.02 * exp(-90 / half_life))


def test_turn_has_no_importance() -> None:
    assert parts(episode())["importance"] == 0.0


def test_score_is_the_sum_of_meaning_recency_and_importance() -> None:
    found = parts(memory(importance=5))
    assert found == pytest.approx(
        {"meaning": 0.5, "recency": 0.02, "importance": 0.02, "text": 0.6, "similarity": 0.4}
    )
    assert total(found) == pytest.approx(0.54)


@given(
    st.floats(0, 1),
    st.floats(0.041, 1),
    st.timedeltas(timedelta(0), timedelta(days=5000)),
    st.sampled_from(["exponential", "logarithmic"]),
)
def test_freshness_and_importance_never_beat_meaning(
    less: float, by: float, age: timedelta, decay: Any
) -> None:
    policy = MemoryPolicy(decay=decay)
    fresh, old = memory(NOW, importance=5), memory(NOW - age, importance=1)
    better = total(parts_of(Scored(candidate("a"), less + by, 0, 0), old, NOW, policy))
    worse = total(parts_of(Scored(candidate("b"), less, 0, 0), fresh, NOW, policy))
    assert better > worse


def test_of_two_that_mean_the_same_the_fresh_and_important_one_is_first() -> None:
    assert total(parts(memory(NOW))) > total(parts(memory(NOW - 30 * DAY)))
    assert total(parts(memory(importance=4))) > total(parts(memory(importance=2)))
