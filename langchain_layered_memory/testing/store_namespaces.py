"""Behaviour of namespaces: nobody reaches what belongs to somebody else, and lists are right."""

# ruff: noqa: S101
from __future__ import annotations

from typing import Any, ClassVar

import pytest
from langgraph.store.base import BaseStore, ListNamespacesOp, MatchCondition, PutOp

from langchain_layered_memory.testing.store_harness import StoreHarness
from langchain_layered_memory.testing.store_helpers import (
    REFUSALS,
    Namespace,
    error_of,
    keys,
    namespaces,
    value_at,
)

LOOK_ALIKES: list[tuple[Namespace, Namespace]] = [
    (("user", "1"), ("user", "10")),
    (("tenant", "acme"), ("tenant", "acme-corp")),
    (("team_a",), ("team", "a")),
    (("tenant", "a"), ("a", "tenant")),
    (("a_b",), ("axb",)),
    (("john_doe",), ("john-doe",)),
    (("a%",), ("abc",)),
    (("%",), ("zzz",)),
    (("a*",), ("abc",)),
    (("*",), ("zzz",)),
    (("a?",), ("ab",)),
    (("[ab]",), ("a",)),
    (("[^b]",), ("a",)),
    (("a\\",), ("a\\b",)),
    (("a\\%",), ("a%",)),
    (("a:b",), ("a", "b")),
    (("a/b",), ("a", "b")),
    (("a|b",), ("a", "b")),
    (("a\n",), ("a",)),
    (("User",), ("user",)),
    (("straße",), ("strasse",)),
    (("x) | @prefix:(y",), ("y",)),
]

BAD_NAMESPACES: list[Any] = [
    (),
    ("",),
    ("a", ""),
    ("a.b",),
    ("langgraph", "x"),
    (None, "a"),
    ("a", None),
    ("a", 1),
    ("a", True),
]

TREE: list[Namespace] = [
    ("u", "1"),
    ("u", "1", "mem"),
    ("u", "1", "x", "mem"),
    ("u", "10", "mem"),
    ("u", "malmem"),
    ("v", "1", "mem"),
]

CONDITIONS: dict[str, tuple[dict[str, Any], list[Namespace]]] = {
    "prefix": ({"prefix": ("u", "1")}, TREE[0:3]),
    "suffix": ({"suffix": ("mem",)}, [TREE[1], TREE[2], TREE[3], TREE[5]]),
    "wildcard-in-prefix": ({"prefix": ("u", "*", "mem")}, [TREE[1], TREE[3]]),
    "wildcard-in-suffix": ({"suffix": ("1", "*")}, [TREE[1], TREE[5]]),
    "wildcard-first": ({"prefix": ("*", "1")}, [TREE[0], TREE[1], TREE[2], TREE[5]]),
    "both": ({"prefix": ("u",), "suffix": ("mem",)}, TREE[1:4]),
    "overlapping": ({"prefix": ("u", "1"), "suffix": ("1",)}, [TREE[0]]),
    "longer-than-any": ({"prefix": ("u", "1", "x", "mem", "y")}, []),
    "unknown": ({"prefix": ("nobody",)}, []),
    "none": ({}, TREE),
}

LITERAL_LABELS = ["a%c", "a_c", "a[b]c", "a?c", "a\\c", "a+c", "(a|c)", "^a$"]


def _fill(store: BaseStore, tree: list[Namespace]) -> None:
    store.batch([PutOp(namespace, "k", {"v": 1}) for namespace in tree])


