"""The base of all store behaviours: how a store is made, what it can do, how it deviates."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, ClassVar, Protocol

import pytest
from langgraph.store.base import BaseStore, IndexConfig, TTLConfig

from langchain_layered_memory.testing.store_helpers import index_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from langchain_layered_memory.testing.embeddings import HashEmbeddings

StorePair = tuple[BaseStore, BaseStore]


class StoreFactory(Protocol):
    """Opens an empty store that is closed when the test ends."""

    def __call__(
        self, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> BaseStore:
        """Return the store."""


class VectorStoreFactory(Protocol):
    """Opens an empty store with an index over the given fields."""

    def __call__(self, *fields: str, embed: HashEmbeddings | None = None) -> BaseStore:
        """Return the store."""


class TTLStoreFactory(Protocol):
    """Opens an empty store that omits expired items."""

    def __call__(
        self, *, default_ttl: float | None = None, refresh_on_read: bool = False
    ) -> BaseStore:
        """Return the store."""


class StoreHarness:
    """What a subclass says about its store, and the fixtures that the behaviours use."""

    supports_vectors: ClassVar[bool] = False
    """`index` given to `make_store` makes queries rank by meaning."""
    supports_ttl: ClassVar[bool] = False
    """Items can expire, and the store has `sweep_ttl()`."""
    supports_async: ClassVar[bool] = False
    """The methods that begin with "a" work, from any event loop."""
    supports_two_handles: ClassVar[bool] = False
    """`make_pair` opens one database twice."""

    deviations: ClassVar[Mapping[str, str]] = {}
    """Tests known to fail and why, by name, or by name and case: `test_x` or `test_x[case]`.

    They become strict expected failures: once such a test passes, the run fails and says so.
    """
    erratic: ClassVar[Mapping[str, str]] = {}
    """Tests that fail only now and then and why; may pass or fail."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        named = {name.partition("[")[0] for name in (*cls.deviations, *cls.erratic)}
        unknown = sorted(name for name in named if not hasattr(cls, name))
        if unknown:
            raise TypeError(f"{cls.__name__} names tests that do not exist: {', '.join(unknown)}")

    def make_store(
        self, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> AbstractContextManager[BaseStore]:
        """Return a context manager that yields an empty store; every subclass gives one.

        Args:
            index: What to embed and how, or None for a store without vectors.
            ttl: How items expire, or None.
        """
        raise NotImplementedError(f"{type(self).__name__} must define make_store")

    def make_pair(self) -> AbstractContextManager[StorePair]:
        """Return a context manager that yields two handles on one empty database."""
        raise NotImplementedError(f"{type(self).__name__} must define make_pair")

    def advance(self, store: BaseStore, seconds: float) -> None:  # noqa: ARG002
        """Let time pass for the store; override it to move an injected clock.

        Such a clock should start at the present, since timestamps are compared with it.

        Args:
            store: The store under test.
            seconds: How much time passes.
        """
        time.sleep(seconds)

    def require(self, capability: str) -> None:
        """Skip the running test unless the subclass declares the capability.

        Args:
            capability: The name of a class attribute, such as "supports_ttl".
        """
        if not getattr(self, capability):
            pytest.skip(f"{type(self).__name__} does not declare {capability}")

    @pytest.fixture(autouse=True)
    def _expect_known_deviations(self, request: pytest.FixtureRequest) -> None:
        node: pytest.Function = request.node
        for table, strict in ((self.deviations, True), (self.erratic, False)):
            reason = table.get(node.name) or table.get(node.originalname)
            if reason:
                node.add_marker(pytest.mark.xfail(reason=reason, strict=strict))

    @pytest.fixture
    def open_store(self) -> Iterator[StoreFactory]:
        """Open any number of empty stores."""
        with ExitStack() as stack:

            def open_one(
                *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
            ) -> BaseStore:
                return stack.enter_context(self.make_store(index=index, ttl=ttl))

            yield open_one

    @pytest.fixture
    def store(self, open_store: StoreFactory) -> BaseStore:
        """Give one empty store without an index."""
        return open_store()

    @pytest.fixture
    def open_vector_store(self, open_store: StoreFactory) -> VectorStoreFactory:
        """Open empty stores with an index, where the store under test can have one."""
        self.require("supports_vectors")
        return lambda *fields, embed=None: open_store(index=index_on(*fields, embed=embed))

    @pytest.fixture
    def vector_store(self, open_vector_store: VectorStoreFactory) -> BaseStore:
        """Give one empty store that embeds the field "text"."""
        return open_vector_store("text")

    @pytest.fixture
    def open_ttl_store(self, open_store: StoreFactory) -> TTLStoreFactory:
        """Open empty stores that omit expired items, where items can expire."""
        self.require("supports_ttl")

        def open_one(
            *, default_ttl: float | None = None, refresh_on_read: bool = False
        ) -> BaseStore:
            ttl = TTLConfig(omit_expired=True, refresh_on_read=refresh_on_read)
            if default_ttl is not None:
                ttl["default_ttl"] = default_ttl
            return open_store(ttl=ttl)

        return open_one

    @pytest.fixture
    def async_store(self, open_store: StoreFactory) -> BaseStore:
        """Give one empty store whose asynchronous methods work."""
        self.require("supports_async")
        return open_store()

    @pytest.fixture
    def two_handles(self) -> Iterator[StorePair]:
        """Give two handles on one empty database."""
        self.require("supports_two_handles")
        with self.make_pair() as pair:
            yield pair
