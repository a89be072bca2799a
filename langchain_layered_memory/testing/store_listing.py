"""Behaviour of searches without a query: order, pages, limits."""

# ruff: noqa: S101
from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from langchain_layered_memory.testing.store_harness import StoreHarness
from langchain_layered_memory.testing.store_helpers import pages, put_all

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

NAMESPACE = ("listed",)
KEYS = [f"k{number:02d}" for number in range(25)]


class ListingBehaviour(StoreHarness):
    """Everything can be walked through, page by page."""

    group: ClassVar[str] = "Listing"

    @pytest.fixture
    def filled(self, store: BaseStore) -> BaseStore:
        """Give a store with items that were all written at the same moment."""
        put_all(store, NAMESPACE, {key: {"n": number} for number, key in enumerate(KEYS)})
        return store

    @pytest.mark.parametrize("size", [1, 4, 25, 40])
    def test_pages_are_disjoint_and_complete(self, filled: BaseStore, size: int) -> None:
        """Otherwise an export shows some memories twice and loses others."""
        found = pages(
            lambda offset: filled.search(NAMESPACE, limit=size, offset=offset), size, len(KEYS)
        )
        assert sorted(found) == KEYS

    def test_same_search_gives_the_same_order(self, filled: BaseStore) -> None:
        """Otherwise results jump about while a person looks at them."""
        first, second = (
            [item.key for item in filled.search(NAMESPACE, limit=50)] for _ in range(2)
        )
        assert first == second

    def test_newest_change_comes_first(self, store: BaseStore) -> None:
        """Otherwise the ten items of a default search are the ten oldest."""
        for key in ("a", "b", "c", "a"):
            store.put(NAMESPACE, key, {"v": 1})
            self.advance(store, 1.1)
        assert [item.key for item in store.search(NAMESPACE)] == ["a", "c", "b"]

    def test_limit_is_ten_unless_given(self, filled: BaseStore) -> None:
        """Otherwise a prompt built from a plain search grows without bound."""
        assert len(filled.search(NAMESPACE)) == 10
        assert len(filled.search(NAMESPACE, limit=1_000_000)) == len(KEYS)

    def test_limit_zero_is_empty(self, filled: BaseStore) -> None:
        """Otherwise "none at all" turns into "all"."""
        assert filled.search(NAMESPACE, limit=0) == []

    def test_offset_beyond_the_end_is_empty(self, filled: BaseStore) -> None:
        """Otherwise a loop over pages never ends."""
        assert filled.search(NAMESPACE, offset=1000) == []

    def test_results_of_a_listing_have_no_score(self, filled: BaseStore) -> None:
        """Otherwise a made-up score passes for relevance."""
        assert {item.score for item in filled.search(NAMESPACE)} == {None}
