"""BM25 and exact vector search against plain reference implementations."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory import LayeredStore
from langchain_layered_memory.backends.sqlite import SqliteBackend
from langchain_layered_memory.backends.sqlite.ranking import (
    K1,
    PRIOR_DOCUMENTS,
    B,
    Posting,
    bm25,
)
from langchain_layered_memory.backends.sqlite.vectors import Scored, ranked
from langchain_layered_memory.testing import HashEmbeddings

WORDS = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=8)


def by_the_book(documents: list[list[str]], query: set[str]) -> dict[int, float]:
    """Okapi BM25, term by term, document by document."""
    average = sum(map(len, documents)) / len(documents)
    scores: dict[int, float] = {}
    best = 0.0
    for term in query:
        holding = sum(term in words for words in documents)
        count = len(documents) + PRIOR_DOCUMENTS
        idf = math.log(1 + (count - holding + 0.5) / (holding + 0.5))
        best += idf * (K1 + 1)
        for number, words in enumerate(documents):
            if frequency := words.count(term):
                norm = K1 * (1 - B + B * len(words) / average)
                part = idf * frequency * (K1 + 1) / (frequency + norm)
                scores[number] = scores.get(number, 0.0) + part
    return {number: score / best for number, score in scores.items()}


@given(st.lists(WORDS, min_size=1, max_size=12), st.sets(st.sampled_from("abcdefgxyz"), min_size=1))
def test_bm25_is_as_the_book_has_it(documents: list[list[str]], query: set[str]) -> None:
    postings = {
        term: [
            Posting(number, words.count(term), len(words))
            for number, words in enumerate(documents)
            if term in words
        ]
        for term in query
    }
    found = bm25(postings, len(documents), sum(map(len, documents)))
    assert found == pytest.approx(by_the_book(documents, query))
    assert all(0.0 < score <= 1.0 for score in found.values())


def test_a_word_that_nobody_said_lowers_the_score() -> None:
    tea = {"tea": [Posting(1, 1, 5)]}
    assert bm25({**tea, "zebra": []}, 10, 50)[1] < bm25(tea, 10, 50)[1]


@given(st.lists(st.tuples(st.integers(0, 20), st.sampled_from([0.1, 0.2, 0.3])), max_size=80))
def test_each_owner_is_ranked_once_by_its_best_score(pairs: list[tuple[int, float]]) -> None:
    owners = np.array([owner for owner, _ in pairs], np.int64)
    scores = np.array([score for _, score in pairs], np.float32)
    best: dict[int, float] = {}
    for owner, score in pairs:
        best[owner] = max(score, best.get(owner, -1.0))
    expected = sorted(best, key=lambda owner: (-best[owner], owner))
    for at_least in (1, 3, 100):
        assert [owner for owner, _ in ranked(Scored(owners, scores), at_least)] == expected


@pytest.mark.parametrize("cache_bytes", [10**8, 2_000])
def test_search_follows_every_write_of_two_handles(tmp_path: Path, cache_bytes: int) -> None:
    """Random puts and deletes; kept copies and chunks from the file agree with numpy."""
    url, embed = f"sqlite:///{tmp_path / 'v.db'}", HashEmbeddings(32)
    index = {"dims": 32, "embed": embed, "fields": ["text"]}
    handles = [
        LayeredStore(index=index, backend=SqliteBackend(url, cache_bytes=cache_bytes))
        for _ in range(2)
    ]
    random = np.random.default_rng(3)
    texts: dict[tuple[str, str], str] = {}
    for step in range(300):
        store, place = handles[step % 2], (f"n{random.integers(3)}", f"k{random.integers(15)}")
        if random.random() < 0.25:
            store.delete((place[0],), place[1])
            texts.pop(place, None)
        else:
            texts[place] = " ".join(f"w{number}" for number in random.integers(40, size=4))
            store.put((place[0],), place[1], {"text": texts[place]})
        if step % 10 == 0:
            _agree(handles[(step + 1) % 2], embed, texts)


def _agree(store: LayeredStore, embed: HashEmbeddings, texts: dict[tuple[str, str], str]) -> None:
    query = np.array(embed.vector("w1 w2 w3"))
    for prefix in ((), ("n1",)):
        mine = {p: text for p, text in texts.items() if p[: len(prefix)] == prefix}
        expected = {p: float(query @ np.array(embed.vector(text))) for p, text in mine.items()}
        found = store.search(prefix, query="w1 w2 w3", limit=100)
        assert {(i.namespace[0], i.key): i.score for i in found} == pytest.approx(
            expected, abs=1e-5
        )
        scores = [i.score or 0.0 for i in found]
        assert scores == sorted(scores, reverse=True)
