"""Behaviour of batches: one answer for each operation, and all writes or none."""

# ruff: noqa: S101
from __future__ import annotations

import threading
from typing import Any, ClassVar

import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    SearchOp,
)

from langchain_layered_memory.testing.store_harness import StoreHarness
from langchain_layered_memory.testing.store_helpers import (
    error_of,
    keys,
    put_all,
    still_works,
    value_at,
)

NAMESPACE = ("batched",)

ON_ONE_KEY: dict[str, tuple[list[Any], Any]] = {
    "put-put": ([{"v": 1}, {"v": 2}], {"v": 2}),
    "put-delete": ([{"v": 1}, None], None),
    "delete-put": ([None, {"v": 2}], {"v": 2}),
    "put-delete-put": ([{"v": 1}, None, {"v": 3}], {"v": 3}),
    "put-put-delete": ([{"v": 1}, {"v": 2}, None], None),
}


def _value(result: Any) -> Any:
    return result.value if isinstance(result, Item) else result


class BatchBehaviour(StoreHarness):
    """A batch is one step."""

    group: ClassVar[str] = "Batches"

    def test_results_come_in_the_order_of_the_operations(self, store: BaseStore) -> None:
        """Otherwise an agent reads one user's answer as another's."""
        put_all(store, NAMESPACE, {"a": {"v": 1}, "b": {"v": 2}})
        results: list[Any] = store.batch(
            [
                GetOp(NAMESPACE, "b"),
                PutOp(NAMESPACE, "c", {"v": 3}),
                SearchOp(NAMESPACE, filter={"v": 1}),
                GetOp(NAMESPACE, "missing"),
                ListNamespacesOp(),
                PutOp(NAMESPACE, "d", None),
                GetOp(NAMESPACE, "a"),
                SearchOp(NAMESPACE, filter={"v": 2}),
                GetOp(NAMESPACE, "b"),
            ]
        )
        assert [_value(results[at]) for at in (0, 6, 8)] == [{"v": 2}, {"v": 1}, {"v": 2}]
        assert (keys(results[2]), keys(results[7])) == (["a"], ["b"])
        assert [results[at] for at in (1, 3, 5)] == [None] * 3
        assert [tuple(namespace) for namespace in results[4]] == [NAMESPACE]

    @pytest.mark.parametrize(("values", "expected"), ON_ONE_KEY.values(), ids=ON_ONE_KEY)
    def test_last_write_to_a_key_wins(
        self, store: BaseStore, values: list[Any], expected: Any
    ) -> None:
        """Otherwise an outdated value survives its own correction."""
        store.put(NAMESPACE, "k", {"v": 0})
        store.batch([PutOp(NAMESPACE, "k", value) for value in values])
        item = store.get(NAMESPACE, "k")
        assert (item and item.value) == expected
        assert len(store.search(NAMESPACE)) == (expected is not None)

    def test_reads_see_the_state_before_the_writes(self, store: BaseStore) -> None:
        """Otherwise what a read returns depends on how the store sorts its work."""
        store.put(NAMESPACE, "k", {"v": 1})
        results: list[Any] = store.batch(
            [
                PutOp(NAMESPACE, "k", {"v": 2}),
                PutOp((*NAMESPACE, "new"), "n", {"v": 2}),
                GetOp(NAMESPACE, "k"),
                SearchOp(NAMESPACE),
                ListNamespacesOp(),
            ]
        )
        assert _value(results[2]) == {"v": 1}
        assert [(hit.key, hit.value) for hit in results[3]] == [("k", {"v": 1})]
        assert [tuple(namespace) for namespace in results[4]] == [NAMESPACE]
        assert keys(store.search(NAMESPACE)) == ["k", "n"]

    def test_batch_is_all_or_nothing(self, store: BaseStore) -> None:
        """Otherwise half of a related set of facts is stored and nobody knows which half."""
        store.put(NAMESPACE, "old", {"v": 1})
        unstorable = {"v": threading.Lock()}
        error = error_of(
            lambda: store.batch(
                [
                    PutOp(NAMESPACE, "before", {"v": 1}),
                    PutOp(NAMESPACE, "old", None),
                    PutOp(NAMESPACE, "bad", unstorable),
                    PutOp(NAMESPACE, "after", {"v": 1}),
                ]
            )
        )
        written = keys(store.search(NAMESPACE))
        assert written == (["old"] if error else ["after", "bad", "before"])
        still_works(store)

    def test_empty_batch_has_no_results(self, store: BaseStore) -> None:
        """Otherwise code that collects operations needs a special case."""
        assert store.batch([]) == []

    def test_operations_may_come_from_a_generator(self, store: BaseStore) -> None:
        """Otherwise operations that are read twice are lost."""
        store.batch(PutOp(NAMESPACE, f"k{number}", {"n": number}) for number in range(3))
        reads: list[Op] = [GetOp(NAMESPACE, f"k{number}") for number in range(3)]
        assert [_value(result) for result in store.batch(iter(reads))] == [
            {"n": number} for number in range(3)
        ]

    def test_every_one_of_many_operations_is_answered(self, store: BaseStore) -> None:
        """Otherwise large batches are cut off without a word."""
        put_all(store, NAMESPACE, {f"k{number}": {"n": number} for number in range(1500)})
        gets: list[Op] = [GetOp(NAMESPACE, f"k{number}") for number in range(1500)]
        searches: list[Op] = [
            SearchOp(NAMESPACE, filter={"n": number}, limit=1) for number in range(150)
        ]
        results: list[Any] = store.batch([*gets, *searches])
        assert [_value(result)["n"] for result in results[:1500]] == list(range(1500))
        assert [hit.value["n"] for (hit,) in results[1500:]] == list(range(150))

    def test_equal_values_under_two_keys_are_two_items(self, store: BaseStore) -> None:
        """Otherwise a second note with the same words is dropped."""
        put_all(store, NAMESPACE, {"a": {"text": "same"}, "b": {"text": "same"}})
        assert keys(store.search(NAMESPACE)) == ["a", "b"]
        assert value_at(store, NAMESPACE, "b") == {"text": "same"}
