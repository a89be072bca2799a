"""How items below a prefix are ranked: by vectors, and in hybrid stores by words too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from langchain_layered_memory.backends.sqlite import codec
from langchain_layered_memory.backends.sqlite.ranking import Posting, bm25
from langchain_layered_memory.backends.sqlite.session import Session, id_list
from langchain_layered_memory.backends.sqlite.vectors import Range, Scored, ranked
from langchain_layered_memory.item_requests import ItemSearch

ITEMS = 0
# Of a hybrid score; cosine and BM25 both lie between 0 and 1 here.
_TEXT_SHARE = 0.5


@dataclass(frozen=True)
class Ranking:
    """Items by number with their scores, best first.

    `text_only` are the items that have a score though the model has no vector of them.
    """

    scored: Iterable[tuple[int, float]]
    model_id: int
    text_only: frozenset[int] = field(default_factory=frozenset)


def rank(db: Session, op: ItemSearch, model_id: int) -> Ranking:
    """Return the items below a prefix in the order of their scores."""
    scored = Scored(np.empty(0, np.int64), np.empty(0, np.float32))
    if op.vector is not None and model_id:
        below = Range(*codec.below(op.prefix)) if op.prefix else None
        scored = db.vectors.scores(db, ITEMS, model_id, op.vector, below)
    if not op.terms:
        return Ranking(ranked(scored, op.offset + op.limit), model_id)
    return _hybrid(_by_text(db, op), scored, model_id, alone=op.vector is None)


def _by_text(db: Session, op: ItemSearch) -> dict[int, float]:
    """BM25 of the items below the prefix, by their own statistics alone."""
    exact, low, high = codec.below(op.prefix)
    ids = db.all("item_ids", exact=exact, low=low, high=high, limit=-1)
    mine = {row["id"] for row in ids}
    found = {
        term: [row for row in db.all("item_postings", term=term) if row["doc"] in mine]
        for term in dict.fromkeys(op.terms)
    }
    hit = {row["doc"] for rows in found.values() for row in rows}
    lengths = {row["id"]: row["length"] for row in db.all("item_lengths", ids=id_list(hit))}
    postings = {
        term: [Posting(row["doc"], row["frequency"], lengths[row["doc"]]) for row in rows]
        for term, rows in found.items()
    }
    documents = db.value("item_terms_size", exact=exact, low=low, high=high)
    average = sum(lengths.values()) / len(lengths) if lengths else 0.0
    return bm25(postings, documents, round(average * documents))


def _hybrid(text: dict[int, float], scored: Scored, model_id: int, *, alone: bool) -> Ranking:
    vectors = dict(ranked(scored, len(scored.scores)))
    share = 1.0 if alone else _TEXT_SHARE
    both = {
        number: share * text.get(number, 0.0) + (1 - share) * vectors.get(number, 0.0)
        for number in text.keys() | vectors.keys()
    }
    order = sorted(both.items(), key=lambda pair: (-pair[1], pair[0]))
    return Ranking(order, model_id, frozenset(text.keys() - vectors.keys()))
