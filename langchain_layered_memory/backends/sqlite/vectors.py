"""Exact cosine search in numpy over the vectors of a collection, kept in memory between searches.

A copy is brought up to date before each search from what is newer and what was deleted since, so
other connections' and other processes' writes are seen. A collection that is too large to keep is
scored chunk by chunk from the file. Vectors are stored with unit length: the dot product is the
cosine.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from langchain_layered_memory.requests import Vectors

if TYPE_CHECKING:
    from langchain_layered_memory.backends.sqlite.session import Session

Ids = NDArray[np.int64]
DEFAULT_CACHE_BYTES = 512 * 1024 * 1024
_CHUNK_ROWS = 8192
# Below this, float32 sums differ by the place of a row in the matrix; equal vectors must tie.
SCORE_DECIMALS = 6


class Scored(NamedTuple):
    """Scores of a collection's vectors, and whose each is; an owner may have several."""

    owners: Ids
    scores: Vectors


def ranked(scored: Scored, at_least: int) -> Iterator[tuple[int, float]]:
    """Yield each owner once with its best score, best first; ties go to the older owner.

    Only as much is sorted as is asked for: `at_least` owners first, then eight times as many.
    """
    seen: set[int] = set()
    wanted, total = max(at_least, 1) * 4, len(scored.scores)
    while True:
        wanted = min(wanted, total)
        for index in _best(scored, wanted):
            owner = int(scored.owners[index])
            if owner not in seen:
                seen.add(owner)
                yield owner, float(scored.scores[index])
        if wanted == total:
            return
        wanted *= 8


def _best(scored: Scored, count: int) -> NDArray[np.intp]:
    """Return the places of the `count` best scores, and of all that tie with the last, in order."""
    if count == 0:
        return np.empty(0, np.intp)
    if count < len(scored.scores):
        least = np.partition(scored.scores, -count)[-count]
        places = np.nonzero(scored.scores >= least)[0]
    else:
        places = np.arange(len(scored.scores))
    return places[np.lexsort((scored.owners[places], -scored.scores[places]))]


def stack(rows: Iterable[sqlite3.Row], dims: int) -> tuple[Ids, Vectors]:
    """Return the owners and vectors of rows (owner_id, vector) as arrays."""
    found = list(rows)
    owners = np.fromiter((row["owner_id"] for row in found), np.int64, len(found))
    matrix = np.frombuffer(b"".join(row["vector"] for row in found), np.float32)
    return owners, matrix.reshape(len(found), dims)


def score(matrix: Vectors, query: Vectors) -> Vectors:
    """Return the cosine of each row with the query, both of unit length."""
    scores: Vectors = np.round(matrix @ query, SCORE_DECIMALS)
    return scores


@dataclass
class _Copy:
    """One collection as read so far. Arrays are replaced, never changed in what a reader sees."""

    ids: Ids
    owners: Ids
    matrix: Vectors
    size: int = 0
    newest: int = 0
    deletion: int = 0

    @classmethod
    def empty(cls, dims: int) -> _Copy:
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, dims), np.float32))

    def append(self, ids: Ids, owners: Ids, matrix: Vectors) -> None:
        end = self.size + len(ids)
        if end > len(self.ids):
            self._grow(max(end, 2 * len(self.ids)))
        self.ids[self.size : end] = ids
        self.owners[self.size : end] = owners
        self.matrix[self.size : end] = matrix
        self.size = end

    def _grow(self, capacity: int) -> None:
        ids, owners = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
        matrix = np.empty((capacity, self.matrix.shape[1]), np.float32)
        ids[: self.size] = self.ids[: self.size]
        owners[: self.size] = self.owners[: self.size]
        matrix[: self.size] = self.matrix[: self.size]
        self.ids, self.owners, self.matrix = ids, owners, matrix

    def remove(self, gone: Ids) -> None:
        keep = ~np.isin(self.ids[: self.size], gone)
        if keep.all():
            return
        self.ids, self.owners = self.ids[: self.size][keep], self.owners[: self.size][keep]
        self.matrix = self.matrix[: self.size][keep]
        self.size = len(self.ids)

    @property
    def bytes(self) -> int:
        return self.matrix.nbytes + self.ids.nbytes + self.owners.nbytes


class VectorCache:
    """The copies of the collections searched last, up to a number of bytes in all."""

    def __init__(self, max_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._copies: OrderedDict[tuple[int, int], _Copy] = OrderedDict()
        self._lock = threading.Lock()

    def scores(self, db: Session, collection: int, model_id: int, query: Vectors) -> Scored:
        """Return the score of every vector of a collection."""
        count = db.value("vectors_count", collection=collection, model_id=model_id)
        if count * query.nbytes > self._max_bytes:
            return _scores_from_file(db, collection, model_id, query)
        with self._lock:
            copy = self._up_to_date(db, collection, model_id, len(query))
            owners, matrix = copy.owners[: copy.size], copy.matrix[: copy.size]
        return Scored(owners, score(matrix, query))

    def _up_to_date(self, db: Session, collection: int, model_id: int, dims: int) -> _Copy:
        key = (collection, model_id)
        copy = self._copies.pop(key, None) or _Copy.empty(dims)
        span = db.one("deletions_range")
        assert span is not None  # noqa: S101 - an aggregate always has a row
        if copy.newest and copy.deletion < span["oldest"] - 1:
            copy = _Copy.empty(dims)  # the log of deletions no longer reaches back
        if copy.newest and span["newest"] > copy.deletion:
            gone = db.all(
                "deletions_newer", collection=collection, model_id=model_id, after=copy.deletion
            )
            copy.remove(np.array([row["vector_id"] for row in gone], np.int64))
        copy.deletion = span["newest"]
        _read_newer(db, copy, collection, model_id, dims)
        self._copies[key] = copy
        self._drop_oldest()
        return copy

    def _drop_oldest(self) -> None:
        while len(self._copies) > 1 and sum(c.bytes for c in self._copies.values()) > (
            self._max_bytes
        ):
            self._copies.popitem(last=False)


def _read_newer(db: Session, copy: _Copy, collection: int, model_id: int, dims: int) -> None:
    rows = db.all("vectors_newer", collection=collection, model_id=model_id, after=copy.newest)
    if not rows:
        return
    ids = np.fromiter((row["id"] for row in rows), np.int64, len(rows))
    copy.append(ids, *stack(rows, dims))
    copy.newest = int(ids[-1])


def _scores_from_file(db: Session, collection: int, model_id: int, query: Vectors) -> Scored:
    owners, scores, after = [], [], 0
    rows = iter(db.stream("vectors_newer", collection=collection, model_id=model_id, after=after))
    while chunk := [row for row, _ in zip(rows, range(_CHUNK_ROWS), strict=False)]:
        chunk_owners, matrix = stack(chunk, len(query))
        owners.append(chunk_owners)
        scores.append(score(matrix, query))
    return Scored(np.concatenate(owners), np.concatenate(scores))
