"""Behaviour of stored values: what goes in comes out, or is refused at once."""

# ruff: noqa: S101
from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import UUID

import pytest

from langchain_layered_memory.testing.store_harness import StoreHarness
from langchain_layered_memory.testing.store_helpers import (
    REFUSALS,
    Namespace,
    keys,
    namespaces,
    still_works,
    value_at,
)

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

ODD_TEXTS = {
    "emoji": "👩🏽‍🚀 and 👨‍👩‍👧‍👦",
    "right-to-left": "مرحبا שלום",
    "cjk": "記憶は大切です",
    "combining": "e\u0301\u0323o\u0308",
    "zero-width": "a\u200bb\ufeffc",
    "control": "\x01\x02\x1f\x7f",
    "line-breaks": "a\nb\tc\r\n",
    "quotes": 'it\'s "said" `so`',
    "wildcards": "100%_of*what?[x]\\",
    "json": '{"a": [1, null]}',
    "sql": "'); DROP TABLE store; --",
    "template": "{name} {{x}} ${y} %(z)s",
    "outer-spaces": "  both ends  ",
}


class _Colour(Enum):
    RED = "red"


@dataclass
class _Point:
    x: int
    y: int


ODD_VALUES: dict[str, Any] = {
    "aware-datetime": datetime(2024, 3, 1, 12, tzinfo=UTC),
    "naive-datetime": datetime(2024, 3, 1, 12),
    "date": date(2024, 3, 1),
    "decimal": Decimal("10.10"),
    "uuid": UUID(int=5),
    "bytes": b"\x00\xff",
    "set": {1, 2},
    "enum": _Colour.RED,
    "dataclass": _Point(1, 2),
    "complex": 1 + 2j,
    "nan": math.nan,
    "infinity": math.inf,
    "int-keys": {1: "a"},
    "2**63": 2**63,
    "2**70": 2**70,
    "function": len,
}

CUT_EMOJI = "cut \ud83d emoji"
LONG_LABEL = "".join(chr(ord("a") + i * i % 23) for i in range(10_000))


def _is_same(found: Any, given: Any) -> bool:
    if isinstance(given, float) and math.isnan(given):
        return isinstance(found, float) and math.isnan(found)
    return bool(found == given) and type(found) is type(given)


def _kept_or_refused(store: BaseStore, namespace: Namespace, key: str, value: Any) -> None:
    try:
        store.put(namespace, key, value)
    except REFUSALS:
        still_works(store)
        return
    assert value_at(store, namespace, key) == value
    still_works(store)


