"""Behaviour that holds for any input: checked with hypothesis where it is installed."""

# ruff: noqa: S101
from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from langchain_layered_memory.testing.store_harness import StoreHarness
from langchain_layered_memory.testing.store_helpers import Namespace, keys, value_at

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore


class PropertyBehaviour(StoreHarness):
    """Nothing surprises, whatever comes in."""

    group: ClassVar[str] = "Any input"

    def test_any_json_value_comes_back_from_any_namespace(self, store: BaseStore) -> None:
        """Otherwise some value that nobody thought of is changed or refused."""
        pytest.importorskip("hypothesis")
        from langchain_layered_memory.testing.store_strategies import for_any_item, same_json

        def round_trip(namespace: Namespace, key: str, value: dict[str, Any]) -> None:
            store.put(namespace, key, value)
            assert same_json(value_at(store, namespace, key), value)
            assert key in keys(store.search(namespace, limit=1000))

        for_any_item(round_trip)()

    def test_any_sequence_of_steps_acts_like_a_dict(self, store: BaseStore) -> None:
        """Otherwise some order of writing and deleting leaves a wrong state behind."""
        pytest.importorskip("hypothesis")
        from langchain_layered_memory.testing.store_strategies import for_any_steps

        runs = itertools.count()

        def replay(steps: list[tuple[str, str, int | None]]) -> None:
            root, model = f"run {next(runs)}", dict[tuple[str, str], int]()
            for label, key, number in steps:
                _apply(store, (root, label), key, number)
                _apply_to_model(model, (label, key), number)
                item = store.get((root, label), key)
                assert (item and item.value["n"]) == model.get((label, key))
            found = store.search((root,), limit=100)
            assert {(item.namespace[1], item.key): item.value["n"] for item in found} == model

        for_any_steps(replay)()


def _apply(store: BaseStore, namespace: Namespace, key: str, number: int | None) -> None:
    if number is None:
        store.delete(namespace, key)
    else:
        store.put(namespace, key, {"n": number})


def _apply_to_model(
    model: dict[tuple[str, str], int], place: tuple[str, str], number: int | None
) -> None:
    if number is None:
        model.pop(place, None)
    else:
        model[place] = number
