"""Exact cosine search in numpy over the vectors of a collection, kept in memory between searches.

A copy is brought up to date before each search from what is newer and what was deleted since, so
other connections' and other processes' writes are seen. A collection that is too large to keep is
scored chunk by chunk from the file. Vectors are stored with unit length: the dot product is the
cosine. A vector may carry a label, an item's namespace, so that a search below a prefix needs no
look-up of its items.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from langchain_layered_memory.requests import Vectors

if TYPE_CHECKING:
    from langchain_layered_memory.backends.sqlite.session import Session

Ids = NDArray[np.int64]
DEFAULT_CACHE_BYTES = 512 * 1024 * 1024
_CHUNK_ROWS = 8192
_FLOAT_BYTES = 4
DEAD = -1
_FEW = 4  # a part smaller than a fourth is moved together before it is scored
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


def score(matrix: Vectors, query: Vectors) -> Vectors:
    """Return the cosine of each row with the query, both of unit length.

    Not by `@`: its threads wait for one another, and with a busy core that took 21 ms for 10,000
    rows in place of 0.6 (quiet: 0.3 and 0.5).
    """
    scores: Vectors = np.round(np.einsum("ij,j->i", matrix, query), SCORE_DECIMALS)
    return scores


class Range(NamedTuple):
    """The labels that a search looks below: one itself, and a half-open range."""

    exact: bytes
    low: bytes
    high: bytes

    def holds(self, label: bytes) -> bool:
        """Whether a label lies below."""
        return label == self.exact or self.low <= label < self.high


class _Rows(NamedTuple):
    """Vectors as read from the file, one place in each array for each."""

    ids: Ids
    owners: Ids
    labels: list[bytes]
    matrix: Vectors

    @classmethod
    def of(cls, found: list[sqlite3.Row], dims: int) -> _Rows:
        count = len(found)
        matrix = np.frombuffer(b"".join(row["vector"] for row in found), np.float32)
        return cls(
            np.fromiter((row["id"] for row in found), np.int64, count),
            np.fromiter((row["owner_id"] for row in found), np.int64, count),
            [row["label"] for row in found],
            matrix.reshape(count, dims),
        )


class Wanted(NamedTuple):
    """Some rows of a copy, by their places; all of them with None."""

    owners: Ids
    matrix: Vectors
    places: NDArray[np.intp] | None

    def scored(self, query: Vectors) -> Scored:
        """Return the rows' scores. Many rows are scored where they lie, since moving costs more."""
        if self.places is None:
            return Scored(self.owners, score(self.matrix, query))
        many = len(self.places) * _FEW > len(self.owners)
        if many:
            return Scored(self.owners[self.places], score(self.matrix, query)[self.places])
        return Scored(self.owners[self.places], score(self.matrix[self.places], query))


class _Copy:
    """One collection as read so far.

    Rows are only added, beyond what earlier readers see; what is deleted loses its owner, in a new
    array of owners, until so much is dead that the rest moves together.
    """

    def __init__(self, dims: int) -> None:
        self.ids, self.owners = np.empty(0, np.int64), np.empty(0, np.int64)
        self.codes = np.empty(0, np.int32)
        self.matrix: Vectors = np.empty((0, dims), np.float32)
        self.labels: dict[bytes, int] = {}
        self.size = self.dead = self.newest = self.deletion = 0

    def append(self, rows: _Rows) -> None:
        """Add rows that are newer than all that are there."""
        start, end = self.size, self.size + len(rows.ids)
        if end > len(self.ids):
            self._move(np.arange(self.size), max(end, 2 * len(self.ids)))
        codes = (self.labels.setdefault(label, len(self.labels)) for label in rows.labels)
        self.codes[start:end] = np.fromiter(codes, np.int32, len(rows.labels))
        self.ids[start:end], self.owners[start:end] = rows.ids, rows.owners
        self.matrix[start:end] = rows.matrix
        self.size, self.newest = end, int(rows.ids[-1])

    def remove(self, gone: Ids) -> None:
        """Drop rows by their ids; unknown ones are passed over."""
        places = np.searchsorted(self.ids[: self.size], gone)
        inside = places[places < self.size]
        places = inside[np.isin(self.ids[inside], gone)]
        self.owners = self.owners.copy()
        self.dead += int(np.count_nonzero(self.owners[places] != DEAD))
        self.owners[places] = DEAD
        if self.dead > self.size // 2:
            alive = np.nonzero(self.owners[: self.size] != DEAD)[0]
            self._move(alive, len(alive))
            self.size, self.dead = len(alive), 0

    def _move(self, places: NDArray[np.intp], capacity: int) -> None:
        """Move rows into new arrays; readers keep the old ones."""
        ids, owners, codes, matrix = self.ids, self.owners, self.codes, self.matrix
        count = len(places)
        self.ids, self.owners = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
        self.codes = np.empty(capacity, np.int32)
        self.matrix = np.empty((capacity, matrix.shape[1]), np.float32)
        self.ids[:count], self.owners[:count] = ids[places], owners[places]
        self.codes[:count], self.matrix[:count] = codes[places], matrix[places]

    def wanted(self, below: Range | None) -> Wanted:
        """Return the living rows, below a label or all."""
        owners, matrix = self.owners[: self.size], self.matrix[: self.size]
        wanted = owners != DEAD
        if below is not None:
            mine = np.fromiter(map(below.holds, self.labels), np.bool_, len(self.labels))
            wanted &= mine[self.codes[: self.size]]
        return Wanted(owners, matrix, None if wanted.all() else np.nonzero(wanted)[0])

    @property
    def bytes(self) -> int:
        """The memory that the copy takes."""
        return self.matrix.nbytes + self.ids.nbytes + self.owners.nbytes + self.codes.nbytes


