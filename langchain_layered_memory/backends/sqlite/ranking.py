"""BM25 over postings, with the statistics of what is searched alone.

Okapi BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond"
(2009), section 3, with k1 = 1.2, b = 0.75 and the idf that is never negative, log(1 + (N - n + 0.5)
/ (n + 0.5)). N counts some documents that hold none of the terms on top of the real ones: a few
turns say nothing yet of how rare a word is, and the only two about tea must not make tea worthless.
Scores are divided by what a text would have that holds every term without end, so they are
absolute: 0 to 1, and comparable between queries.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

K1 = 1.2
B = 0.75
PRIOR_DOCUMENTS = 100


@dataclass(frozen=True, slots=True)
class Posting:
    """A term stands in a document this often; the document has so many terms in all."""

    document: int
    frequency: int
    length: int


def bm25(
    postings: Mapping[str, Iterable[Posting]], documents: int, total_length: int
) -> dict[int, float]:
    """Return the score of each document that holds any term.

    Args:
        postings: For each distinct term of the query, where it stands; none for unknown terms.
        documents: How many documents are searched.
        total_length: How many terms they have together.
    """
    average = total_length / documents if documents else 1.0
    assumed = documents + PRIOR_DOCUMENTS
    scores: defaultdict[int, float] = defaultdict(float)
    best = 0.0
    for found in postings.values():
        places = list(found)
        idf = math.log(1 + (assumed - len(places) + 0.5) / (len(places) + 0.5))
        best += idf * (K1 + 1)
        for place in places:
            norm = K1 * (1 - B + B * place.length / average)
            scores[place.document] += idf * place.frequency * (K1 + 1) / (place.frequency + norm)
    return {document: score / best for document, score in scores.items()} if best else {}
