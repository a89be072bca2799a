"""The memory layers as store items, below `("layers", tenant, user, layer)`: to be read alone.

Ids may hold what a namespace label may not; `encode_label` says how they are written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from datetime import datetime
from typing import Any, get_args

from langgraph.store.base import GetOp, Item, ListNamespacesOp, SearchItem, SearchOp

from langchain_layered_memory.filters import matches, namespace_matches, parse_filter
from langchain_layered_memory.records import LAYERS, Episode, Layer, Memory, Scope, Status
from langchain_layered_memory.requests import (
    GetMemory,
    ListEpisodes,
    ListMemories,
    ListOwners,
    LoadEpisodes,
    SearchTerms,
)
from langchain_layered_memory.steps import Steps, ask
from langchain_layered_memory.terms import analyze

LAYERS_ROOT = "layers"
_DEPTH = 4
_SHOWN: tuple[Status, ...] = ("active", "pending_archive", "pending_verification")
_ALL = 2**31
Record = Episode | Memory


def encode_label(text: str) -> str:
    """Return an id as a namespace label: ".", which labels cannot hold, becomes "%2E"."""
    return text.replace("%", "%25").replace(".", "%2E")


def decode_label(label: str) -> str:
    """Return the id that `encode_label` was given."""
    return label.replace("%2E", ".").replace("%25", "%")


def layer_namespace(scope: Scope, layer: Layer) -> tuple[str, str, str, str]:
    """Return where a user's records of one layer are read as items."""
    return (LAYERS_ROOT, encode_label(scope.tenant_id), encode_label(scope.user_id), layer)


def read_layers(op: GetOp | SearchOp | ListNamespacesOp) -> Steps[Any]:
    """Answer a read below the layers' root."""
    if isinstance(op, GetOp):
        return (yield from _get(op))
    if isinstance(op, SearchOp):
        return (yield from _search(op))
    return (yield from _namespaces(op))


def _place(namespace: tuple[str, ...]) -> tuple[Scope, Layer] | None:
    if len(namespace) != _DEPTH or namespace[3] not in get_args(Layer):
        return None
    scope = Scope(user_id=decode_label(namespace[2]), tenant_id=decode_label(namespace[1]))
    return scope, namespace[3]  # type: ignore[return-value]


def _get(op: GetOp) -> Steps[Item | None]:
    place = _place(op.namespace)
    if place is None:
        return None
    scope, layer = place
    record: Record | None = None
    if layer == "memories":
        record = yield from ask(GetMemory(op.key))
    elif layer == "episodes":
        found = yield from ask(LoadEpisodes(scope, (op.key,)))
        record = found[0] if found else None
    if record is None or record.scope.owner != scope.owner:
        return None
    if isinstance(record, Memory) and record.status not in _SHOWN:
        return None
    return Item(**_fields(op.namespace, record))


def _search(op: SearchOp) -> Steps[list[SearchItem]]:
    places = yield from _places(op.namespace_prefix)
    condition = parse_filter(op.filter)
    items: list[SearchItem] = []
    for scope, layer in places:
        scored = yield from _records(scope, layer, op.query)
        namespace = layer_namespace(scope, layer)
        found = (SearchItem(**_fields(namespace, record), score=s) for record, s in scored)
        items += [item for item in found if matches(condition, item.value)]
    items.sort(key=lambda item: (-(item.score or 0.0), -item.updated_at.timestamp()))
    return items[op.offset : op.offset + op.limit]


def _places(prefix: tuple[str, ...]) -> Steps[list[tuple[Scope, Layer]]]:
    """Every (owner, layer) at or below a prefix."""
    place = _place(prefix)
    if place is not None:
        return [place]
    tenant = decode_label(prefix[1]) if len(prefix) > 1 else None
    owners = yield from ask(ListOwners(tenant))
    all_places = [(Scope(user, tenant_id), layer) for tenant_id, user in owners for layer in LAYERS]
    return [each for each in all_places if layer_namespace(*each)[: len(prefix)] == prefix]


def _records(
    scope: Scope, layer: Layer, query: str | None
) -> Steps[list[tuple[Record, float | None]]]:
    records: Iterable[Record] = ()
    if layer == "memories":
        records = yield from ask(ListMemories(scope, _SHOWN, _ALL))
    elif layer == "episodes":
        records = yield from ask(ListEpisodes(scope, _ALL))
    if not query:
        return [(record, None) for record in records]
    hits = yield from ask(SearchTerms(scope, analyze(query), (layer,), _ALL))
    scores = {hit.record_id: hit.score for hit in hits}
    return [(record, scores[record.id]) for record in records if record.id in scores]


def _namespaces(op: ListNamespacesOp) -> Steps[list[tuple[str, ...]]]:
    found: set[tuple[str, ...]] = set()
    for scope, layer in (yield from _places((LAYERS_ROOT,))):
        records = yield from _records(scope, layer, None)
        if records:
            found.add(layer_namespace(scope, layer))
    conditions = op.match_conditions or ()
    kept = [
        ns
        for ns in found
        if all(namespace_matches(ns, c.match_type, tuple(c.path)) for c in conditions)
    ]
    cut = {ns[: op.max_depth] for ns in kept}
    return sorted(cut)[op.offset : op.offset + op.limit]


def _fields(namespace: tuple[str, ...], record: Record) -> dict[str, Any]:
    value = {name: _plain(each) for name, each in dataclasses.asdict(record).items()}
    updated = record.updated_at if isinstance(record, Memory) else record.created_at
    return {
        "namespace": namespace,
        "key": record.id,
        "value": value,
        "created_at": record.created_at,
        "updated_at": updated,
    }


def _plain(value: Any) -> Any:
    """Return a record's field as JSON has it: times as ISO text, tuples as lists."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value
