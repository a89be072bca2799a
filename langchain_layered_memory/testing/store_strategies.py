"""What may go into a store, as hypothesis strategies; imported only where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

JSON_NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
JSON = st.recursive(
    st.none() | st.booleans() | JSON_NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
VALUES = st.dictionaries(TEXTS, JSON, max_size=5)
LABELS = TEXTS.map(lambda text: text.replace(".", "")).filter(bool)
NAMESPACES = (
    st.lists(LABELS, min_size=1, max_size=4).map(tuple).filter(lambda n: n[0] != "langgraph")
)
KEYS = TEXTS.filter(bool)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["x", "y"]),
        st.sampled_from(["a", "b", "c"]),
        st.none() | st.integers(0, 9),
    ),
    max_size=15,
)

_quietly = settings(
    max_examples=50,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def for_any_item(check: Callable[[Any, str, dict[str, Any]], None]) -> Callable[[], None]:
    """Return a function that runs the check on many namespaces, keys and values.

    Args:
        check: Raises AssertionError where the property does not hold.
    """
    return _quietly(given(NAMESPACES, KEYS, VALUES)(check))


def for_any_steps(
    check: Callable[[list[tuple[str, str, int | None]]], None],
) -> Callable[[], None]:
    """Return a function that runs the check on many sequences of steps.

    Args:
        check: Gets (label, key, number) for each step; no number means delete.
    """
    return _quietly(given(STEPS)(check))


def same_json(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal; unlike in Python, true is not 1.

    Args:
        one: A JSON value.
        other: The value to compare it with.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
