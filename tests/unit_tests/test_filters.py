"""What a search filter means: each operator, each rule, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory.errors import FilterError
from langchain_layered_memory.filters import EVERYTHING, matches, namespace_matches, parse_filter

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "a", "b", "$", "é"])
)
PLAIN_KEYS = st.sampled_from(["a", "b", "n", "a.b", "", "ä"])
# Few and small ones, so that values and filters often meet.
SMALL = st.none() | st.booleans() | st.sampled_from([0, 1, 2, 1.0, 0.5, "1", "a", "", -1])
VALUES = st.recursive(
    SMALL,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=4,
)
ITEMS = st.dictionaries(PLAIN_KEYS, VALUES, max_size=4)
BOUNDS = st.sampled_from([0, 1, 1.5, "1", "a"])
OPERATORS = st.one_of(
    *(st.fixed_dictionaries({op: VALUES}) for op in ("$eq", "$ne")),
    *(st.fixed_dictionaries({op: BOUNDS}) for op in ("$gt", "$gte", "$lt", "$lte")),
    *(st.fixed_dictionaries({op: st.lists(VALUES, max_size=3)}) for op in ("$in", "$nin")),
    st.fixed_dictionaries({"$exists": st.booleans()}),
)
FIELDS = st.dictionaries(PLAIN_KEYS, OPERATORS | VALUES, min_size=1, max_size=2)
CONDITIONS = st.recursive(
    FIELDS,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"$and": st.lists(inner, max_size=2)}),
        st.fixed_dictionaries({"$or": st.lists(inner, max_size=2)}),
        st.fixed_dictionaries({"$not": inner}),
    ),
    max_leaves=4,
)
WORDS = (
    "$eq $ne $gt $gte $lt $lte $in $nin $exists $not $and $or $nor $regex $GT $ a b a.b . .."
).split()
ANY_KEYS = st.sampled_from(WORDS) | st.text(max_size=3)
ANYTHING = st.recursive(
    SCALARS | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(ANY_KEYS | st.integers(), inner, max_size=3)
    ),
    max_leaves=10,
)


def holds(condition: Any, value: dict[str, Any]) -> bool:
    return matches(parse_filter(condition), value)


# ------------------------------------------------------------------ operators


@pytest.mark.parametrize(
    ("operand", "value", "expected"),
    [
        # equal
        (1, 1, True),
        (1, 1.0, True),
        (1, 2, False),
        ("a", "a", True),
        ("a", "A", False),
        ("é", "e\u0301", False),
        ("1", 1, False),
        (1, "1", False),
        (True, 1, False),
        (1, True, False),
        (0, False, False),
        (False, False, True),
        (None, None, True),
        (None, 0, False),
        (None, False, False),
        (None, "", False),
        (0.1, 0.1, True),
        (2**53 + 1, 2**53 + 1, True),
        (2**53 + 1, 2**53, False),
        (2**53, float(2**53), True),
        (2**53 + 1, float(2**53), False),
        (10**400, 10**400, True),
        (10**400, 1e308, False),
        # lists are the same list
        ([], [], True),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ([1, 2], [1], False),
        ([1], 1, False),
        ([], "", False),
        ("ab", ["a", "b"], False),
        ([True], [1], False),
        ([{"a": 1}], [{"a": 1, "b": 2}], True),
        ([{"a": {"$gt": 1}}], [{"a": 2}], True),
        ([{"$gt": 1}], [2], True),
        # dicts are a subset
        ({}, {}, True),
        ({}, {"a": 1}, True),
        ({}, 1, False),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"a": True}, {"a": 1}, False),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, True),
        ({"a": {"$gt": 1}}, {"a": 2}, True),
        ({"a": {"$exists": False}}, {"b": 2}, True),
        ({"a": {"$exists": False}}, 2, False),
        ({"a": None}, {}, False),
        # $eq is the whole value
        ({"$eq": {"a": 1}}, {"a": 1}, True),
        ({"$eq": {"a": 1}}, {"a": 1, "b": 2}, False),
        ({"$eq": {"a": [1, True]}}, {"a": [1, 1]}, False),
        ({"$eq": {"$gt": 1}}, {"$gt": 1}, True),
        ({"$eq": None}, None, True),
        ({"$ne": 1}, 2, True),
        ({"$ne": 1}, 1.0, False),
        ({"$ne": 1}, True, True),
        ({"$ne": 1}, "1", True),
        ({"$ne": None}, None, False),
        # order
        ({"$gt": 1}, 2, True),
        ({"$gt": 1}, 1, False),
        ({"$gte": 1}, 1, True),
        ({"$gte": 1}, 1.0, True),
        ({"$lt": 1}, 0.5, True),
        ({"$lt": 1}, 1, False),
        ({"$lte": 1}, 1, True),
        ({"$lte": 1}, 2, False),
        ({"$gt": 9}, 10, True),
        ({"$gt": "9"}, "10", False),
        ({"$gt": "a"}, "b", True),
        ({"$lt": "2026-03-02"}, "2026-03-01T10:00:00", True),
        ({"$gt": 1}, "2", False),
        ({"$lt": "2"}, 1, False),
        ({"$gt": 0}, True, False),
        ({"$lt": 1}, False, False),
        ({"$gte": 0}, None, False),
        ({"$lte": 0}, None, False),
        ({"$gt": 0}, [1], False),
        ({"$gt": 0}, {"a": 1}, False),
        ({"$gt": 2**53}, 2**53 + 1, True),
        ({"$gt": float(2**53)}, 2**53 + 1, True),
        ({"$lt": 2**53 + 1}, 2**53, True),
        ({"$gt": 1e308}, 10**400, True),
        ({"$gt": -0.0}, 0, False),
        # sets
        ({"$in": [1, 2]}, 2, True),
        ({"$in": [1, 2]}, 3, False),
        ({"$in": [1]}, True, False),
        ({"$in": [True]}, 1, False),
        ({"$in": ["1"]}, 1, False),
        ({"$in": []}, None, False),
        ({"$in": [None]}, None, True),
        ({"$in": [[1, 2]]}, [1, 2], True),
        ({"$in": [1, 2]}, [1, 2], False),
        ({"$in": [{"a": 1}]}, {"a": 1, "b": 2}, False),
        ({"$in": (1, 2)}, 1, True),
        ({"$in": {1, 2}}, 1, True),
        ({"$nin": [1, 2]}, 3, True),
        ({"$nin": [1, 2]}, 1, False),
        ({"$nin": []}, 1, True),
        ({"$nin": [1]}, True, True),
        # there or not
        ({"$exists": True}, None, True),
        ({"$exists": True}, False, True),
        ({"$exists": False}, None, False),
        # negation and several at once
        ({"$not": {"$gt": 1}}, 1, True),
        ({"$not": {"$gt": 1}}, 2, False),
        ({"$not": {"$gt": 1}}, "text", True),
        ({"$not": {"$not": {"$eq": 1}}}, 1, True),
        ({"$not": {"$gt": 1, "$lt": 3}}, 2, False),
        ({"$not": {"$gt": 1, "$lt": 3}}, 5, True),
        ({"$gt": 1, "$lt": 3}, 2, True),
        ({"$gt": 1, "$lt": 3}, 3, False),
        ({"$in": [1, 2], "$ne": 2}, 2, False),
    ],
)
def test_operand_against_a_value(operand: Any, value: Any, expected: bool) -> None:
    assert holds({"k": operand}, {"k": value}) is expected


@pytest.mark.parametrize(
    ("operand", "expected"),
    [
        (None, False),
        (1, False),
        ({}, False),
        ([], False),
        ({"a": {"$exists": False}}, False),
        ({"a": {"$ne": 1}}, False),
        ({"$eq": None}, False),
        ({"$gt": 0}, False),
        ({"$lt": "a"}, False),
        ({"$in": [None, 1]}, False),
        ({"$exists": True}, False),
        ({"$ne": 1}, True),
        ({"$ne": None}, True),
        ({"$nin": [1, None]}, True),
        ({"$nin": []}, True),
        ({"$exists": False}, True),
        ({"$not": {"$gt": 0}}, True),
        ({"$not": {"$exists": True}}, True),
        ({"$not": {"$ne": 1}}, False),
        ({"$ne": 1, "$exists": True}, False),
    ],
)
def test_missing_key_matches_nothing_but_what_denies(operand: Any, expected: bool) -> None:
    assert holds({"k": operand}, {}) is expected
    assert holds({"k": operand}, {"other": 1}) is expected
    assert holds({"k.deep": operand}, {"k": 1}) is expected


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("a.b", {"a.b": 1}, True),
        ("a.b", {"a": {"b": 1}}, True),
        ("a.b", {"a": {"b": 2}}, False),
        ("a.b", {"a.b": 2, "a": {"b": 1}}, False),
        ("a.b", {"a.b": 1, "a": {"b": 2}}, True),
        ("a.b.c", {"a": {"b": {"c": 1}}}, True),
        ("a.b.c", {"a": {"b.c": 1}}, False),
        ("a.0", {"a": [1]}, False),
        ("a.b", {"a": None}, False),
        ("a.b", {"a": "b"}, False),
        (".", {".": 1}, True),
        (".", {"": {"": 1}}, True),
        ("", {"": 1}, True),
        ("a.", {"a": {"": 1}}, True),
        ("ключ.键", {"ключ": {"键": 1}}, True),
    ],
)
def test_dotted_key_is_tried_as_it_stands_then_as_a_path(
    key: str, value: dict[str, Any], expected: bool
) -> None:
    assert holds({key: 1}, value) is expected
    assert holds({key: {"$ne": 1}}, value) is not expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (None, True),
        ({}, True),
        ({"n": 1, "tag": "red"}, True),
        ({"n": 1, "tag": "blue"}, False),
        ({"$and": []}, True),
        ({"$or": []}, False),
        ({"$not": {}}, False),
        ({"$and": [{}]}, True),
        ({"$or": [{}]}, True),
        ({"$and": [{"n": 1}, {"tag": "red"}]}, True),
        ({"$and": [{"n": 1}, {"tag": "blue"}]}, False),
        ({"$or": [{"n": 2}, {"tag": "red"}]}, True),
        ({"$or": [{"n": 2}, {"tag": "blue"}]}, False),
        ({"$not": {"n": 1, "tag": "blue"}}, True),
        ({"$not": {"n": 1, "tag": "red"}}, False),
        ({"$not": {"$not": {"n": 1}}}, True),
        ({"tag": "red", "$or": [{"n": 1}, {"n": 2}]}, True),
        ({"$and": [{"$or": [{"n": 1}]}, {"$not": {"n": 2}}]}, True),
        ({"$and": ({"n": 1},)}, True),
    ],
)
def test_filters_combine(condition: Any, expected: bool) -> None:
    assert holds(condition, {"n": 1, "tag": "red"}) is expected


def test_no_filter_is_everything() -> None:
    assert parse_filter(None) == parse_filter({}) == EVERYTHING


def test_key_that_begins_with_a_dollar_may_be_asked_for_by_plain_value() -> None:
    assert holds({"$price": 5}, {"$price": 5})
    assert not holds({"$price": 5}, {"$price": 6})


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ({"n": {"$regex": "a"}}, r"unknown operator '\$regex'"),
        ({"n": {"$GT": 1}}, r"unknown operator '\$GT'"),
        ({"n": {"$": 1}}, r"unknown operator '\$'"),
        ({"n": {"$gt": 0, "lt": 9}}, "unknown operator 'lt'"),
        ({"n": {"lt": 9, "$gt": 0}}, "unknown operator 'lt'"),
        ({"n": {"$and": [{"$gt": 1}]}}, r"unknown operator '\$and'"),
        ({"$nor": [{"n": 1}]}, r"unknown operator '\$nor'"),
        ({"$nor": {"n": 1}}, r"unknown operator '\$nor'"),
        ({"$and": {"n": 1}}, r"\$and takes a list"),
        ({"$or": "n"}, r"\$or takes a list, got 'n'"),
        ({"$or": None}, r"\$or takes a list"),
        ({"$and": [1]}, "a filter is a dict, got 1"),
        ({"$or": [{"n": 1}, "n"]}, "a filter is a dict, got 'n'"),
        ({"$not": 1}, "a filter is a dict, got 1"),
        ({"$not": [{"n": 1}]}, "a filter is a dict"),
        ({"n": {"$not": 1}}, "a filter is a dict, got 1"),
        ({"n": {"$not": {"a": 1}}}, "unknown operator 'a'"),
        ({"n": {"$in": 1}}, r"\$in takes a list, got 1"),
        ({"n": {"$in": "abc"}}, r"\$in takes a list"),
        ({"n": {"$in": {"a": 1}}}, r"\$in takes a list"),
        ({"n": {"$nin": None}}, r"\$nin takes a list"),
        ({"n": {"$exists": 1}}, r"\$exists takes true or false, got 1"),
        ({"n": {"$exists": None}}, r"\$exists takes true or false"),
        ({"n": {"$gt": None}}, r"\$gt compares with a number or a string, got None"),
        ({"n": {"$gt": True}}, r"\$gt compares with"),
        ({"n": {"$lte": [1]}}, r"\$lte compares with"),
        ({"n": {"$lt": {}}}, r"\$lt compares with"),
        ({1: 1}, "filter keys are text"),
        ({None: 1}, "filter keys are text"),
        ({"n": {1: 1}}, "filter keys are text"),
        ([("n", 1)], "a filter is a dict"),
        ("n", "a filter is a dict"),
    ],
    ids=repr,
)
def test_mistake_is_refused_and_said(condition: Any, told: str) -> None:
    with pytest.raises(FilterError, match=told):
        parse_filter(condition)


@pytest.mark.parametrize("falsy", [0, False, "", [], ()], ids=repr)
@pytest.mark.parametrize("place", [lambda x: x, lambda x: {"$and": [x]}], ids=["whole", "part"])
def test_what_is_empty_and_no_dict_is_refused(falsy: Any, place: Any) -> None:
    with pytest.raises(FilterError, match="a filter is a dict"):
        parse_filter(place(falsy))


@pytest.mark.parametrize("condition", [{"$gt": 5}, {"$eq": "a"}, {"$exists": True}], ids=repr)
def test_operator_without_a_key_is_refused(condition: dict[str, Any]) -> None:
    with pytest.raises(FilterError):
        parse_filter(condition)


@given(ANYTHING)
def test_parsing_raises_nothing_but_filter_error(raw: Any) -> None:
    try:
        parse_filter(raw)
    except FilterError:
        return


@given(st.dictionaries(ANY_KEYS, ANYTHING, max_size=3), st.dictionaries(ANY_KEYS, ANYTHING))
def test_filter_that_was_taken_answers_for_any_value(raw: Any, value: dict[str, Any]) -> None:
    try:
        condition = parse_filter(raw)
    except FilterError:
        return
    assert matches(condition, value) in (True, False)


# ------------------------------------------------------------------ laws


@given(
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=6),
    st.text(max_size=4).filter(lambda key: not key.startswith("$")),
)
def test_value_is_found_by_itself(value: Any, key: str) -> None:
    assert holds({key: value}, {key: value})
    assert holds({key: {"$eq": value}}, {key: value})
    assert holds({key: {"$in": [value]}}, {key: value})
    assert not holds({key: {"$ne": value}}, {key: value})


@given(VALUES, ITEMS, PLAIN_KEYS)
def test_ne_is_the_complement_of_eq(operand: Any, item: dict[str, Any], key: str) -> None:
    assert holds({key: {"$ne": operand}}, item) is not holds({key: {"$eq": operand}}, item)


@given(st.lists(VALUES, max_size=3), ITEMS, PLAIN_KEYS)
def test_nin_is_the_complement_of_in_and_in_is_any_eq(
    operands: list[Any], item: dict[str, Any], key: str
) -> None:
    inside = holds({key: {"$in": operands}}, item)
    assert holds({key: {"$nin": operands}}, item) is not inside
    assert any(holds({key: {"$eq": each}}, item) for each in operands) is inside


@given(OPERATORS, ITEMS, PLAIN_KEYS)
def test_not_on_a_field_is_not_over_the_filter(
    operators: dict[str, Any], item: dict[str, Any], key: str
) -> None:
    plain = holds({key: operators}, item)
    assert holds({key: {"$not": operators}}, item) is not plain
    assert holds({"$not": {key: operators}}, item) is not plain


@given(CONDITIONS, CONDITIONS, ITEMS)
def test_de_morgan(one: Any, other: Any, item: dict[str, Any]) -> None:
    negated = [{"$not": one}, {"$not": other}]
    assert holds({"$not": {"$and": [one, other]}}, item) is holds({"$or": negated}, item)
    assert holds({"$not": {"$or": [one, other]}}, item) is holds({"$and": negated}, item)


@given(CONDITIONS, CONDITIONS, ITEMS)
def test_and_or_not_are_pythons(one: Any, other: Any, item: dict[str, Any]) -> None:
    first, second = holds(one, item), holds(other, item)
    assert holds({"$and": [one, other]}, item) is (first and second)
    assert holds({"$or": [one, other]}, item) is (first or second)
    assert holds({"$not": {"$not": one}}, item) is first


@given(ITEMS, ITEMS)
def test_matching_changes_neither_filter_nor_value(raw: dict[str, Any], item: Any) -> None:
    before = repr((raw, item))
    holds(raw, item)
    assert repr((raw, item)) == before


# ------------------------------------------------------------------ namespaces


@pytest.mark.parametrize(
    ("namespace", "kind", "path", "expected"),
    [
        (("a", "b", "c"), "prefix", ("a",), True),
        (("a", "b", "c"), "prefix", ("a", "b", "c"), True),
        (("a", "b", "c"), "prefix", ("b",), False),
        (("a", "b", "c"), "prefix", ("a", "c"), False),
        (("a", "b"), "prefix", ("a", "b", "c"), False),
        (("ab", "c"), "prefix", ("a",), False),
        (("a", "b", "c"), "suffix", ("c",), True),
        (("a", "b", "c"), "suffix", ("b", "c"), True),
        (("a", "b", "c"), "suffix", ("a", "b", "c"), True),
        (("a", "b", "c"), "suffix", ("a",), False),
        (("a", "b", "c"), "suffix", ("a", "c"), False),
        (("b", "c"), "suffix", ("a", "b", "c"), False),
        (("a", "b", "c"), "prefix", ("*", "b"), True),
        (("a", "b", "c"), "prefix", ("*", "*", "*"), True),
        (("a", "b", "c"), "prefix", ("*", "*", "*", "*"), False),
        (("a", "b", "c"), "prefix", ("*", "c"), False),
        (("a", "b", "c"), "suffix", ("b", "*"), True),
        (("a", "b", "c"), "suffix", ("*", "b"), False),
        (("a", "b"), "prefix", (), True),
        (("a", "b"), "suffix", (), True),
        ((), "prefix", (), True),
        ((), "suffix", ("*",), False),
        ((), "prefix", ("*",), False),
        (("a*",), "prefix", ("a*",), True),
        (("ab",), "prefix", ("a*",), False),
        (("*",), "prefix", ("a",), False),
        (("A",), "prefix", ("a",), False),
    ],
)
def test_namespace_begins_or_ends_with_a_path(
    namespace: tuple[str, ...], kind: str, path: tuple[str, ...], expected: bool
) -> None:
    assert namespace_matches(namespace, kind, path) is expected


LABELS = st.lists(st.sampled_from(["a", "b", "*"]), max_size=4).map(tuple)


@given(LABELS, LABELS)
def test_a_suffix_is_the_prefix_from_behind(
    namespace: tuple[str, ...], path: tuple[str, ...]
) -> None:
    forward = namespace_matches(namespace, "prefix", path)
    assert namespace_matches(namespace[::-1], "suffix", path[::-1]) is forward


@given(LABELS, st.integers(0, 4))
def test_namespace_begins_and_ends_with_its_own_parts(namespace: tuple[str, ...], cut: int) -> None:
    assert namespace_matches(namespace, "prefix", namespace[:cut])
    assert namespace_matches(namespace, "suffix", namespace[cut:])


# ------------------------------------------------------------------ depth, and nothing at all


def nested(depth: int, key: str) -> dict[str, Any]:
    made: dict[str, Any] = {"a": 1}
    for _ in range(depth):
        made = {key: made}
    return made


@pytest.mark.parametrize("depth", [1, 50, 150])
def test_deep_filters_are_understood(depth: int) -> None:
    assert holds(nested(depth, "a"), nested(depth, "a"))
    assert not holds(nested(depth, "a"), nested(depth - 1, "a"))
    assert holds(nested(depth, "$not"), {"a": 1}) is (depth % 2 == 0)


@pytest.mark.xfail(strict=True, raises=RecursionError, reason="Python's own error comes out")
@pytest.mark.parametrize("key", ["a", "$not"])
def test_filter_nested_too_deeply_is_refused(key: str) -> None:
    with pytest.raises(FilterError):
        parse_filter(nested(5_000, key))


@pytest.mark.xfail(strict=True, reason="nothing at all is taken for the filter that all pass")
@pytest.mark.parametrize("op", ["$and", "$or"])
def test_nothing_at_all_is_no_part_of_a_filter(op: str) -> None:
    with pytest.raises(FilterError):
        parse_filter({op: [None]})


@pytest.mark.parametrize(
    "key",
    [
        "'; DROP TABLE items; --",
        '"',
        "'",
        "a[0]",
        "%",
        "_",
        "\\",
        "\0",
        "\ud83d",
        "🦉",
    ],
    ids=ascii,
)
def test_hostile_keys_are_keys(key: str) -> None:
    assert holds({key: 1}, {key: 1})
    assert not holds({key: 1}, {"a": 1})
    assert holds({key: {"$exists": False}}, {"a": 1})
    assert not holds({key: {"$ne": 1}}, {key: 1})