class VectorCache:
    """The copies of the collections searched last, up to a number of bytes in all."""

    def __init__(self, max_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._copies: OrderedDict[tuple[int, int], _Copy] = OrderedDict()
        self._lock = threading.Lock()

    def scores(
        self,
        db: Session,
        collection: int,
        model_id: int,
        query: Vectors,
        below: Range | None = None,
    ) -> Scored:
        """Return the score of every vector of a collection, or of those below a label."""
        with self._lock:
            copy = self._up_to_date(db, (collection, model_id), len(query))
            if copy is not None:
                wanted = copy.wanted(below)
        if copy is None:
            return _scores_from_file(db, collection, model_id, query, below)
        return wanted.scored(query)

    def _up_to_date(self, db: Session, key: tuple[int, int], dims: int) -> _Copy | None:
        """Return the collection as it is now, or None if it is too large to keep."""
        copy = self._copies.pop(key, None)
        place = {"collection": key[0], "model_id": key[1]}
        if copy is None:
            copy = _Copy(dims)
            if db.value("vectors_count", **place) * dims * _FLOAT_BYTES > self._max_bytes:
                return None
        copy = _without_deleted(db, copy, place, dims)
        if rows := db.all("vectors_newer", **place, after=copy.newest):
            copy.append(_Rows.of(rows, dims))
        if copy.bytes > self._max_bytes:
            return None
        self._copies[key] = copy
        self._drop_oldest()
        return copy

    def _drop_oldest(self) -> None:
        total = sum(copy.bytes for copy in self._copies.values())
        while total > self._max_bytes:
            total -= self._copies.popitem(last=False)[1].bytes


def _without_deleted(db: Session, copy: _Copy, place: dict[str, int], dims: int) -> _Copy:
    span = db.one("deletions_range")
    assert span is not None  # noqa: S101 - an aggregate always has a row
    if copy.newest and copy.deletion < span["oldest"] - 1:
        copy = _Copy(dims)  # the log of deletions no longer reaches back
    if copy.newest and span["newest"] > copy.deletion:
        gone = db.all("deletions_newer", **place, after=copy.deletion)
        copy.remove(np.array([row["vector_id"] for row in gone], np.int64))
    copy.deletion = span["newest"]
    return copy


def _scores_from_file(
    db: Session, collection: int, model_id: int, query: Vectors, below: Range | None
) -> Scored:
    """Score a collection that is too large to keep, chunk by chunk."""
    owners, scores = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
    rows = iter(db.stream("vectors_newer", collection=collection, model_id=model_id, after=0))
    while chunk := list(islice(rows, _CHUNK_ROWS)):
        found = [row for row in chunk if below is None or below.holds(row["label"])]
        read = _Rows.of(found, len(query))
        owners.append(read.owners)
        scores.append(score(read.matrix, query))
    return Scored(np.concatenate(owners), np.concatenate(scores))