class NamespaceBehaviour(StoreHarness):
    """Namespaces keep people apart."""

    group: ClassVar[str] = "Namespaces"

    @pytest.mark.parametrize(("mine", "theirs"), LOOK_ALIKES, ids=lambda pair: "+".join(pair))
    def test_look_alike_namespaces_never_reach_each_other(
        self, store: BaseStore, mine: Namespace, theirs: Namespace
    ) -> None:
        """Otherwise one user reads or deletes what another user said."""
        store.put(mine, "k", {"who": "mine"})
        store.put((*mine, "deep"), "d", {"who": "mine"})
        store.put(theirs, "k", {"who": "theirs"})
        assert {item.value["who"] for item in store.search(mine, limit=50)} == {"mine"}
        assert {item.value["who"] for item in store.search(theirs, limit=50)} == {"theirs"}
        assert store.search(mine, filter={"who": "theirs"}) == []
        if "*" not in mine:
            assert theirs not in namespaces(store.list_namespaces(prefix=mine))
        store.delete(mine, "k")
        assert value_at(store, theirs, "k") == {"who": "theirs"}

    def test_search_covers_everything_below_its_prefix(self, store: BaseStore) -> None:
        """Otherwise items in deeper namespaces cannot be found together."""
        for depth in range(1, 4):
            store.put(("a", "b", "c")[:depth], f"at{depth}", {"v": 1})
        store.put(("b",), "beside", {"v": 1})
        assert keys(store.search(("a", "b"))) == ["at2", "at3"]
        assert keys(store.search(())) == ["at1", "at2", "at3", "beside"]

    @pytest.mark.parametrize("namespace", BAD_NAMESPACES, ids=repr)
    def test_bad_namespace_is_refused(self, store: BaseStore, namespace: Any) -> None:
        """Otherwise items are stored where nobody finds them, or where somebody else does."""
        with pytest.raises(REFUSALS):
            store.put(namespace, "k", {"v": 1})
        assert store.search(()) == []
        assert store.list_namespaces() == []

    @pytest.mark.parametrize("namespace", [(None, "a"), ("u", None), ("u", 1)], ids=repr)
    def test_bad_namespace_in_a_batch_does_no_lasting_harm(
        self, store: BaseStore, namespace: Any
    ) -> None:
        """Otherwise one bad label makes every later listing fail."""
        store.put(("u", "1"), "k", {"v": 1})
        error_of(lambda: store.batch([PutOp(namespace, "k", {"v": 1})]))
        assert ("u", "1") in namespaces(store.list_namespaces())
        assert "k" in keys(store.search(("u", "1")))

    def test_reading_creates_no_namespace(self, store: BaseStore) -> None:
        """Otherwise lists fill with users who never stored anything."""
        store.get(("ghost", "1"), "k")
        store.search(("ghost", "2"))
        store.delete(("ghost", "3"), "k")
        assert store.list_namespaces() == []

    def test_namespace_vanishes_with_its_last_item(self, store: BaseStore) -> None:
        """Otherwise a user who was forgotten still appears in lists."""
        store.put(("u", "1"), "k", {"v": 1})
        store.delete(("u", "1"), "k")
        assert store.list_namespaces() == []


class NamespaceListBehaviour(StoreHarness):
    """Namespaces are listed rightly."""

    group: ClassVar[str] = "Namespace lists"

    @pytest.mark.parametrize(("condition", "expected"), CONDITIONS.values(), ids=CONDITIONS)
    def test_conditions_choose_namespaces(
        self, store: BaseStore, condition: dict[str, Any], expected: list[Namespace]
    ) -> None:
        """Otherwise a clean-up over a pattern misses users or hits the wrong ones."""
        _fill(store, TREE)
        assert sorted(namespaces(store.list_namespaces(**condition))) == sorted(expected)

    def test_two_conditions_of_one_kind_both_hold(self, store: BaseStore) -> None:
        """Otherwise a second condition in the operation is ignored."""
        _fill(store, TREE)
        paths: list[tuple[str, ...]] = [("u",), ("*", "1")]
        conditions = tuple(MatchCondition("prefix", path) for path in paths)
        (found,) = store.batch([ListNamespacesOp(conditions)])
        assert sorted(namespaces(found)) == TREE[0:3]  # type: ignore[arg-type]

    @pytest.mark.parametrize("label", LITERAL_LABELS)
    def test_other_wildcards_are_plain_characters(self, store: BaseStore, label: str) -> None:
        """Otherwise a percent sign in a name matches every other name."""
        _fill(store, [("p", other, "s") for other in ["abc", "a", *LITERAL_LABELS]])
        assert namespaces(store.list_namespaces(prefix=("p", label))) == [("p", label, "s")]
        assert namespaces(store.list_namespaces(suffix=(label, "s"))) == [("p", label, "s")]

    def test_deeper_namespaces_are_cut_and_named_once(self, store: BaseStore) -> None:
        """Otherwise an overview by depth repeats itself or misses branches."""
        _fill(store, TREE)
        assert namespaces(store.list_namespaces(max_depth=1)) == [("u",), ("v",)]
        assert namespaces(store.list_namespaces(max_depth=2, prefix=("u",))) == [
            ("u", "1"),
            ("u", "10"),
            ("u", "malmem"),
        ]

    def test_namespaces_come_sorted(self, store: BaseStore) -> None:
        """Otherwise pages of namespaces overlap."""
        _fill(store, [*reversed(TREE)])
        assert namespaces(store.list_namespaces()) == TREE

    def test_pages_of_namespaces_are_disjoint_and_complete(self, store: BaseStore) -> None:
        """Otherwise a walk over all users visits some twice and others never."""
        _fill(store, [(f"u{number:02d}", "x") for number in range(23)])
        for depth in (None, 1):
            found = [
                namespace[0]
                for offset in range(0, 30, 5)
                for namespace in store.list_namespaces(max_depth=depth, limit=5, offset=offset)
            ]
            assert found == [f"u{number:02d}" for number in range(23)]

    def test_namespace_with_many_items_is_named_once(self, store: BaseStore) -> None:
        """Otherwise counts of users are counts of items."""
        for number in range(5):
            store.put(("u", "1"), f"k{number}", {"v": 1})
        assert namespaces(store.list_namespaces(limit=3)) == [("u", "1")]
