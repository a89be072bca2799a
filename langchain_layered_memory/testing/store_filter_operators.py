"""Behaviour of filters beyond one comparison: sets, logic, unknown operators, hostile input."""

# ruff: noqa: S101
from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from langchain_layered_memory.testing.store_filters import fill, found
from langchain_layered_memory.testing.store_harness import StoreHarness
from langchain_layered_memory.testing.store_helpers import error_of, keys, still_works, value_at

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

ROWS: dict[str, dict[str, Any]] = {
    "one": {"n": 1, "tag": "red"},
    "two": {"n": 2, "tag": "blue"},
    "three": {"n": 3, "tag": "red"},
    "null": {"n": None},
    "bare": {"tag": "red"},
}

OPERATORS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "in": ({"n": {"$in": [1, 3, 7]}}, ["one", "three"]),
    "in-text": ({"tag": {"$in": ["blue", "green"]}}, ["two"]),
    "in-nothing": ({"n": {"$in": []}}, []),
    "in-tells-types-apart": ({"n": {"$in": ["1", True]}}, []),
    "not-in": ({"n": {"$nin": [1, 2]}}, ["bare", "null", "three"]),
    "exists": ({"n": {"$exists": True}}, ["null", "one", "three", "two"]),
    "does-not-exist": ({"n": {"$exists": False}}, ["bare"]),
    "two-operators": ({"n": {"$in": [1, 2, 3], "$ne": 2}}, ["one", "three"]),
    "and": ({"$and": [{"n": {"$gt": 1}}, {"tag": "red"}]}, ["three"]),
    "or": ({"$or": [{"n": 2}, {"n": {"$gt": 2}}]}, ["three", "two"]),
    "not": ({"$not": {"tag": "red"}}, ["null", "two"]),
    "not-of-several": ({"$not": {"tag": "red", "n": 1}}, ["bare", "null", "three", "two"]),
    "not-on-a-field": ({"n": {"$not": {"$gt": 1}}}, ["bare", "null", "one"]),
    "logic-beside-a-field": ({"tag": "red", "$or": [{"n": 1}, {"n": 2}]}, ["one"]),
    "logic-within-logic": (
        {"$or": [{"$and": [{"n": 1}, {"tag": "red"}]}, {"$not": {"n": {"$exists": True}}}]},
        ["bare", "one"],
    ),
}

MISTAKES: dict[str, dict[str, Any]] = {
    "unknown-operator": {"n": {"$regex": "a"}},
    "unknown-beside-known": {"n": {"$gt": 0, "$near": 9}},
    "forgotten-dollar": {"n": {"$gt": 0, "lt": 9}},
    "unknown-logic": {"$nor": [{"n": 1}]},
    "wrong-case": {"n": {"$GT": 1}},
}

HOSTILE = [
    "x') OR 1=1 --",
    "x' OR '1'='1",
    'x") OR 1=1 --',
    "who') = 'mine' OR json_extract(value, '$.who",
    "x'); DROP TABLE store; --",
    "x' UNION SELECT prefix, key, value, created_at, updated_at, null, null, null FROM store --",
    "$.who",
    "$",
    "*",
    "%",
    "[*]",
    "x?",
    "?",
    "who\n",
    "x\x00",
    "who\x00",
    "%(who)s",
    "{who}",
    "\\",
]

PLACES: dict[str, Any] = {
    "key": lambda text: {text: "no such value"},
    "operator": lambda text: {"who": {text: "no such value"}},
    "value": lambda text: {"who": text},
    "operand": lambda text: {"who": {"$eq": text}},
    "member": lambda text: {"who": {"$in": [text]}},
    "path": lambda text: {f"who.{text}": "no such value"},
}


class FilterOperatorBehaviour(StoreHarness):
    """Filters combine, and refuse what they do not know."""

    group: ClassVar[str] = "Filter operators"

    @pytest.mark.parametrize(("condition", "expected"), OPERATORS.values(), ids=OPERATORS)
    def test_operator_chooses_items(
        self, store: BaseStore, condition: dict[str, Any], expected: list[str]
    ) -> None:
        """Otherwise choices that take more than one comparison need code in every caller."""
        fill(store, ROWS)
        assert found(store, condition) == expected

    @pytest.mark.parametrize("condition", MISTAKES.values(), ids=MISTAKES)
    def test_unknown_operator_is_an_error(
        self, store: BaseStore, condition: dict[str, Any]
    ) -> None:
        """Otherwise a slip in a filter looks like "nothing found", or like "everything"."""
        fill(store, {"one": {"n": 1}})
        assert isinstance(error_of(lambda: found(store, condition)), ValueError)

    @pytest.mark.parametrize("place", PLACES)
    def test_hostile_text_reaches_nothing(self, store: BaseStore, place: str) -> None:
        """Otherwise whoever may choose a filter reads or destroys what belongs to others."""
        store.put(("mine",), "a", {"who": "mine"})
        store.put(("theirs",), "b", {"who": "theirs", "secret": 1})
        reached = {text: self._reached(store, PLACES[place](text)) for text in HOSTILE}
        assert {text: hits for text, hits in reached.items() if hits} == {}
        assert value_at(store, ("theirs",), "b") == {"who": "theirs", "secret": 1}
        assert keys(store.search(())) == ["a", "b"]
        still_works(store)

    @staticmethod
    def _reached(store: BaseStore, condition: dict[str, Any]) -> list[str]:
        hits: list[str] = []
        error_of(lambda: hits.extend(keys(store.search(("mine",), filter=condition))))
        return hits
