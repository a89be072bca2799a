"""Search over one owner's entries: by words and by vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice

from langchain_layered_memory.backends.sqlite import codec
from langchain_layered_memory.backends.sqlite.entries import scoped_term
from langchain_layered_memory.backends.sqlite.models import (
    model_id_of,
    model_id_or_new,
    vector_bytes,
)
from langchain_layered_memory.backends.sqlite.ranking import Posting, bm25
from langchain_layered_memory.backends.sqlite.session import Session, id_list
from langchain_layered_memory.backends.sqlite.vectors import ranked
from langchain_layered_memory.records import Episode, Memory
from langchain_layered_memory.requests import (
    Hit,
    PendingEntry,
    PendingVectors,
    SaveVectors,
    SearchTerms,
    SearchVectors,
)

# Beyond this share of the entries a word's idf is below 0.7, a tenth of a rare word's.
_COMMON_SHARE = 0.5
# So few are read quickly whatever they tell.
_FEW_ENTRIES = 500


def search_terms(db: Session, request: SearchTerms) -> tuple[Hit, ...]:
    """Return the records that share most with the terms."""
    scope_id = db.scope_id(request.scope)
    if scope_id is None or not request.terms:
        return ()
    size = db.one("scope_sizes", scope_id=scope_id)
    assert size is not None  # noqa: S101 - an aggregate always has a row
    words = (scoped_term(scope_id, term) for term in dict.fromkeys(request.terms))
    found = {word: db.all("postings", term=word) for word in _telling(db, words, size["entries"])}
    postings = {word: map(_posting, rows) for word, rows in found.items()}
    scores = bm25(postings, size["entries"], size["terms"])
    entries = {row["doc"]: row for rows in found.values() for row in rows}
    order = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return _hits(request, ((entries[number], score) for number, score in order))


def _telling(db: Session, words: Iterable[str], entries: int) -> list[str]:
    """Leave out words that most entries hold: they tell nothing and cost the most to read."""
    counts = {word: db.one("document_frequency", term=word) for word in words}
    frequency = {word: 0 if row is None else row["documents"] for word, row in counts.items()}
    common = max(entries * _COMMON_SHARE, _FEW_ENTRIES)
    telling = [word for word, count in frequency.items() if count <= common]
    return telling or sorted(frequency, key=frequency.__getitem__)[:1]


def _posting(row: sqlite3.Row) -> Posting:
    return Posting(row["doc"], row["frequency"], row["length"])


def search_vectors(db: Session, request: SearchVectors) -> tuple[Hit, ...]:
    """Return the records nearest in meaning."""
    scope_id = db.scope_id(request.scope)
    model_id = model_id_of(db, request.model, len(request.vector))
    if scope_id is None or model_id is None:
        return ()
    scored = db.vectors.scores(db, scope_id, model_id, request.vector)
    return _hits(request, _nearest(db, ranked(scored, request.limit), request.limit))


def _nearest(
    db: Session, order: Iterator[tuple[int, float]], chunk: int
) -> Iterator[tuple[sqlite3.Row, float]]:
    """Yield entries with their scores, best first, as many as are asked for."""
    while best := dict(islice(order, chunk)):
        rows = db.all("entries_by_ids", ids=id_list(best))
        by_id = {row["id"]: row for row in rows}
        yield from ((by_id[number], best[number]) for number in best if number in by_id)


def _hits(
    request: SearchTerms | SearchVectors, scored: Iterable[tuple[sqlite3.Row, float]]
) -> tuple[Hit, ...]:
    """Return the first hit on each record of the wanted layers, known at the time asked for."""
    until = None if request.as_of is None else codec.to_micros(request.as_of)
    hits: dict[str, Hit] = {}
    for row, score in scored:
        known = until is None or row["at"] <= until
        if known and row["layer"] in request.layers and row["record_id"] not in hits:
            hits[row["record_id"]] = _hit(row, score)
            if len(hits) == request.limit:
                break
    return tuple(hits.values())


def _hit(row: sqlite3.Row, score: float) -> Hit:
    return Hit(row["layer"], row["record_id"], score, row["session_id"], row["position"])


# ------------------------------------------------------------------ vectors of entries


def pending_vectors(db: Session, request: PendingVectors) -> tuple[PendingEntry, ...]:
    """Return entries that the model has not embedded."""
    known = db.one("model_by_name", name=request.model)
    model_id = 0 if known is None else known["id"]
    rows = db.all(
        "entries_without_vector", model_id=model_id, after=request.after, limit=request.limit
    )
    return tuple(PendingEntry(row["id"], _record(db, row).indexed_text) for row in rows)


def _record(db: Session, entry: sqlite3.Row) -> Episode | Memory:
    if entry["layer"] == "episodes":
        ids = id_list([entry["record_id"]])
        return codec.episode_of(db.all("episodes_by_ids", ids=ids, scope_id=entry["scope_id"])[0])
    return codec.memory_of(db.all("memory_by_id", id=entry["record_id"])[0])


def save_vectors(db: Session, request: SaveVectors) -> int:
    """Store vectors of entries that still exist; one that has a vector keeps it."""
    model_id = model_id_or_new(db, request.model, request.vectors.shape[1])
    saved = 0
    for entry_id, vector in zip(request.entry_ids, request.vectors, strict=True):
        entry = db.one("entry_scope", id=entry_id)
        if entry is None:
            continue
        place = {"collection": entry["scope_id"], "owner_id": entry_id, "model_id": model_id}
        db.run("vectors_delete", place)
        db.run("vector_insert", {**place, "path": "", "label": b"", "vector": vector_bytes(vector)})
        saved += 1
    return saved
