"""Behaviour of filters on one field: equality, ranges, missing keys, nested values."""

# ruff: noqa: S101
from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from langchain_layered_memory.testing.store_harness import StoreHarness
from langchain_layered_memory.testing.store_helpers import keys, put_all

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

NAMESPACE = ("filtered",)

NUMBERS = {"-3": -3, "2": 2, "5": 5, "9": 9, "9.5": 9.5, "10": 10, "100": 100}

RANGES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "above": ({"$gt": 9}, ["10", "100", "9.5"]),
    "from": ({"$gte": 10}, ["10", "100"]),
    "below": ({"$lt": 5}, ["-3", "2"]),
    "up-to": ({"$lte": -3}, ["-3"]),
    "between": ({"$gte": 2, "$lt": 10}, ["2", "5", "9", "9.5"]),
    "above-a-fraction": ({"$gt": 9.25, "$lte": 10.0}, ["10", "9.5"]),
}

RANGE_OPERATORS = ("$gt", "$gte", "$lt", "$lte")

NOT_NUMBERS: dict[str, dict[str, Any]] = {
    "missing": {},
    "null": {"n": None},
    "boolean": {"n": True},
    "list": {"n": [1]},
    "dict": {"n": {"n": 1}},
}

BIG = 2**53 + 1

ODD_KEYS = {
    "space": "first name",
    "hyphen": "e-mail",
    "cyrillic": "ключ",
    "cjk": "名前",
    "at-sign": "a@b",
    "digit": "0",
    "quote": "it's",
    "double-quotes": 'so "called"',
    "dollar": "a$b",
    "colon": "ns:key",
    "brackets": "[x]",
    "like-an-index": "list[0]",
    "backslash": "back\\slash",
    "percent": "100%",
    "full-stop": "a b.c d",
    "empty": "",
}


def found(store: BaseStore, condition: Any) -> list[str]:
    """Return the sorted keys of what matches a filter."""
    return keys(store.search(NAMESPACE, filter=condition, limit=100))


def fill(store: BaseStore, values: dict[str, Any]) -> None:
    """Store the values where `found` looks."""
    put_all(store, NAMESPACE, values)


