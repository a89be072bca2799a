"""What a search filter means, once for every backend.

`parse_filter` turns a user's filter into a small tree and raises on anything unknown; `matches`
is the reference meaning of that tree. A backend may compile the tree to SQL, held to `matches` by
a property test. Keys and values stay data throughout: nothing here formats them into a query.

The rules: numbers compare as numbers, strings as strings, and never with each other; true is not
1; a missing key matches nothing but `$ne`, `$nin`, `$not` and `$exists: False`; a plain dict asks
for a subset, a plain list for the same list; a dotted key is tried as it stands, then as a path.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from langchain_layered_memory.errors import FilterError

Range = Literal["$gt", "$gte", "$lt", "$lte"]
_RANGES: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_KNOWN = "$eq $ne $gt $gte $lt $lte $in $nin $exists $not; and $and $or $not over whole filters"


_FIELD_OPERATORS = frozenset({"$eq", "$ne", *_RANGES, "$in", "$nin", "$exists"})


class _Missing:
    """The value of a key that is not there; unlike None, which is a value."""


_MISSING = _Missing()


@dataclass(frozen=True, slots=True)
class Equals:
    """The same value, of the same JSON type."""

    value: Any


@dataclass(frozen=True, slots=True)
class Compare:
    """Numbers against a number, or strings against a string."""

    op: Range
    value: Any


@dataclass(frozen=True, slots=True)
class OneOf:
    """Equal to one of the values."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """The key is there, or is not."""

    wanted: bool


@dataclass(frozen=True, slots=True)
class Subset:
    """A dict in which every named key passes its test."""

    tests: tuple[tuple[str, Test], ...]


@dataclass(frozen=True, slots=True)
class SameList:
    """A list of the same length whose elements pass their tests one by one."""

    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class Negated:
    """What does not pass the test; a missing key passes."""

    test: Test


@dataclass(frozen=True, slots=True)
class AllOf:
    """What passes every test."""

    tests: tuple[Test, ...]


Test = Equals | Compare | OneOf | Exists | Subset | SameList | Negated | AllOf


@dataclass(frozen=True, slots=True)
class Field:
    """The value at a key passes a test."""

    key: str
    test: Test


@dataclass(frozen=True, slots=True)
class And:
    """Every part holds; with no part, everything matches."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Filter


Filter = Field | And | Or | Not
EVERYTHING: Filter = And(())


def namespace_matches(namespace: tuple[str, ...], kind: str, path: tuple[str, ...]) -> bool:
    """Whether a namespace begins ("prefix") or ends ("suffix") with a path; "*" is any label."""
    start = 0 if kind == "prefix" else len(namespace) - len(path)
    part = namespace[start : start + len(path)] if start >= 0 else ()
    return len(part) == len(path) and all(
        wanted in ("*", label) for wanted, label in zip(path, part, strict=True)
    )


# ------------------------------------------------------------------ parsing


def parse_filter(raw: Mapping[str, Any] | None) -> Filter:
    """Return the tree of a filter as users write it.

    Raises:
        FilterError: On an unknown operator, or an operand that the operator cannot take.
    """
    if raw is None or raw == {}:
        return EVERYTHING
    return And(tuple(_parse_part(key, operand) for key, operand in _items(raw)))


def _items(raw: object) -> list[tuple[str, Any]]:
    if not isinstance(raw, Mapping):
        raise FilterError(f"a filter is a dict, got {raw!r}")
    for key in raw:
        if not isinstance(key, str):
            raise FilterError(f"filter keys are text, as JSON's are; got {key!r}")
    return list(raw.items())


def _parse_part(key: str, operand: Any) -> Filter:
    if key in ("$and", "$or"):
        parts = tuple(parse_filter(part) for part in _sequence(key, operand))
        return And(parts) if key == "$and" else Or(parts)
    if key == "$not":
        return Not(And(tuple(_parse_part(k, v) for k, v in _items(operand))))
    if key in _FIELD_OPERATORS:
        raise FilterError(f"{key} tests the value of a key; write {{'key': {{{key!r}: …}}}}")
    if key.startswith("$") and isinstance(operand, (Mapping, list, tuple)):
        raise FilterError(f"unknown operator {key!r}; known are {_KNOWN}")
    return Field(key, _parse_test(operand))


def _sequence(key: str, operand: Any) -> Sequence[Any]:
    if isinstance(operand, (set, frozenset)):
        return list(operand)
    if not isinstance(operand, (list, tuple)):
        raise FilterError(f"{key} takes a list, got {operand!r}")
    return operand


