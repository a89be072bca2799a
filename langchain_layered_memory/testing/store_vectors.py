"""Behaviour of the index: what is embedded, when, and that nothing stale stays behind."""

# ruff: noqa: S101
from __future__ import annotations

from typing import Any, ClassVar

import pytest
from langgraph.store.base import BaseStore, PutOp

from langchain_layered_memory.testing.embeddings import HashEmbeddings
from langchain_layered_memory.testing.store_harness import StoreHarness, VectorStoreFactory
from langchain_layered_memory.testing.store_helpers import (
    error_of,
    keys,
    put_all,
    still_works,
    value_at,
)

NAMESPACE = ("vectors",)

ODD_FIELDS: list[Any] = [
    None,
    "",
    "  ",
    "?!",
    5,
    1.5,
    True,
    [],
    {},
    ["a", None, ""],
    {"n": {"m": 1}},
]


class _FailingEmbeddings(HashEmbeddings):
    """Fails whenever a text has the word "poison" in it."""

    def vector(self, text: str) -> list[float]:
        if "poison" in text:
            raise RuntimeError("the embedding service is down")
        return super().vector(text)


def ranked(store: BaseStore, query: str, **options: Any) -> list[str]:
    """Return the keys that answer a query, best first."""
    return [item.key for item in store.search(NAMESPACE, query=query, **options)]


def scores(store: BaseStore, query: str) -> dict[str, float]:
    """Return the score of every item; 0 for those without one."""
    found = store.search(NAMESPACE, query=query, limit=100)
    return {item.key: item.score or 0.0 for item in found}


