"""What the store asks of a backend: generic items, as one batch of reads and writes.

The parts are named tuples, which are made in half the time of frozen dataclasses: one of each is
made for every get.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from langchain_layered_memory.filters import Filter
from langchain_layered_memory.requests import StorageRequest, Vectors

Namespace = tuple[str, ...]


class ItemVector(NamedTuple):
    """The vector of the text at one path of an item."""

    path: str
    vector: Vectors


class ItemGet(NamedTuple):
    """Read one item."""

    namespace: Namespace
    key: str
    refresh: bool


class ItemPut(NamedTuple):
    """Write one item, or with `value` None delete it. `value` is JSON text, `ttl` in minutes."""

    namespace: Namespace
    key: str
    value: str | None
    ttl: float | None = None
    vectors: tuple[ItemVector, ...] = ()
    terms: tuple[str, ...] = ()


class ItemSearch(NamedTuple):
    """Read items below a prefix, ranked if there is a vector or there are terms."""

    prefix: Namespace
    filter: Filter
    limit: int
    offset: int
    refresh: bool
    vector: Vectors | None = None
    terms: tuple[str, ...] = ()


class ItemNamespaces(NamedTuple):
    """List namespaces that fulfil every (kind, path) condition, cut to `max_depth`, sorted."""

    conditions: tuple[tuple[Literal["prefix", "suffix"], Namespace], ...]
    max_depth: int | None
    limit: int
    offset: int


ItemRead = ItemGet | ItemSearch | ItemNamespaces


class ItemRow(NamedTuple):
    """An item as stored."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    score: float | None = None


@dataclass(slots=True)
class ItemBatch(StorageRequest[tuple[Any, ...]]):
    """Answer all reads, then apply all writes, as one transaction; answers the reads' results.

    Attributes:
        model: Whose vectors to compare and store; "" without an index.
        omit_expired: Whether items past their time are invisible before the sweep.
    """

    reads: tuple[ItemRead, ...]
    writes: tuple[ItemPut, ...]
    now: datetime
    model: str = ""
    omit_expired: bool = False


@dataclass(frozen=True, slots=True)
class SweepItems(StorageRequest[int]):
    """Delete items past their time; answers how many."""

    now: datetime
