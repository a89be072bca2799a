"""Generic items: reads, ranked reads, and writes, as one transaction for a batch."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from langchain_layered_memory.backends.sqlite import codec
from langchain_layered_memory.backends.sqlite.item_search import Ranking, rank
from langchain_layered_memory.backends.sqlite.models import (
    model_id_of,
    model_id_or_new,
    vector_bytes,
)
from langchain_layered_memory.backends.sqlite.session import Session, id_list
from langchain_layered_memory.errors import EmbeddingSpaceError
from langchain_layered_memory.filters import EVERYTHING, namespace_matches, predicate
from langchain_layered_memory.item_requests import (
    ItemBatch,
    ItemGet,
    ItemNamespaces,
    ItemPut,
    ItemRead,
    ItemRow,
    ItemSearch,
    Namespace,
    SweepItems,
)
from langchain_layered_memory.requests import Vectors

ITEMS = 0  # the vectors' collection
_MICROS_PER_MINUTE = 60_000_000
_ALWAYS_VISIBLE = -(2**62)
_CHUNK = 64
_decode = json.JSONDecoder().decode


class ItemReader:
    """Answers the reads of one batch, and notes which items' time the reads start anew."""

    def __init__(self, db: Session, batch: ItemBatch) -> None:
        self.refresh: list[int] = []
        self._db = db
        self._batch = batch
        self._visible_at = codec.to_micros(batch.now) if batch.omit_expired else _ALWAYS_VISIBLE

    def read(self, op: ItemRead) -> Any:
        """Return what one read asks for."""
        match op:
            case ItemGet():
                return self._get(op)
            case ItemSearch():
                return self._search(op)
            case ItemNamespaces():
                return self._namespaces(op)

    def _get(self, op: ItemGet) -> ItemRow | None:
        row = self._db.one(
            "item_get",
            namespace=codec.encode_namespace(op.namespace),
            key=codec.encode_text(op.key),
            visible_at=self._visible_at,
        )
        if row is None:
            return None
        self._note(op.refresh, row)
        return _item(row, _decode(row["value"]))

    def _search(self, op: ItemSearch) -> list[ItemRow]:
        ranked = op.vector is not None or bool(op.terms)
        found = self._ranked(op) if ranked else self._listed(op)
        return [self._noted(op, row, item) for row, item in found]

    def _noted(self, op: ItemSearch, row: sqlite3.Row, item: ItemRow) -> ItemRow:
        self._note(op.refresh, row)
        return item

    def _note(self, refresh: bool, row: sqlite3.Row) -> None:
        if refresh and row["ttl"] is not None:
            self.refresh.append(row["id"])

    def _listed(self, op: ItemSearch) -> Iterable[tuple[sqlite3.Row, ItemRow]]:
        filtered = op.filter != EVERYTHING
        name = self._listing(op.prefix)
        rows = self._db.stream(
            name,
            **_range(op.prefix),
            visible_at=self._visible_at,
            limit=-1 if filtered else op.limit,
            offset=0 if filtered else op.offset,
        )
        found = _matching(rows, op)
        return islice(found, op.offset, op.offset + op.limit) if filtered else found

    def _listing(self, prefix: Namespace) -> str:
        """Return the statement that lists a prefix; without any below it needs no sorting."""
        return "items_list" if self._db.one("items_below", **_range(prefix)) else "items_list_exact"

    def _ranked(self, op: ItemSearch) -> Iterable[tuple[sqlite3.Row, ItemRow]]:
        ranking = rank(self._db, op, self._model_id(op.vector))
        found = self._in_order(op, ranking)
        return islice(found, op.offset, op.offset + op.limit)

    def _in_order(self, op: ItemSearch, ranking: Ranking) -> Iterator[tuple[sqlite3.Row, ItemRow]]:
        """Yield scored items best first, then, as LangGraph's stores do, those without a score."""
        scored = iter(ranking.scored)
        first = op.offset + op.limit
        if op.filter != EVERYTHING:
            first = max(first, _CHUNK)  # some will not match; asking twice costs more
        while chunk := dict(islice(scored, first or 1)):
            first = max(first, _CHUNK)
            rows = self._db.all("items_by_ids", ids=id_list(chunk), visible_at=self._visible_at)
            by_id = {row["id"]: row for row in rows}
            present = (by_id[number] for number in chunk if number in by_id)
            yield from _matching(present, op, chunk.get)
        unscored = self._db.stream(
            "items_list_unindexed",
            **_range(op.prefix),
            visible_at=self._visible_at,
            model_id=ranking.model_id,
        )
        rest = (row for row in unscored if row["id"] not in ranking.text_only)
        yield from _matching(rest, op)

    def _model_id(self, vector: Vectors | None) -> int:
        if vector is None:
            return 0
        model_id = model_id_of(self._db, self._batch.model, len(vector)) or 0
        _refuse_foreign_vectors(self._db, self._batch.model, model_id)
        return model_id

    def _namespaces(self, op: ItemNamespaces) -> list[Namespace]:
        literal = next((path for kind, path in op.conditions if kind == "prefix"), ())
        start = tuple(literal[: literal.index("*")] if "*" in literal else literal)
        rows = self._db.all("item_namespaces", **_range(start), visible_at=self._visible_at)
        found = (codec.decode_namespace(row["namespace"]) for row in rows)
        matching = [
            ns for ns in found if all(namespace_matches(ns, *each) for each in op.conditions)
        ]
        if op.max_depth is not None:
            matching = sorted({ns[: op.max_depth] for ns in matching})
        return sorted(matching)[op.offset : op.offset + op.limit]


