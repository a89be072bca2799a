"""Exact vector search: order, ties and pages, and copies that follow every write."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory.backends.sqlite import SqliteBackend
from langchain_layered_memory.backends.sqlite.vectors import Range, Scored, ranked, score
from langchain_layered_memory.filters import EVERYTHING
from langchain_layered_memory.item_requests import (
    ItemBatch,
    ItemPut,
    ItemRow,
    ItemSearch,
    ItemVector,
    Namespace,
)
from langchain_layered_memory.requests import Vectors

NOW = datetime(2026, 3, 2, tzinfo=UTC)
DIMS = 4
MODEL = "model/4"
ROW_BYTES = DIMS * 4 + 8 + 8 + 4
NAMESPACES: list[Namespace] = [("a",), ("a", "b"), ("ab",), ("b",), ("a", "b", "c")]


def scored(*pairs: tuple[int, float]) -> Scored:
    owners, scores = zip(*pairs, strict=True) if pairs else ((), ())
    return Scored(np.array(owners, np.int64), np.array(scores, np.float32))


def unit(*numbers: float) -> Vectors:
    vector = np.array(numbers, np.float32)
    found: Vectors = (vector / np.linalg.norm(vector)).astype(np.float32)
    return found


# ------------------------------------------------------------------ order


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ((), []),
        (((7, 0.5),), [7]),
        (((1, 0.1), (2, 0.9), (3, 0.5)), [2, 3, 1]),
        (((3, 0.5), (1, 0.5), (2, 0.5)), [1, 2, 3]),
        (((1, -0.5), (2, 0.0), (3, -1.0)), [2, 1, 3]),
        (((1, 0.1), (2, 0.5), (1, 0.9)), [1, 2]),
        (((2, 0.5), (1, 0.5), (2, 0.5)), [1, 2]),
    ],
)
def test_best_first_once_each_and_ties_to_the_older(
    pairs: tuple[tuple[int, float], ...], expected: list[int]
) -> None:
    assert [owner for owner, _ in ranked(scored(*pairs), 10)] == expected


def test_owner_has_the_score_of_its_best_vector() -> None:
    found = dict(ranked(scored((1, 0.25), (1, 0.75), (2, 0.5), (1, -1.0)), 1))
    assert found == {1: 0.75, 2: 0.5}


SCORES = st.lists(
    st.tuples(st.integers(1, 30), st.integers(-4, 4).map(lambda n: n / 4)), max_size=200
)


@given(SCORES, st.integers(0, 50))
def test_pages_are_the_same_however_many_are_asked_for(
    pairs: list[tuple[int, float]], at_least: int
) -> None:
    best: dict[int, float] = {}
    for owner, value in pairs:
        best[owner] = max(value, best.get(owner, -9.0))
    expected = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))
    assert list(ranked(scored(*pairs), at_least)) == expected
    assert list(islice(ranked(scored(*pairs), at_least), 3)) == expected[:3]


def test_equal_vectors_tie_wherever_they_stand_in_the_matrix() -> None:
    rng = np.random.default_rng(1)
    query = unit(*rng.normal(size=384))
    same = unit(*rng.normal(size=384))
    for rows in (1, 2, 3, 7, 64, 1000):
        assert len(set(score(np.tile(same, (rows, 1)), query).tolist())) == 1


@pytest.mark.parametrize(
    ("label", "below"),
    [(b"a", True), (b"a\0b", True), (b"a\0", True), (b"ab", False), (b"a\1", False), (b"", False)],
)
def test_label_lies_below_a_range(label: bytes, below: bool) -> None:
    assert Range(b"a", b"a\0", b"a\1").holds(label) is below


# ------------------------------------------------------------------ copies


class Model:
    """What is stored, kept plainly beside one file that two backends write."""

    def __init__(self, url: str, *cache_bytes: int) -> None:
        self.handles = [SqliteBackend(url, cache_bytes=each) for each in cache_bytes]
        self.items: dict[tuple[Namespace, str], list[Vectors]] = {}

    def close(self) -> None:
        for each in self.handles:
            each.close()

    def write(self, handle: int, puts: dict[tuple[Namespace, str], list[Vectors] | None]) -> None:
        writes = tuple(
            ItemPut(
                namespace,
                key,
                None if vectors is None else "{}",
                vectors=tuple(ItemVector(f"f.{i}", each) for i, each in enumerate(vectors or ())),
            )
            for (namespace, key), vectors in puts.items()
        )
        self.handles[handle].execute(ItemBatch((), writes, NOW, MODEL))
        for place, vectors in puts.items():
            self.items.pop(place, None)
            if vectors is not None:
                self.items[place] = vectors

    def found(
        self, handle: int, prefix: Namespace, query: Vectors, limit: int = 999, offset: int = 0
    ) -> list[ItemRow]:
        search = ItemSearch(prefix, EVERYTHING, limit, offset, False, vector=query)
        (rows,) = self.handles[handle].execute(ItemBatch((search,), (), NOW, MODEL))
        return list(rows)

    def agrees(self, handle: int, prefix: Namespace, query: Vectors) -> None:
        """A search finds what brute force finds, best first, each with its best vector's score."""
        expected = {
            place: max(float(each @ query) for each in vectors)
            for place, vectors in self.items.items()
            if place[0][: len(prefix)] == prefix and vectors
        }
        rows = [row for row in self.found(handle, prefix, query) if row.score is not None]
        assert {(row.namespace, row.key): row.score for row in rows} == pytest.approx(
            expected, abs=2e-6
        )
        assert len(rows) == len(expected)
        order = [row.score or 0.0 for row in rows]
        assert order == sorted(order, reverse=True)
        page = self.found(handle, prefix, query, limit=3, offset=2)
        assert [row.key for row in page if row.score is not None] == [r.key for r in rows[2:5]]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'vectors.db'}"