class IndexBehaviour(StoreHarness):
    """The index holds what the items hold."""

    group: ClassVar[str] = "Index"

    def test_deleted_item_leaves_no_vector(self, vector_store: BaseStore) -> None:
        """Otherwise what was forgotten is still found by its meaning."""
        vector_store.put(NAMESPACE, "k", {"text": "zebra xylophone"})
        vector_store.put(NAMESPACE, "live", {"text": "zebra crossing"})
        vector_store.delete(NAMESPACE, "k")
        assert ranked(vector_store, "zebra xylophone") == ["live"]
        vector_store.put(NAMESPACE, "k", {"text": "tax form"}, index=False)
        assert ranked(vector_store, "zebra xylophone")[0] == "live"
        assert scores(vector_store, "zebra xylophone").get("k", 0.0) == 0.0

    def test_overwritten_item_is_found_by_its_new_text_only(self, vector_store: BaseStore) -> None:
        """Otherwise a corrected fact is still recalled by its error."""
        vector_store.put(NAMESPACE, "k", {"text": "zebra xylophone"})
        vector_store.put(NAMESPACE, "k", {"text": "garden hose"})
        assert scores(vector_store, "zebra xylophone").get("k", 0.0) < 0.2
        assert scores(vector_store, "garden hose")["k"] > 0.99

    def test_overwriting_without_index_drops_the_old_vector(self, vector_store: BaseStore) -> None:
        """Otherwise an item taken out of the index is still found by its old text."""
        vector_store.put(NAMESPACE, "k", {"text": "zebra xylophone"})
        vector_store.put(NAMESPACE, "k", {"text": "zebra xylophone"}, index=False)
        assert scores(vector_store, "zebra xylophone").get("k", 0.0) == 0.0

    def test_shrunk_list_leaves_no_vector(self, open_vector_store: VectorStoreFactory) -> None:
        """Otherwise an element that was removed still answers."""
        store = open_vector_store("parts[*]")
        store.put(NAMESPACE, "k", {"parts": ["zebra xylophone", "garden hose"]})
        store.put(NAMESPACE, "k", {"parts": ["garden hose"]})
        store.put(NAMESPACE, "live", {"parts": ["zebra crossing"]})
        assert ranked(store, "zebra xylophone")[0] == "live"
        assert scores(store, "zebra xylophone").get("k", 0.0) < 0.2

    def test_only_configured_fields_are_embedded(self, vector_store: BaseStore) -> None:
        """Otherwise ids and metadata drown the meaning of the text."""
        vector_store.put(NAMESPACE, "k", {"text": "garden hose", "noise": "zebra quasar " * 5})
        assert scores(vector_store, "garden hose")["k"] > 0.99
        assert scores(vector_store, "zebra quasar").get("k", 0.0) < 0.1

    def test_whole_value_is_embedded_where_no_field_is_configured(
        self, open_vector_store: VectorStoreFactory
    ) -> None:
        """Otherwise a store with LangGraph's default index finds nothing."""
        store = open_vector_store()
        store.put(NAMESPACE, "a", {"title": "zebra", "deep": {"note": "xylophone"}})
        store.put(NAMESPACE, "b", {"title": "garden", "deep": {"note": "hose"}})
        assert ranked(store, "xylophone")[0] == "a"
        assert ranked(store, "garden")[0] == "b"

    def test_index_argument_overrides_the_configured_fields(self, vector_store: BaseStore) -> None:
        """Otherwise one item cannot be indexed by another field than the rest."""
        value = {"text": "garden hose", "title": "zebra xylophone"}
        vector_store.put(NAMESPACE, "t", value, index=["title"])
        vector_store.put(NAMESPACE, "plain", {"text": "rocket engine"})
        assert scores(vector_store, "zebra xylophone")["t"] > 0.99
        assert scores(vector_store, "garden hose").get("t", 0.0) < 0.2

    def test_nested_path_reaches_its_text(self, vector_store: BaseStore) -> None:
        """Otherwise texts below the top level cannot be found by meaning."""
        value = {"text": "tax form", "meta": {"note": "quasar nebula"}}
        vector_store.put(NAMESPACE, "deep", value, index=["meta.note"])
        vector_store.put(NAMESPACE, "plain", {"text": "rocket engine"})
        assert ranked(vector_store, "quasar nebula")[0] == "deep"

    def test_position_in_a_list_reaches_its_element(self, vector_store: BaseStore) -> None:
        """Otherwise the newest entry of a log cannot be indexed alone."""
        value = {"log": ["zebra", "garden", "quasar"]}
        vector_store.put(NAMESPACE, "k", value, index=["log[0]", "log[-1]"])
        assert [scores(vector_store, word)["k"] > 0.99 for word in value["log"]] == [
            True,
            False,
            True,
        ]

    def test_every_element_of_a_list_can_match(self, open_vector_store: VectorStoreFactory) -> None:
        """Otherwise only the first message of a conversation is found."""
        store = open_vector_store("items[*].text")
        parts = ["garden hose", "zebra xylophone", "zebra"]
        value = {"items": [*({"text": part} for part in parts), {"other": 1}]}
        store.put(NAMESPACE, "many", value)
        store.put(NAMESPACE, "one", {"items": [{"text": "zebra crossing"}]})
        store.put(NAMESPACE, "empty", {"items": []})
        assert ranked(store, "zebra xylophone")[:2] == ["many", "one"]
        for part in parts:
            assert scores(store, part)["many"] > 0.99

    @pytest.mark.parametrize("value", ODD_FIELDS, ids=repr)
    def test_odd_value_in_an_indexed_field_is_stored(
        self, vector_store: BaseStore, value: Any
    ) -> None:
        """Otherwise one item without proper text cannot be saved, or breaks every search."""
        vector_store.put(NAMESPACE, "odd", {"text": value})
        vector_store.put(NAMESPACE, "apple", {"text": "apple"})
        assert value_at(vector_store, NAMESPACE, "odd") == {"text": value}
        assert ranked(vector_store, "apple")[0] == "apple"

    def test_equal_texts_under_two_keys_are_two_results(self, vector_store: BaseStore) -> None:
        """Otherwise a note that repeats another is lost."""
        put_all(vector_store, NAMESPACE, {"a": {"text": "apple"}, "b": {"text": "apple"}})
        vector_store.put(NAMESPACE, "c", {"text": "apple"})
        assert sorted(ranked(vector_store, "apple", limit=3)) == ["a", "b", "c"]
        assert all(score > 0.99 for score in scores(vector_store, "apple").values())

    def test_last_write_in_a_batch_gives_the_vector(self, vector_store: BaseStore) -> None:
        """Otherwise value and vector of one item tell two stories."""
        texts = ["zebra", "garden"]
        vector_store.batch([PutOp(NAMESPACE, "k", {"text": text}) for text in texts])
        assert scores(vector_store, "garden")["k"] > 0.99
        assert scores(vector_store, "zebra").get("k", 0.0) < 0.2

    def test_questions_and_documents_are_embedded_as_such(
        self, open_vector_store: VectorStoreFactory
    ) -> None:
        """Otherwise models that embed questions in another way rank badly."""
        embed = HashEmbeddings()
        store = open_vector_store("text", embed=embed)
        store.put(NAMESPACE, "k", {"text": "apple"})
        assert (embed.document_calls > 0, embed.query_calls) == (True, 0)
        documents = embed.document_calls
        store.search(NAMESPACE, query="apple")
        assert (embed.document_calls, embed.query_calls) == (documents, 1)

    def test_item_outside_the_index_is_not_embedded(
        self, open_vector_store: VectorStoreFactory
    ) -> None:
        """Otherwise text that must not leave the machine is sent to the embedding service."""
        embed = HashEmbeddings()
        store = open_vector_store("text", embed=embed)
        store.put(NAMESPACE, "k", {"text": "secret"}, index=False)
        store.search(NAMESPACE)
        assert (embed.document_calls, embed.query_calls) == (0, 0)

    def test_failing_embedder_leaves_nothing_half_written(
        self, open_vector_store: VectorStoreFactory
    ) -> None:
        """Otherwise an outage of the model leaves items that can never be found."""
        store = open_vector_store("text", embed=_FailingEmbeddings())
        store.put(NAMESPACE, "old", {"text": "apple"})
        texts = {"good": "apple pie", "old": "poison", "bad": "poison"}
        error = error_of(
            lambda: put_all(store, NAMESPACE, {key: {"text": text} for key, text in texts.items()})
        )
        assert keys(store.search(NAMESPACE)) == (["old"] if error else ["bad", "good", "old"])
        assert value_at(store, NAMESPACE, "old") == {"text": "apple" if error else "poison"}
        still_works(store)

    def test_failing_query_leaves_the_store_usable(
        self, open_vector_store: VectorStoreFactory
    ) -> None:
        """Otherwise one outage of the model locks the database."""
        store = open_vector_store("text", embed=_FailingEmbeddings())
        store.put(NAMESPACE, "k", {"text": "apple"})
        error_of(lambda: store.search(NAMESPACE, query="poison"))
        assert ranked(store, "apple") == ["k"]
        still_works(store)