class ValueBehaviour(StoreHarness):
    """What goes in comes out."""

    group: ClassVar[str] = "Values"

    @pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
    def test_odd_text_comes_back_unchanged(self, store: BaseStore, text: str) -> None:
        """Otherwise people whose names are not plain English lose what they said."""
        namespace, value = ("people", text), {"text": text, text: [text, {"inner": text}]}
        store.put(namespace, text, value)
        (hit,) = store.search(namespace)
        assert (hit.key, tuple(hit.namespace), hit.value) == (text, namespace, value)
        assert value_at(store, namespace, text) == value
        assert namespaces(store.list_namespaces()) == [namespace]
        store.delete(namespace, text)
        assert store.get(namespace, text) is None

    def test_nul_inside_a_value_comes_back_or_is_refused(self, store: BaseStore) -> None:
        """Otherwise text pasted from a binary file is cut off at its first NUL."""
        _kept_or_refused(store, ("n",), "k", {"text": "before\x00after", "a\x00b": 1})

    def test_composed_and_decomposed_keys_are_two_keys(self, store: BaseStore) -> None:
        """Otherwise two records that look alike overwrite each other."""
        store.put(("n",), "caf\u00e9", {"v": 1})
        store.put(("n",), "cafe\u0301", {"v": 2})
        assert value_at(store, ("n",), "caf\u00e9") == {"v": 1}
        assert keys(store.search(("n",))) == ["cafe\u0301", "caf\u00e9"]

    @pytest.mark.parametrize("place", ["value", "field", "key", "label"])
    def test_lone_surrogate_is_kept_or_refused(self, store: BaseStore, place: str) -> None:
        """Otherwise an emoji cut in half by a tokenizer breaks the store for everybody."""
        namespace = ("n", CUT_EMOJI if place == "label" else "plain")
        key = CUT_EMOJI if place == "key" else "k"
        values = {"value": {"text": CUT_EMOJI}, "field": {CUT_EMOJI: "x"}}
        _kept_or_refused(store, namespace, key, values.get(place, {"text": "x"}))

    @pytest.mark.parametrize("place", ["key", "label", "depth"])
    def test_very_long_name_is_kept_or_refused(self, store: BaseStore, place: str) -> None:
        """Otherwise a driver's own error, or a silent cut, is all the caller gets."""
        namespaces_by_place = {
            "label": ("n", LONG_LABEL),
            "depth": tuple(f"level {number}" for number in range(200)),
        }
        key = LONG_LABEL if place == "key" else "k"
        _kept_or_refused(store, namespaces_by_place.get(place, ("n",)), key, {"v": 1})

    @pytest.mark.parametrize("value", ODD_VALUES.values(), ids=ODD_VALUES)
    def test_value_beyond_json_is_kept_or_refused(self, store: BaseStore, value: Any) -> None:
        """Otherwise a date silently turns into text, and the code that reads it breaks later."""
        try:
            store.put(("v",), "k", {"v": value})
        except REFUSALS:
            assert store.get(("v",), "k") is None
        else:
            found = value_at(store, ("v",), "k")["v"]
            assert _is_same(found, value), f"{value!r} became {found!r}"
        still_works(store)

    def test_every_json_type_comes_back_as_itself(self, store: BaseStore) -> None:
        """Otherwise true turns into 1, or null goes missing."""
        given: dict[str, Any] = {
            "t": True,
            "f": False,
            "i": 1,
            "x": 1.5,
            "n": None,
            "l": [[], {}],
            "e": "",
            "": 0,
        }
        store.put(("v",), "k", given)
        found = value_at(store, ("v",), "k")
        assert found == given
        assert {key: type(part) for key, part in found.items()} == {
            key: type(part) for key, part in given.items()
        }

    def test_empty_value_is_a_value(self, store: BaseStore) -> None:
        """Otherwise a marker without content counts as deleted."""
        store.put(("v",), "k", {})
        assert value_at(store, ("v",), "k") == {}
        assert keys(store.search(("v",))) == ["k"]

    def test_changing_the_given_dict_later_changes_nothing(self, store: BaseStore) -> None:
        """Otherwise a caller who reuses a dict rewrites what is stored."""
        given: dict[str, Any] = {"list": [1], "deep": {"n": 1}}
        store.put(("v",), "k", given)
        given["list"].append(2)
        given["deep"]["n"] = 2
        assert value_at(store, ("v",), "k") == {"list": [1], "deep": {"n": 1}}

    @pytest.mark.parametrize("read", ["get", "search"])
    def test_changing_a_returned_dict_changes_nothing(self, store: BaseStore, read: str) -> None:
        """Otherwise code that edits a result rewrites what others read."""
        store.put(("v",), "k", {"deep": {"n": 1}})
        item = store.get(("v",), "k") if read == "get" else store.search(("v",))[0]
        assert item is not None
        item.value["deep"]["n"] = 2
        item.value["new"] = True
        assert value_at(store, ("v",), "k") == {"deep": {"n": 1}}

    def test_five_megabytes_come_back(self, store: BaseStore) -> None:
        """Otherwise a long transcript is cut or refused."""
        text = "памятка " * 700_000
        store.put(("v",), "k", {"text": text})
        assert value_at(store, ("v",), "k")["text"] == text

    def test_overwriting_replaces_the_whole_value(self, store: BaseStore) -> None:
        """Otherwise fields of the old version shine through the new one."""
        store.put(("v",), "k", {"old": 1, "both": 1})
        store.put(("v",), "k", {"both": 2})
        assert value_at(store, ("v",), "k") == {"both": 2}

    def test_deleting_reaches_one_key_in_one_namespace(self, store: BaseStore) -> None:
        """Otherwise forgetting one thing forgets its neighbours, or fails the second time."""
        for namespace in (("a",), ("a", "b")):
            store.put(namespace, "k", {"v": 1})
        for namespace in (("a",), ("a",), ("never",)):
            store.delete(namespace, "k")
        assert store.get(("a",), "k") is None
        assert value_at(store, ("a", "b"), "k") == {"v": 1}