@pytest.fixture(
    params=[(10**8, 10**8), (0, 0), (10**8, 0), (20 * ROW_BYTES, 35 * ROW_BYTES)],
    ids=["kept", "from the file", "one of each", "about the limit"],
)
def model(request: pytest.FixtureRequest, url: str) -> Iterator[Model]:
    made = Model(url, *request.param)
    yield made
    made.close()


@pytest.mark.parametrize("seed", range(3))
def test_two_handles_find_what_brute_force_finds_after_any_writes(model: Model, seed: int) -> None:
    rnd = random.Random(seed)

    def vector() -> Vectors:
        return unit(*(rnd.choice([-1.0, -0.5, 0.25, 0.5, 1.0]) for _ in range(DIMS)))

    for step in range(90):
        keep = 0.8 if step % 30 < 20 else 0.15  # grow, then shrink until the copy moves together
        puts: dict[tuple[Namespace, str], list[Vectors] | None] = {}
        for _ in range(rnd.randint(1, 6)):
            place = (rnd.choice(NAMESPACES), str(rnd.randrange(12)))
            some = [vector() for _ in range(rnd.choice([0, 1, 1, 1, 2]))]
            puts[place] = some if rnd.random() < keep else None
        model.write(rnd.randrange(2), puts)
        if rnd.random() < 0.5:
            model.agrees(rnd.randrange(2), rnd.choice([(), *NAMESPACES, ("zz",)]), vector())
    for handle in (0, 1):
        for prefix in ((), *NAMESPACES):
            model.agrees(handle, prefix, vector())


def test_everything_deleted_and_written_anew_is_found(model: Model) -> None:
    query = unit(1, 1, 0, 0)
    for round_ in range(3):
        places = [(("a",), str(number)) for number in range(50)]
        model.write(0, {place: [unit(1, round_, 0, 1)] for place in places})
        model.agrees(1, (), query)
        model.write(1, dict.fromkeys(places))
        model.agrees(0, (), query)
        assert model.found(0, (), query) == []


def test_ties_stand_in_the_order_of_their_arrival(model: Model) -> None:
    keys = [str(number) for number in range(30)]
    random.Random(5).shuffle(keys)
    for key in keys:
        model.write(0, {(("a",), key): [unit(1, 2, 3, 4)]})
    for handle in (0, 1):
        assert [row.key for row in model.found(handle, (), unit(1, 0, 0, 0))] == keys


def test_the_same_numbers_come_from_a_copy_and_from_the_file(url: str) -> None:
    both = Model(url, 10**8, 0)
    rng = np.random.default_rng(7)
    places = [(NAMESPACES[number % 5], str(number)) for number in range(300)]
    both.write(0, {place: [unit(*rng.normal(size=DIMS))] for place in places})
    both.write(0, dict.fromkeys(places[::3]))
    for prefix in ((), ("a",), ("b",)):
        query = unit(*rng.normal(size=DIMS))
        assert both.found(0, prefix, query) == both.found(1, prefix, query)
    both.close()


def test_handle_that_slept_through_many_deletions_is_right_again(url: str) -> None:
    two = Model(url, 10**8, 10**8)
    query = unit(1, 1, 1, 1)
    places = [(("a",), str(number)) for number in range(40)]
    two.write(0, {place: [unit(1, 2, 3, 4)] for place in places})
    two.agrees(1, (), query)
    for _ in range(30):
        two.write(0, dict.fromkeys(places))
        two.write(0, {place: [unit(4, 3, 2, 1)] for place in places})
    two.agrees(1, (), query)
    two.agrees(0, (), query)
    two.close()
