"""A store's values: what comes back is what went in, or it is refused with its place."""

from __future__ import annotations

import json
import math
from collections import OrderedDict, defaultdict, namedtuple
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory.adapters.values import dump_value
from langchain_layered_memory.errors import InvalidInputError, ValueNotStorableError
from langchain_layered_memory.testing.store_strategies import VALUES, same_json

Point = namedtuple("Point", "x y")


class Colour(Enum):
    RED = "red"


class Number(IntEnum):
    ONE = 1


class Word(StrEnum):
    YES = "yes"


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def back(value: Any) -> Any:
    return json.loads(dump_value(value))


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"": ""},
        {"n": None, "t": True, "f": False},
        {"zero": 0, "minus": -1, "large": 2**63, "huge": 10**100},
        {"half": 0.5, "third": 1 / 3, "tiny": 5e-324, "big": 1.7976931348623157e308},
        {"text": "tea 茶 🙂 \x00 \n \" \\ ' \u2028", "ключ": "é"},
        {"list": [], "dict": {}, "deep": {"a": [{"b": [1, [2]]}]}},
        {"half": "\ud83d", "other half": "\ude42", "\ud83d": 1},
        {"$gt": 1, "a.b": 2, "a'b": 3, 'a"b': 4},
        {"s": " " * 10_000},
    ],
)
def test_plain_values_come_back_as_they_went_in(value: dict[str, Any]) -> None:
    assert same_json(back(value), value)
    assert list(back(value)) == list(value)


def test_whole_and_broken_numbers_stay_what_they_are() -> None:
    came = back({"int": 1, "float": 1.0, "minus zero": -0.0})
    assert [type(each) for each in came.values()] == [int, float, float]
    assert math.copysign(1, came["minus zero"]) == -1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"t": (1, (2, 3))}, {"t": [1, [2, 3]]}),
        ({"p": Point(1, 2)}, {"p": [1, 2]}),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (defaultdict(int, a=1), {"a": 1}),
        ({"n": np.float64(0.1)}, {"n": 0.1}),
    ],
    ids=["tuples", "named tuple", "ordered", "default", "float of numpy"],
)
def test_kinds_of_lists_dicts_and_floats_come_back_plain(value: Any, expected: Any) -> None:
    assert back(value) == expected


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (datetime(2026, 3, 2, tzinfo=UTC), "is a datetime"),
        (date(2026, 3, 2), "is a date"),
        (Decimal("0.1"), "is a Decimal"),
        (UUID(int=1), "is a UUID"),
        (Path("a"), "is a .*Path"),
        (b"bytes", "is a bytes"),
        ({1, 2}, "is a set"),
        (frozenset(), "is a frozenset"),
        (1j, "is a complex"),
        (object(), "is a object"),
        (np.int64(1), "is a int64"),
        (np.float32(1), "is a float32"),
        (np.array([1]), "is a ndarray"),
        (range(3), "is a range"),
        (math.nan, "is not finite"),
        (math.inf, "is not finite"),
        (-math.inf, "is not finite"),
        (np.float64("nan"), "is not finite"),
        (Colour.RED, "is an Enum"),
        (Number.ONE, "is an Enum"),
        (Word.YES, "is an Enum"),
        ({1: "a"}, "has a key that is not text"),
        ({None: "a"}, "has a key that is not text"),
        ({True: "a"}, "has a key that is not text"),
        ({1.5: "a"}, "has a key that is not text"),
        ({("a", "b"): 1}, "has a key that is not text"),
        ({Word.YES: 1}, "has a key that is not text"),
        (nested(300), "is nested too deeply"),
    ],
    ids=lambda each: type(each).__name__ if not isinstance(each, str) else each,
)
def test_what_json_would_change_is_refused_with_its_place(wrong: Any, told: str) -> None:
    for place, value in (
        (r"value\['when'\]", {"when": wrong}),
        (r"value\['a'\]\[1\]\['b'\]", {"ok": 1, "a": [0, {"b": wrong}]}),
        (r"value\['t'\]\[0\]", {"t": (wrong,)}),
    ):
        with pytest.raises(ValueNotStorableError, match=f"^{place}.*{told}"):
            dump_value(value)


def test_wrong_key_at_the_top_is_said() -> None:
    with pytest.raises(ValueNotStorableError, match=r"^value has a key that is not text.*: 1;"):
        dump_value({1: "a"})  # type: ignore[dict-item]


def test_refusal_is_a_value_error_and_a_type_error_and_says_what_to_do() -> None:
    with pytest.raises(InvalidInputError, match="store text, numbers, lists and dicts"):
        dump_value({"a": {1}})
    with pytest.raises(TypeError):
        dump_value({"a": {1}})


def test_long_wrong_value_is_cut_in_the_message() -> None:
    with pytest.raises(ValueNotStorableError) as caught:
        dump_value({"a": set(range(10_000))})
    assert len(str(caught.value)) < 250


def test_value_that_holds_itself_is_refused() -> None:
    value: dict[str, Any] = {}
    value["self"] = value
    with pytest.raises(ValueNotStorableError, match="nested too deeply"):
        dump_value(value)


@pytest.mark.parametrize("depth", [1, 50, 199])
def test_what_is_not_too_deep_comes_back(depth: int) -> None:
    assert back({"a": nested(depth)}) == {"a": nested(depth)}


def test_very_deep_value_is_refused_like_a_deep_one() -> None:
    with pytest.raises(ValueNotStorableError, match="nested too deeply"):
        dump_value({"a": nested(50_000)})


@pytest.mark.parametrize(
    "value", [{"a": "\ud83d\ude42"}, {"\ud83d\ude42": 1}], ids=["value", "key"]
)
def test_two_halves_side_by_side_stay_two_or_are_refused(value: dict[str, Any]) -> None:
    try:
        came = back(value)
    except ValueNotStorableError:
        return
    assert came == value


def test_number_too_long_to_be_written_is_refused_with_its_place() -> None:
    with pytest.raises(ValueNotStorableError, match=r"value\['n'\]"):
        dump_value({"n": 10**5_000})


def test_value_given_is_not_changed() -> None:
    value = {"a": (1, 2), "b": {"c": [3]}}
    dump_value(value)
    assert value == {"a": (1, 2), "b": {"c": [3]}}


@given(VALUES)
def test_any_json_comes_back(value: dict[str, Any]) -> None:
    assert same_json(back(value), value)


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.binary(max_size=2)
    | st.dates()
    | st.decimals()
    | st.sampled_from(Colour),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2) | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), ODD, max_size=3))
def test_anything_comes_back_or_is_refused_with_its_place(value: dict[str, Any]) -> None:
    try:
        came = back(value)
    except ValueNotStorableError as error:
        refusal = str(error)
    else:
        assert same_json(came, value)
        return
    assert refusal.startswith("value")


@pytest.mark.xfail(strict=True, reason="whatever Python can make a dict of is taken for one")
@pytest.mark.parametrize("value", [None, 5, "", [], ["ab"], [("a", 1)], {"ab"}], ids=repr)
def test_what_is_no_dict_is_refused(value: Any) -> None:
    with pytest.raises(ValueNotStorableError):
        dump_value(value)
