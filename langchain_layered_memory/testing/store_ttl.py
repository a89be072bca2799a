"""Behaviour of time to live: items expire when they should, and only then."""

# ruff: noqa: S101
from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, cast

import pytest
from langgraph.store.base import BaseStore, PutOp, TTLConfig

from langchain_layered_memory.testing.store_harness import (
    StoreFactory,
    StoreHarness,
    TTLStoreFactory,
)
from langchain_layered_memory.testing.store_helpers import (
    REFUSALS,
    error_of,
    keys,
    namespaces,
    value_at,
)

if TYPE_CHECKING:
    from collections.abc import Callable

SHORT = 1.2 / 60
"""A little over a second, in minutes."""
PAST_SHORT = 2.6
"""Seconds after which `SHORT` is over, also for a store that counts whole seconds."""


class _Sweeps(Protocol):
    def sweep_ttl(self) -> int: ...


def _sweep(store: BaseStore) -> int:
    return cast("_Sweeps", store).sweep_ttl()


def _is_there(store: BaseStore, namespace: tuple[str, ...] = ("t",), key: str = "k") -> bool:
    return store.get(namespace, key, refresh_ttl=False) is not None


class TTLBehaviour(StoreHarness):
    """Items expire when they should."""

    group: ClassVar[str] = "Time to live"

    def test_expired_item_is_omitted_before_it_is_swept(
        self, open_ttl_store: TTLStoreFactory
    ) -> None:
        """Otherwise what should be forgotten is still recalled until the sweeper comes round."""
        store = open_ttl_store()
        store.put(("t",), "k", {"v": 1}, ttl=SHORT)
        store.put(("u",), "long", {"v": 1}, ttl=5)
        assert _is_there(store)
        self.advance(store, PAST_SHORT)
        assert not _is_there(store)
        assert keys(store.search((), refresh_ttl=False)) == ["long"]
        assert namespaces(store.list_namespaces()) == [("u",)]

    def test_sweep_removes_what_has_expired(self, open_store: StoreFactory) -> None:
        """Otherwise the database grows for ever, and deleted data stays on the disk."""
        self.require("supports_ttl")
        store = open_store(ttl=TTLConfig(omit_expired=False, refresh_on_read=False))
        store.put(("t",), "k", {"v": 1}, ttl=SHORT)
        store.put(("t",), "long", {"v": 1}, ttl=5)
        self.advance(store, PAST_SHORT)
        assert _sweep(store) == 1
        assert keys(store.search(("t",))) == ["long"]
        assert _sweep(store) == 0

    def test_default_ttl_is_used_where_none_is_given(self, open_ttl_store: TTLStoreFactory) -> None:
        """Otherwise a configured retention period has no effect."""
        store = open_ttl_store(default_ttl=SHORT)
        store.put(("t",), "k", {"v": 1})
        store.put(("t",), "own", {"v": 1}, ttl=5)
        self.advance(store, PAST_SHORT)
        _sweep(store)
        assert not _is_there(store)
        assert _is_there(store, key="own")

    def test_ttl_none_never_expires(self, open_ttl_store: TTLStoreFactory) -> None:
        """Otherwise what was marked as permanent is lost with the rest."""
        store = open_ttl_store(default_ttl=SHORT)
        store.put(("t",), "k", {"v": 1}, ttl=None)
        self.advance(store, PAST_SHORT)
        _sweep(store)
        assert _is_there(store)

    @pytest.mark.parametrize("read", ["get", "search"])
    def test_reading_extends_life_unless_told_not_to(
        self, open_ttl_store: TTLStoreFactory, read: str
    ) -> None:
        """Otherwise memories in daily use are forgotten, or a mere look keeps them alive."""
        store = open_ttl_store(refresh_on_read=True)
        for namespace in ("read", "peeked"):
            store.put((namespace,), "k", {"v": 1}, ttl=4 / 60)
        self.advance(store, 2.5)
        for namespace, refresh in (("read", None), ("peeked", False)):
            if read == "get":
                assert store.get((namespace,), "k", refresh_ttl=refresh)
            else:
                assert store.search((namespace,), refresh_ttl=refresh)
        self.advance(store, 2.6)
        _sweep(store)
        assert _is_there(store, ("read",))
        assert not _is_there(store, ("peeked",))

    def test_refresh_keeps_the_items_own_ttl(self, open_ttl_store: TTLStoreFactory) -> None:
        """Otherwise one look turns a minute into the default of days."""
        store = open_ttl_store(default_ttl=60, refresh_on_read=True)
        store.put(("t",), "k", {"v": 1}, ttl=SHORT)
        store.put(("t",), "never", {"v": 1}, ttl=None)
        assert store.get(("t",), "k")
        assert store.get(("t",), "never")
        self.advance(store, PAST_SHORT)
        _sweep(store)
        assert not _is_there(store)
        assert _is_there(store, key="never")

    def test_overwriting_starts_a_new_life(self, open_ttl_store: TTLStoreFactory) -> None:
        """Otherwise a fact that was confirmed again vanishes at its old hour."""
        store = open_ttl_store()
        for key, ttl in {"permanent": None, "longer": 5.0, "shorter": SHORT}.items():
            store.put(("t",), key, {"v": 1}, ttl=5 if key == "shorter" else SHORT)
            store.put(("t",), key, {"v": 2}, ttl=ttl)
        self.advance(store, PAST_SHORT)
        _sweep(store)
        assert keys(store.search(("t",))) == ["longer", "permanent"]
        assert value_at(store, ("t",), "longer") == {"v": 2}

    def test_expired_key_can_be_written_again(self, open_ttl_store: TTLStoreFactory) -> None:
        """Otherwise an expired item blocks its successor, or passes on its age."""
        store = open_ttl_store()
        store.put(("t",), "k", {"v": 1}, ttl=SHORT)
        self.advance(store, PAST_SHORT)
        store.put(("t",), "k", {"v": 2}, ttl=None)
        _sweep(store)
        assert value_at(store, ("t",), "k") == {"v": 2}

    @pytest.mark.parametrize("ttl", [0, -1, float("nan")], ids=repr)
    def test_senseless_ttl_is_refused_or_expires_at_once(
        self, open_ttl_store: TTLStoreFactory, ttl: float
    ) -> None:
        """Otherwise a mistake in a retention period keeps data for ever."""
        store = open_ttl_store()
        try:
            store.put(("t",), "k", {"v": 1}, ttl=ttl)
        except REFUSALS:
            return
        self.advance(store, 1.2)
        _sweep(store)
        assert not _is_there(store)

    @pytest.mark.parametrize("way", ["put", "batch"])
    def test_store_without_expiry_refuses_a_ttl(self, store: BaseStore, way: str) -> None:
        """Otherwise data that was promised to vanish is kept for ever."""
        if self.supports_ttl:
            pytest.skip(f"{type(self).__name__} declares supports_ttl")
        ways: dict[str, Callable[[], object]] = {
            "put": lambda: store.put(("t",), "k", {"v": 1}, ttl=5),
            "batch": lambda: store.batch([PutOp(("t",), "k", {"v": 1}, None, 5)]),
        }
        assert isinstance(error_of(ways[way]), NotImplementedError | ValueError | TypeError)
