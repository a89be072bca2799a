"""Behaviour of queries: the nearest come first, once each, and within their bounds."""

# ruff: noqa: S101
from __future__ import annotations

import random
from typing import TYPE_CHECKING, ClassVar

import pytest

from langchain_layered_memory.testing.embeddings import HashEmbeddings
from langchain_layered_memory.testing.store_harness import StoreHarness, VectorStoreFactory
from langchain_layered_memory.testing.store_helpers import keys, pages, put_all
from langchain_layered_memory.testing.store_vectors import NAMESPACE, ranked, scores

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore, SearchItem

WORDS = [f"word{number}" for number in range(40)]


def _random_texts(count: int) -> dict[str, str]:
    choose = random.Random(7)  # noqa: S311 (the same texts each time)
    return {
        f"k{number:03d}": " ".join([*choose.choices(WORDS, k=choose.randint(1, 8)), f"own{number}"])
        for number in range(count)
    }


def _exact_cosines(texts: dict[str, str], query: str) -> dict[str, float]:
    embed = HashEmbeddings()
    wanted = embed.vector(query)
    return {
        key: sum(a * b for a, b in zip(embed.vector(text), wanted, strict=True))
        for key, text in texts.items()
    }


class RankingBehaviour(StoreHarness):
    """A query brings the nearest."""

    group: ClassVar[str] = "Ranking"

    def test_nearest_comes_first_with_cosine_scores(self, vector_store: BaseStore) -> None:
        """Otherwise the prompt is filled with what matters least."""
        texts = {"a": "apple pie", "b": "apple tree garden", "c": "rocket engine"}
        put_all(vector_store, NAMESPACE, {key: {"text": text} for key, text in texts.items()})
        items = vector_store.search(NAMESPACE, query="apple pie")
        found = [item.score for item in items if item.score is not None]
        assert [item.key for item in items][:2] == ["a", "b"]
        assert found == sorted(found, reverse=True)
        assert found[0] == pytest.approx(1.0, abs=1e-3)
        assert all(-1.001 <= score <= 1.001 for score in found)

    @pytest.mark.parametrize("query", ["word1 word2 word3", "word39", "word5 word5 word6"])
    def test_ranking_equals_an_exact_comparison(self, vector_store: BaseStore, query: str) -> None:
        """Otherwise near neighbours are missed, and nobody notices."""
        texts = _random_texts(200)
        put_all(vector_store, NAMESPACE, {key: {"text": text} for key, text in texts.items()})
        exact = _exact_cosines(texts, query)
        items = vector_store.search(NAMESPACE, query=query, limit=50)
        assert [item.score for item in items] == pytest.approx(
            sorted(exact.values(), reverse=True)[:50], abs=1e-4
        )
        assert [item.score for item in items] == pytest.approx(
            [exact[item.key] for item in items], abs=1e-4
        )

    def test_item_outside_the_index_never_outranks(self, vector_store: BaseStore) -> None:
        """Otherwise what was kept out of the index pushes real matches aside."""
        vector_store.put(NAMESPACE, "plain", {"text": "apple pie"}, index=False)
        vector_store.put(NAMESPACE, "no-text", {"other": "apple pie"})
        vector_store.put(NAMESPACE, "hit", {"text": "apple cake"})
        items = vector_store.search(NAMESPACE, query="apple pie")
        assert items[0].key == "hit"
        assert items[0].score is not None
        assert all(item.score is None for item in items[1:])
        assert ranked(vector_store, "apple pie", limit=1) == ["hit"]

    def test_items_without_a_score_follow_where_there_is_room(
        self, vector_store: BaseStore
    ) -> None:
        """Otherwise items outside the index vanish as soon as somebody gives a query."""
        vector_store.put(NAMESPACE, "plain", {"text": "apple pie"}, index=False)
        vector_store.put(NAMESPACE, "hit", {"text": "apple cake"})
        items = vector_store.search(NAMESPACE, query="apple", limit=5)
        assert [(item.key, item.score is None) for item in items] == [
            ("hit", False),
            ("plain", True),
        ]

    def test_item_with_many_parts_appears_once_with_its_best(
        self, open_vector_store: VectorStoreFactory
    ) -> None:
        """Otherwise one long document fills the whole result."""
        store = open_vector_store("parts[*]")
        store.put(NAMESPACE, "many", {"parts": ["zebra", "zebra xylophone", "zebra garden"]})
        store.put(NAMESPACE, "one", {"parts": ["zebra crossing"]})
        assert ranked(store, "zebra xylophone") == ["many", "one"]
        assert scores(store, "zebra xylophone")["many"] > 0.99

    def test_limit_counts_items_and_not_parts(self, open_vector_store: VectorStoreFactory) -> None:
        """Otherwise one long document crowds out all others."""
        store = open_vector_store("parts[*]")
        store.put(NAMESPACE, "fat", {"parts": [f"zebra xylophone {n}" for n in range(20)]})
        store.put(NAMESPACE, "b", {"parts": ["zebra crossing"]})
        store.put(NAMESPACE, "c", {"parts": ["zebra stripes pattern"]})
        assert sorted(ranked(store, "zebra xylophone", limit=3)) == ["b", "c", "fat"]

    @pytest.mark.parametrize("size", [4, 5, 30])
    def test_pages_of_a_query_are_disjoint_and_complete(
        self, vector_store: BaseStore, size: int
    ) -> None:
        """Otherwise a walk through the results shows some twice and others never."""
        texts = {f"k{number:02d}": f"zebra {'x ' * number}word" for number in range(30)}
        put_all(vector_store, NAMESPACE, {key: {"text": text} for key, text in texts.items()})
        assert sorted(self._walk(vector_store, size, 30)) == sorted(texts)

    @pytest.mark.parametrize("size", [1, 3, 4])
    def test_pages_go_on_past_the_last_score(self, vector_store: BaseStore, size: int) -> None:
        """Otherwise items without a score come twice or never, at the border of two pages."""
        for number in range(5):
            vector_store.put(NAMESPACE, f"scored{number}", {"text": f"zebra word{number}"})
            vector_store.put(NAMESPACE, f"plain{number}", {"text": "zebra"}, index=False)
        found = self._walk(vector_store, size, 10)
        assert [key.rstrip("01234") for key in found] == ["scored"] * 5 + ["plain"] * 5
        assert len(set(found)) == 10

    @staticmethod
    def _walk(store: BaseStore, size: int, total: int) -> list[str]:
        def page(offset: int) -> list[SearchItem]:
            return store.search(NAMESPACE, query="zebra", limit=size, offset=offset)

        return pages(page, size, total)

    def test_filter_applies_before_the_nearest_are_cut(self, vector_store: BaseStore) -> None:
        """Otherwise a rare match is lost among many nearer ones of other people."""
        rows = {f"k{n:03d}": {"text": f"zebra word{n}", "own": False} for n in range(200)}
        put_all(vector_store, NAMESPACE, rows)
        vector_store.put(NAMESPACE, "mine", {"text": "another topic", "own": True})
        assert ranked(vector_store, "zebra", filter={"own": True}, limit=5) == ["mine"]

    def test_query_stays_in_its_namespace(self, vector_store: BaseStore) -> None:
        """Otherwise a question of one user is answered from another's memories."""
        texts = {
            ("user", "1"): "garden",
            ("user", "10"): "zebra",
            ("users", "1"): "zebra",
            ("User", "1"): "zebra",
            ("user", "1", "deep"): "rocket",
        }
        for number, (namespace, text) in enumerate(texts.items()):
            vector_store.put(namespace, f"k{number}", {"text": text})
        assert keys(vector_store.search(("user", "1"), query="zebra")) == ["k0", "k4"]

    def test_query_that_matches_nothing_well_still_answers(self, vector_store: BaseStore) -> None:
        """Otherwise a question in other words than the memory brings an error or nothing."""
        vector_store.put(NAMESPACE, "k", {"text": "garden hose"})
        for query in ("quasar", "?!", "記憶"):
            assert ranked(vector_store, query) == ["k"]

    def test_query_on_an_empty_store_finds_nothing(self, vector_store: BaseStore) -> None:
        """Otherwise the first question of a new user fails."""
        assert vector_store.search(NAMESPACE, query="apple") == []
        assert vector_store.search((), query="apple", filter={"n": 1}) == []

    def test_limit_zero_of_a_query_is_empty(self, vector_store: BaseStore) -> None:
        """Otherwise "none at all" turns into "all"."""
        vector_store.put(NAMESPACE, "k", {"text": "apple"})
        assert ranked(vector_store, "apple", limit=0) == []

    def test_query_without_an_index_lists_as_if_there_were_none(self, store: BaseStore) -> None:
        """Otherwise code written for a store with an index fails on one without."""
        put_all(store, NAMESPACE, {f"k{number}": {"text": "apple"} for number in range(5)})
        assert ranked(store, "apple") == [item.key for item in store.search(NAMESPACE)]
        assert {item.score for item in store.search(NAMESPACE, query="apple")} == {None}
