"""`LayeredStore`: LangGraph's `BaseStore` over any backend, sync and async in one object.

A batch is planned first (validated, its texts collected), embedded next, with no transaction
open, and then read and written as one transaction. Its reads see the state before its writes, as
in LangGraph's own stores.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from langchain_layered_memory.adapters.indexing import StoreIndex
from langchain_layered_memory.adapters.layer_items import LAYERS_ROOT, read_layers
from langchain_layered_memory.adapters.sweeper import Sweeper
from langchain_layered_memory.adapters.values import dump_value
from langchain_layered_memory.backends.base import Backend, open_backend
from langchain_layered_memory.errors import InvalidInputError, ReservedNamespaceError
from langchain_layered_memory.filters import parse_filter
from langchain_layered_memory.item_requests import (
    ItemBatch,
    ItemGet,
    ItemNamespaces,
    ItemPut,
    ItemRead,
    ItemRow,
    ItemSearch,
    SweepItems,
)
from langchain_layered_memory.requests import Vectors
from langchain_layered_memory.resources import Resources
from langchain_layered_memory.steps import (
    Clock,
    Steps,
    ask,
    embed_documents,
    embed_query,
    utc_now,
)

IN_MEMORY = "sqlite:///:memory:"
_NO_VECTORS: Mapping[str, Vectors] = {}
ReadOp = GetOp | SearchOp | ListNamespacesOp


class _Plan(NamedTuple):
    """A checked batch: what it reads, where the answers go, and what it writes."""

    size: int
    reads: tuple[tuple[int, ReadOp], ...]
    layer_reads: tuple[tuple[int, ReadOp], ...]
    puts: tuple[PutOp, ...]
    values: tuple[str | None, ...]

    @property
    def is_plain_read(self) -> bool:
        """Whether it reads items alone, and asks no question that needs a vector."""
        return not (self.puts or self.layer_reads or any(_query(op) for _, op in self.reads))


class LayeredStore(BaseStore):
    """A `BaseStore` that keeps items, and shows the memory layers, in one database.

    Items of any namespace are kept as in LangGraph's own stores, with the same ranking and scores.
    Below the root `("layers", tenant, user, layer)` the records of `LayeredMemory` are read as
    items; they are changed through `LayeredMemory` alone.

    Args:
        url: `sqlite:///file.db`, or `sqlite:///:memory:` for a store that ends with the process.
        index: LangGraph's `IndexConfig`, with `"hybrid": True` to rank by words as well as by
            meaning (without `embed`, by words alone).
        ttl: LangGraph's `TTLConfig`; times to live are minutes, fractions allowed.
        clock: Gives the time of day, aware; for tests.
        backend: A backend that is open already, in place of `url`; closing the store leaves it.

    Example:
        >>> store = LayeredStore()
        >>> store.put(("users", "ann"), "likes", {"drink": "green tea"})
        >>> store.get(("users", "ann"), "likes").value
        {'drink': 'green tea'}
    """

    supports_ttl = True

    def __init__(
        self,
        url: str = IN_MEMORY,
        *,
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
        clock: Clock = utc_now,
        backend: Backend | None = None,
    ) -> None:
        self.ttl_config = ttl
        self.index_config = index
        self._index = StoreIndex.from_config(index)
        self._clock = clock
        self._owns_backend = backend is None
        self._backend = open_backend(url) if backend is None else backend
        self._resources = Resources(
            self._backend, embeddings=self._index.embeddings, dims=self._index.dims
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sweeper = Sweeper(self.sweep_ttl)

    @classmethod
    def from_conn_string(
        cls,
        url: str,
        *,
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
        clock: Clock = utc_now,
    ) -> Self:
        """Return a store, to be used as it is or in a `with` or `async with` block."""
        return cls(url, index=index, ttl=ttl, clock=clock)

    @property
    def embeddings(self) -> Any:
        """The embedding model, or None."""
        return self._index.embeddings

    # ---------------------------------------------------------------- life

    def setup(self) -> None:
        """Create or upgrade the schema now; it also happens by itself on first use."""
        self._backend.setup()

    async def asetup(self) -> None:
        """Create or upgrade the schema now; it also happens by itself on first use."""
        await asyncio.to_thread(self._backend.setup)

    def close(self) -> None:
        """Stop the sweeper and close the database, if this store opened it."""
        self._sweeper.stop()
        if self._owns_backend:
            self._backend.close()

    def __enter__(self) -> Self:
        self.setup()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await self.asetup()
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._loop = None
        await asyncio.to_thread(self.close)

    # ---------------------------------------------------------------- batches

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations as one transaction; the results stand in the order of the operations.

        Raises:
            InvalidInputError: If an operation cannot be carried out; then none is.
            asyncio.InvalidStateError: If called on the event loop that `async with` opened the
                store in; it would block that loop.
        """
        self._refuse_own_loop()
        plan = self._plan(ops)
        if plan.is_plain_read:  # nothing to embed: the quick way of every get
            return [_result(answer) for answer in self._backend.execute(self._item_batch(plan))]
        return self._resources.run(self._batch(plan))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations as one transaction; the results stand in the order of the operations.

        Raises:
            InvalidInputError: If an operation cannot be carried out; then none is.
        """
        return await self._resources.arun(self._batch(self._plan(ops)))

    def _refuse_own_loop(self) -> None:
        if self._loop is None:
            return
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            return
        if running is self._loop:
            raise asyncio.InvalidStateError(
                "this store was opened with `async with`; on its event loop await aget, aput, "
                "asearch … instead of the blocking forms"
            )

    def _batch(self, plan: _Plan) -> Steps[list[Result]]:
        texts = [self._index.texts(op) for op in plan.puts]
        vectors = yield from self._document_vectors(text for pairs in texts for _, text in pairs)
        queries = yield from self._query_vectors(plan)
        writes = tuple(
            self._write(op, value, pairs, vectors)
            for op, value, pairs in zip(plan.puts, plan.values, texts, strict=True)
        )
        results: list[Result] = [None] * plan.size
        for place, op in plan.layer_reads:
            results[place] = yield from read_layers(op)
        answers = yield from self._items(plan, writes, queries)
        for (place, _), answer in zip(plan.reads, answers, strict=True):
            results[place] = _result(answer)
        return results

    def _items(
        self, plan: _Plan, writes: tuple[ItemPut, ...], queries: Mapping[str, Vectors]
    ) -> Steps[tuple[Any, ...]]:
        if not plan.reads and not writes:
            return ()
        return (yield from ask(self._item_batch(plan, writes, queries)))

    def _item_batch(
        self,
        plan: _Plan,
        writes: tuple[ItemPut, ...] = (),
        queries: Mapping[str, Vectors] = _NO_VECTORS,
    ) -> ItemBatch:
        reads = tuple(self._read(op, queries) for _, op in plan.reads)
        return ItemBatch(reads, writes, self._clock(), self._index.model, self._omit_expired)

    @property
    def _omit_expired(self) -> bool:
        return bool((self.ttl_config or {}).get("omit_expired", False))

    def _document_vectors(self, texts: Iterable[str]) -> Steps[Mapping[str, Vectors]]:
        distinct = tuple(dict.fromkeys(texts))
        if not distinct or self._index.embeddings is None:
            return {}
        return dict(zip(distinct, (yield from embed_documents(distinct)), strict=True))

    def _query_vectors(self, plan: _Plan) -> Steps[Mapping[str, Vectors]]:
        if self._index.embeddings is None:
            return {}
        queries = dict.fromkeys(query for _, op in plan.reads if (query := _query(op)))
        vectors: dict[str, Vectors] = {}
        for query in queries:
            vectors[query] = (yield from embed_query(query))[0]
        return vectors

    # ---------------------------------------------------------------- planning

    def _plan(self, ops: Iterable[Op]) -> _Plan:
        reads: list[tuple[int, ReadOp]] = []
        layer_reads: list[tuple[int, ReadOp]] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        size = 0
        for place, op in enumerate(ops):
            size += 1
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                _check_put(op)
                puts.pop((op.namespace, str(op.key)), None)
                puts[op.namespace, str(op.key)] = op  # of several on one key the last wins
            else:
                _check_read(op)
                (layer_reads if _is_layers(op) else reads).append((place, op))
        values = tuple(None if op.value is None else dump_value(op.value) for op in puts.values())
        return _Plan(size, tuple(reads), tuple(layer_reads), tuple(puts.values()), values)

    def _read(self, op: ReadOp, queries: Mapping[str, Vectors]) -> ItemRead:
        if isinstance(op, GetOp):
            return ItemGet(op.namespace, str(op.key), op.refresh_ttl)
        if isinstance(op, ListNamespacesOp):
            return _namespaces(op)
        query = _query(op)
        return ItemSearch(
            op.namespace_prefix,
            parse_filter(op.filter),
            op.limit,
            op.offset,
            op.refresh_ttl,
            vector=None if query is None else queries.get(query),
            terms=() if query is None else self._index.terms(query),
        )

    def _write(
        self,
        op: PutOp,
        value: str | None,
        pairs: tuple[tuple[str, str], ...],
        vectors: Mapping[str, Vectors],
    ) -> ItemPut:
        return ItemPut(
            op.namespace,
            str(op.key),
            value,
            op.ttl,
            vectors=self._index.vectors(pairs, vectors),
            terms=self._index.terms(" ".join(text for _, text in pairs)),
        )

    # ---------------------------------------------------------------- time to live

    def sweep_ttl(self) -> int:
        """Delete expired items and return how many there were."""
        return self._resources.run(ask(SweepItems(self._clock())))

    async def asweep_ttl(self) -> int:
        """Delete expired items and return how many there were."""
        return await self._resources.arun(ask(SweepItems(self._clock())))

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweep in a background thread, every so many minutes (by default the config's, or 5)."""
        configured = (self.ttl_config or {}).get("sweep_interval_minutes")
        self._sweeper.start(sweep_interval_minutes or configured or 5)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop sweeping; return whether the thread ended within `timeout` seconds."""
        return self._sweeper.stop(timeout)


def _query(op: ReadOp) -> str | None:
    """Return what a search asks for; a blank question asks for nothing."""
    if not isinstance(op, SearchOp) or op.query is None or not op.query.strip():
        return None
    return op.query


def _check_put(op: PutOp) -> None:
    if not op.namespace:
        raise InvalidNamespaceError("Namespace cannot be empty.")
    if op.namespace[0] == LAYERS_ROOT:
        raise ReservedNamespaceError(
            f"namespace {op.namespace!r}: the memory layers are changed through LayeredMemory "
            "(write, correct, retract), not by put or delete"
        )
    if op.ttl is not None and not (op.ttl > 0 and math.isfinite(op.ttl)):
        raise InvalidInputError(f"ttl is a number of minutes above 0, or None; got {op.ttl!r}")


def _check_read(op: Op) -> None:
    if not isinstance(op, (GetOp, SearchOp, ListNamespacesOp)):
        raise InvalidInputError(f"unknown operation {op!r}")
    if isinstance(op, GetOp):
        return
    if op.limit < 0 or op.offset < 0:
        raise InvalidInputError(f"limit and offset count from 0; got {op.limit}, {op.offset}")
    if isinstance(op, SearchOp):
        parse_filter(op.filter)


def _is_layers(op: ReadOp) -> bool:
    if isinstance(op, GetOp):
        return op.namespace[:1] == (LAYERS_ROOT,)
    if isinstance(op, SearchOp):
        return op.namespace_prefix[:1] == (LAYERS_ROOT,)
    prefixes = [c.path for c in op.match_conditions or () if c.match_type == "prefix"]
    return any(path[:1] == (LAYERS_ROOT,) for path in prefixes)


def _namespaces(op: ListNamespacesOp) -> ItemNamespaces:
    conditions = tuple((each.match_type, tuple(each.path)) for each in op.match_conditions or ())
    return ItemNamespaces(conditions, op.max_depth, op.limit, op.offset)


def _result(answer: Any) -> Result:
    if isinstance(answer, ItemRow):
        return Item(
            namespace=answer.namespace,
            key=answer.key,
            value=answer.value,
            created_at=answer.created_at,
            updated_at=answer.updated_at,
        )
    if isinstance(answer, list) and answer and isinstance(answer[0], ItemRow):
        return [_search_item(row) for row in answer]
    return cast(Result, answer)


def _search_item(row: ItemRow) -> SearchItem:
    return SearchItem(row.namespace, row.key, row.value, row.created_at, row.updated_at, row.score)