def _range(prefix: Namespace) -> dict[str, bytes]:
    exact, low, high = codec.below(prefix)
    return {"exact": exact, "low": low, "high": high}


def _matching(
    rows: Iterable[sqlite3.Row],
    op: ItemSearch,
    score_of: Callable[[int], float | None] = lambda _: None,
) -> Iterator[tuple[sqlite3.Row, ItemRow]]:
    fulfils = predicate(op.filter)
    for row in rows:
        value = _decode(row["value"])
        if fulfils(value):
            yield row, _item(row, value, score_of(row["id"]))


def _item(row: sqlite3.Row, value: dict[str, Any], score: float | None = None) -> ItemRow:
    return ItemRow(
        namespace=codec.decode_namespace(row["namespace"]),
        key=codec.decode_text(row["key"]),
        value=value,
        created_at=codec.from_micros(row["created_at"]),
        updated_at=codec.from_micros(row["updated_at"]),
        score=score,
    )


def read_items(db: Session, batch: ItemBatch) -> tuple[tuple[Any, ...], list[int]]:
    """Return the answers of a batch's reads, and the items whose time they start anew."""
    reader = ItemReader(db, batch)
    return tuple(reader.read(op) for op in batch.reads), reader.refresh


def write_items(db: Session, batch: ItemBatch, refresh: list[int]) -> None:
    """Apply a batch's writes, after the reads' renewals."""
    if refresh:
        values = {"now": codec.to_micros(batch.now), "ids": id_list(refresh)}
        db.run("item_refresh", values)
    stored: list[tuple[int, ItemPut]] = []
    for op in batch.writes:
        if op.value is None:
            db.run("item_delete", _key(op))
        else:
            stored.append((_put(db, op, batch), op))
    if stored:
        _replace_vectors(db, stored, batch.model)


def _key(op: ItemPut) -> dict[str, bytes]:
    return {
        "namespace": codec.encode_namespace(op.namespace),
        "key": codec.encode_text(op.key),
    }


def _put(db: Session, op: ItemPut, batch: ItemBatch) -> int:
    """Write one item, all but its vectors; return its number."""
    now = codec.to_micros(batch.now)
    ttl = None if op.ttl is None else max(1, round(op.ttl * _MICROS_PER_MINUTE))
    expires_at = None if ttl is None else now + ttl
    stored = db.one("item_put", **_key(op), value=op.value, now=now, expires_at=expires_at, ttl=ttl)
    assert stored is not None  # noqa: S101 - the statement returns the row that it wrote
    number = int(stored["id"])
    if op.terms or stored["has_terms"]:
        _put_terms(db, number, op.terms)
    return number


def _put_terms(db: Session, item_id: int, terms: tuple[str, ...]) -> None:
    db.run("item_terms_delete", {"id": item_id})
    if terms:
        db.run("item_terms_insert", {"id": item_id, "terms": " ".join(terms)})
    db.run("item_has_terms", {"id": item_id, "has_terms": int(bool(terms))})


def _replace_vectors(db: Session, stored: list[tuple[int, ItemPut]], model: str) -> None:
    """Drop the vectors that items had, and store those that they have now, in one go."""
    ids = id_list(number for number, _ in stored)
    db.run("item_vectors_delete", {"collection": ITEMS, "ids": ids})
    dims = next((len(op.vectors[0].vector) for _, op in stored if op.vectors), None)
    if dims is None:
        return
    model_id = model_id_or_new(db, model, dims)
    _refuse_foreign_vectors(db, model, model_id)
    rows = (
        {
            "collection": ITEMS,
            "model_id": model_id,
            "owner_id": number,
            "path": each.path,
            "label": codec.encode_namespace(op.namespace),
            "vector": vector_bytes(each.vector),
        }
        for number, op in stored
        for each in op.vectors
    )
    db.many("vector_insert", rows)


def _refuse_foreign_vectors(db: Session, model: str, model_id: int) -> None:
    foreign = db.one("vectors_foreign", collection=ITEMS, model_id=model_id)
    if foreign is not None:
        raise EmbeddingSpaceError(
            f"the items here were embedded by {foreign['name']!r}, this store embeds with "
            f"{model!r}; open it with that model, or put the items into a new file"
        )


def sweep_items(db: Session, request: SweepItems) -> int:
    """Delete expired items."""
    return db.run("items_sweep", {"now": codec.to_micros(request.now)})