def _parse_test(operand: Any) -> Test:
    if isinstance(operand, Mapping):
        items = _items(operand)
        if any(key.startswith("$") for key, _ in items):
            return _parse_operators(items)
        return Subset(tuple((key, _parse_test(value)) for key, value in items))
    if isinstance(operand, (list, tuple)):
        return SameList(tuple(_parse_test(value) for value in operand))
    return Equals(operand)


def _parse_operators(items: list[tuple[str, Any]]) -> Test:
    tests = tuple(_parse_operator(op, operand) for op, operand in items)
    return tests[0] if len(tests) == 1 else AllOf(tests)


def _parse_operator(op: str, operand: Any) -> Test:
    if op == "$eq":
        return Equals(operand)
    if op == "$ne":
        return Negated(Equals(operand))
    if op in get_args(Range):
        return _parse_range(op, operand)
    if op == "$in":
        return OneOf(tuple(_sequence(op, operand)))
    if op == "$nin":
        return Negated(OneOf(tuple(_sequence(op, operand))))
    if op == "$exists":
        if not isinstance(operand, bool):
            raise FilterError(f"$exists takes true or false, got {operand!r}")
        return Exists(operand)
    if op == "$not":
        return Negated(_parse_operators(_items(operand)))
    raise FilterError(f"unknown operator {op!r}; known are {_KNOWN}")


def _parse_range(op: Any, operand: Any) -> Test:
    if not (_is_number(operand) or isinstance(operand, str)):
        raise FilterError(f"{op} compares with a number or a string, got {operand!r}")
    return Compare(op, operand)


# ------------------------------------------------------------------ meaning


def matches(condition: Filter, value: Mapping[str, Any]) -> bool:
    """Whether a stored value fulfils a filter."""
    return predicate(condition)(value)


def predicate(condition: Filter) -> Callable[[Mapping[str, Any]], bool]:
    """Return `matches` for one filter, taken apart once for many values."""
    match condition:
        case Field(key, test):
            at, passes = _getter(key), _check(test)
            return lambda value: passes(at(value))
        case And((part,)) | Or((part,)):
            return predicate(part)
        case And(parts):
            needed = [predicate(part) for part in parts]
            return lambda value: all(each(value) for each in needed)
        case Or(parts):
            enough = [predicate(part) for part in parts]
            return lambda value: any(each(value) for each in enough)
        case Not(part):
            inner = predicate(part)
            return lambda value: not inner(value)


def _getter(key: str) -> Callable[[Mapping[str, Any]], Any]:
    """A dotted key is tried as it stands, then as a path."""
    if "." not in key:
        return lambda value: value.get(key, _MISSING)
    path = key.split(".")
    return lambda value: value[key] if key in value else _along(value, path)


def _along(value: Any, path: list[str]) -> Any:
    for label in path:
        if not isinstance(value, Mapping) or label not in value:
            return _MISSING
        value = value[label]
    return value


def _check(test: Test) -> Callable[[Any], bool]:
    match test:
        case Negated(inner):
            passes = _check(inner)
            return lambda value: not passes(value)
        case AllOf(tests):
            needed = [_check(each) for each in tests]
            return lambda value: all(each(value) for each in needed)
        case Exists(wanted):
            return lambda value: (value is not _MISSING) == wanted
        case Equals(wanted):
            return lambda value: _same(wanted, value)
        case OneOf(values):
            return lambda value: any(_same(each, value) for each in values)
        case Compare(op, bound):
            compare, comparable = _RANGES[op], _is_text if isinstance(bound, str) else _is_number
            return lambda value: comparable(value) and compare(value, bound)
        case Subset(fields):
            inside = [(key, _check(each)) for key, each in fields]
            return lambda value: (
                isinstance(value, Mapping)
                and all(passes(value.get(key, _MISSING)) for key, passes in inside)
            )
        case SameList(tests):
            elements = [_check(each) for each in tests]
            return lambda value: (
                _same_length(elements, value)
                and all(passes(each) for passes, each in zip(elements, value, strict=True))
            )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _same_length(elements: Sequence[object], value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == len(elements)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _same(wanted: Any, value: Any) -> bool:
    """Equality as JSON has it: true is not 1, 1 is 1.0, at any depth."""
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    if isinstance(wanted, Mapping) and isinstance(value, Mapping):
        return wanted.keys() == value.keys() and all(_same(wanted[k], value[k]) for k in wanted)
    if isinstance(wanted, (list, tuple)) and isinstance(value, (list, tuple)):
        return len(wanted) == len(value) and all(map(_same, wanted, value))
    return bool(wanted == value)
