"""The conformance suite on `LayeredStore`, in memory and in a file; no deviation is known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from langgraph.store.base import BaseStore, IndexConfig, TTLConfig

from langchain_layered_memory.testing import StoreConformance
from langchain_layered_memory.testing.store_harness import StorePair


class MovableClock:
    """The time of day, moved on by hand without waiting."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def advance(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)


class LayeredStoreSuite(StoreConformance):
    """What both variants share."""

    supports_vectors = True
    supports_ttl = True
    supports_async = True
    supports_two_handles = True

    @pytest.fixture(autouse=True)
    def _clock(self) -> None:
        self.clock = MovableClock()

    def advance(self, store: BaseStore, seconds: float) -> None:
        self.clock.advance(seconds)

    @contextmanager
    def opened(
        self, url: str, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> Iterator[BaseStore]:
        from langchain_layered_memory.adapters.store import LayeredStore

        store = LayeredStore(url, index=index, ttl=ttl, clock=self.clock)
        try:
            yield store
        finally:
            store.close()

    @contextmanager
    def make_pair(self) -> Iterator[StorePair]:
        with TemporaryDirectory() as folder:
            url = f"sqlite:///{Path(folder) / 'store.db'}"
            with self.opened(url) as one, self.opened(url) as other:
                yield one, other


class TestLayeredStoreInMemory(LayeredStoreSuite):
    @contextmanager
    def make_store(
        self, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> Iterator[BaseStore]:
        with self.opened("sqlite:///:memory:", index=index, ttl=ttl) as store:
            yield store


class TestLayeredStoreInAFile(LayeredStoreSuite):
    @contextmanager
    def make_store(
        self, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> Iterator[BaseStore]:
        with TemporaryDirectory() as folder:
            url = f"sqlite:///{Path(folder) / 'store.db'}"
            with self.opened(url, index=index, ttl=ttl) as store:
                yield store