class FilterBehaviour(StoreHarness):
    """Filters compare values as what they are."""

    group: ClassVar[str] = "Filters"

    @pytest.mark.parametrize("form", ["plain", "$eq"])
    def test_equality_tells_types_apart(self, store: BaseStore, form: str) -> None:
        """Otherwise a search for the text "1" returns the number."""
        values = {"text": "1", "whole": 1, "part": 1.5, "empty": "", "word": "one"}
        fill(store, {key: {"x": value} for key, value in values.items()})
        for key, value in values.items():
            assert found(store, {"x": value if form == "plain" else {"$eq": value}}) == [key]

    @pytest.mark.parametrize("form", ["plain", "$eq"])
    def test_true_is_not_one(self, store: BaseStore, form: str) -> None:
        """Otherwise a flag and a count of one are the same."""
        values = {"true": True, "one": 1, "false": False, "zero": 0}
        fill(store, {key: {"x": value} for key, value in values.items()})
        for key, value in values.items():
            assert found(store, {"x": value if form == "plain" else {"$eq": value}}) == [key]

    def test_stored_null_matches_none_and_empty_text_does_not(self, store: BaseStore) -> None:
        """Otherwise an unknown value cannot be told from an empty one."""
        fill(store, {"null": {"x": None}, "empty": {"x": ""}, "zero": {"x": 0}})
        assert found(store, {"x": None}) == ["null"]

    def test_whole_number_equals_the_same_float(self, store: BaseStore) -> None:
        """Otherwise a score of 5.0 is lost to a search for 5."""
        fill(store, {"five": {"x": 5}, "six": {"x": 6}})
        assert found(store, {"x": 5.0}) == ["five"]

    @pytest.mark.parametrize(("bounds", "expected"), RANGES.values(), ids=RANGES)
    def test_numbers_compare_as_numbers(
        self, store: BaseStore, bounds: dict[str, Any], expected: list[str]
    ) -> None:
        """Otherwise 9 is above 10, as it is in a dictionary."""
        fill(store, {key: {"n": number} for key, number in NUMBERS.items()})
        assert found(store, {"n": bounds}) == sorted(expected)

    def test_integers_beyond_2_to_the_53_keep_their_digits(self, store: BaseStore) -> None:
        """Otherwise two neighbouring message ids are one."""
        fill(store, {"upper": {"id": BIG}, "lower": {"id": BIG - 1}})
        assert found(store, {"id": BIG}) == ["upper"]
        assert found(store, {"id": {"$eq": BIG}}) == ["upper"]
        assert found(store, {"id": {"$gt": BIG - 1}}) == ["upper"]
        assert found(store, {"id": {"$ne": BIG}}) == ["lower"]

    def test_strings_compare_as_strings(self, store: BaseStore) -> None:
        """Otherwise a range over ISO dates finds nothing."""
        days = {"a": "2024-01-09", "b": "2024-02-01", "c": "2023-12-31"}
        fill(store, {key: {"at": day} for key, day in days.items()})
        assert found(store, {"at": {"$gte": "2024-01-01"}}) == ["a", "b"]
        assert found(store, {"at": {"$gte": "2024-01-01", "$lt": "2024-02-01"}}) == ["a"]

    def test_number_and_string_are_never_in_range_of_each_other(self, store: BaseStore) -> None:
        """Otherwise a range over ages returns the people whose age is a text."""
        fill(store, {"text": {"n": "5"}, "word": {"n": "old"}, "number": {"n": 5}})
        for operator in RANGE_OPERATORS:
            assert set(found(store, {"n": {operator: 5}})) <= {"number"}
            assert set(found(store, {"n": {operator: "5"}})) <= {"text", "word"}

    @pytest.mark.parametrize("odd", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
    def test_only_numbers_are_in_a_range_of_numbers(
        self, store: BaseStore, odd: dict[str, Any]
    ) -> None:
        """Otherwise one item of another shape makes the search fail, or slips into the result."""
        fill(store, {"odd": odd, "number": {"n": 1}})
        for operator in RANGE_OPERATORS:
            expected = ["number"] if operator in ("$gte", "$lte") else []
            assert found(store, {"n": {operator: 1}}) == expected

    def test_not_equal_keeps_items_without_the_key(self, store: BaseStore) -> None:
        """Otherwise "all but the archived" forgets what was never archived."""
        fill(store, {"one": {"x": 1}, "two": {"x": 2}, "missing": {"y": 1}, "null": {"x": None}})
        assert found(store, {"x": {"$ne": 1}}) == ["missing", "null", "two"]

    @pytest.mark.parametrize("form", ["plain", "$eq"])
    def test_list_equals_only_the_same_list(self, store: BaseStore, form: str) -> None:
        """Otherwise a search for a set of tags returns parts of it."""
        lists = {"xy": ["x", "y"], "yx": ["y", "x"], "x": ["x"], "text": "x", "none": []}
        fill(store, {key: {"tags": tags} for key, tags in lists.items()})
        wanted = ["x", "y"]
        assert found(store, {"tags": wanted if form == "plain" else {"$eq": wanted}}) == ["xy"]
        assert found(store, {"tags": {"$ne": wanted}}) == ["none", "text", "x", "yx"]

    def test_plain_dict_asks_for_a_subset(self, store: BaseStore) -> None:
        """Otherwise a nested record is found only by those who know all of it."""
        fill(
            store,
            {
                "a": {"user": {"id": "u1", "home": {"city": "Oslo", "zip": 1}}},
                "b": {"user": {"id": "u2", "home": {"city": "Oslo"}}},
                "c": {"user": "u1"},
            },
        )
        assert found(store, {"user": {"id": "u1"}}) == ["a"]
        assert found(store, {"user": {"home": {"city": "Oslo"}}}) == ["a", "b"]
        assert found(store, {"user": {"id": "u1", "home": {"city": "Bergen"}}}) == []

    def test_dotted_key_is_tried_as_it_stands_and_then_as_a_path(self, store: BaseStore) -> None:
        """Otherwise a nested value is out of reach, or a key with a full stop in it."""
        fill(
            store,
            {
                "path": {"user": {"id": "x"}},
                "flat": {"user.id": "x"},
                "flat-wins": {"user.id": "y", "user": {"id": "x"}},
            },
        )
        assert found(store, {"user.id": "x"}) == ["flat", "path"]
        assert found(store, {"user.id": "y"}) == ["flat-wins"]

    @pytest.mark.parametrize("key", ODD_KEYS.values(), ids=ODD_KEYS)
    def test_odd_key_is_a_key_like_any_other(self, store: BaseStore, key: str) -> None:
        """Otherwise fields that are not plain ASCII words cannot be filtered."""
        fill(store, {"hit": {key: "v"}, "miss": {key: "w"}, "other": {"other": "v"}})
        assert found(store, {key: "v"}) == ["hit"]
        assert found(store, {key: {"$eq": "w"}}) == ["miss"]

    def test_several_fields_must_all_match(self, store: BaseStore) -> None:
        """Otherwise a second condition widens the result instead of narrowing it."""
        fill(store, {"both": {"a": 1, "b": 1}, "one": {"a": 1, "b": 2}, "none": {"a": 2}})
        assert found(store, {"a": 1, "b": 1}) == ["both"]

    def test_empty_filter_is_no_filter(self, store: BaseStore) -> None:
        """Otherwise code that builds filters step by step finds nothing at first."""
        fill(store, {"a": {"n": 1}, "b": {"n": 2}})
        assert found(store, {}) == found(store, None) == ["a", "b"]

    def test_filter_applies_before_limit_and_offset(self, store: BaseStore) -> None:
        """Otherwise matches beyond the first page are never seen."""
        fill(store, {f"{number:02d}": {"hit": number % 10 == 0} for number in range(50)})
        wanted = {"hit": True}
        first = store.search(NAMESPACE, filter=wanted, limit=3)
        rest = store.search(NAMESPACE, filter=wanted, limit=3, offset=3)
        assert keys([*first, *rest]) == ["00", "10", "20", "30", "40"]
