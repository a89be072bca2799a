"""Behaviour of timestamps: when an item was made and when it was last changed."""

# ruff: noqa: S101
from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, ClassVar

import pytest

from langchain_layered_memory.testing.store_harness import StoreHarness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langgraph.store.base import BaseStore, Item


def _read(store: BaseStore, how: str = "get") -> Item:
    item = store.get(("t",), "k") if how == "get" else store.search(("t",))[0]
    assert item is not None
    return item


@contextmanager
def _time_zone(name: str) -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("this system cannot change its time zone")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", name)
        time.tzset()
        yield
    time.tzset()


class TimeBehaviour(StoreHarness):
    """Timestamps can be trusted."""

    group: ClassVar[str] = "Timestamps"

    def test_overwriting_keeps_created_at_and_moves_updated_at(self, store: BaseStore) -> None:
        """Otherwise nobody can tell how old a memory is."""
        store.put(("t",), "k", {"v": 1})
        before = _read(store)
        self.advance(store, 1.1)
        store.put(("t",), "k", {"v": 2})
        after = _read(store)
        assert after.created_at == before.created_at
        assert after.updated_at > before.updated_at

    @pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles", "Asia/Kathmandu"])
    @pytest.mark.parametrize("read", ["get", "search"])
    def test_times_are_aware_and_utc_in_any_time_zone(
        self, store: BaseStore, read: str, zone: str
    ) -> None:
        """Otherwise memories made on a laptop abroad are hours off, or cannot be compared."""
        with _time_zone(zone):
            store.put(("t",), "k", {"v": 1})
            item = _read(store, read)
        for moment in (item.created_at, item.updated_at):
            assert moment.utcoffset() == timedelta(0)
            assert abs(datetime.now(UTC) - moment) < timedelta(minutes=1)

    def test_reading_changes_no_timestamp(self, store: BaseStore) -> None:
        """Otherwise everything that is read looks freshly changed."""
        store.put(("t",), "k", {"v": 1})
        before = _read(store)
        self.advance(store, 1.1)
        found = _read(store, "search")
        assert (found.created_at, found.updated_at) == (before.created_at, before.updated_at)
