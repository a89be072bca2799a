"""What both arms find is put together, and words alone do if the embedder fails."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from langchain_layered_memory.errors import BackendError
from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.recall.candidates import Candidate, Found, find_candidates
from langchain_layered_memory.records import Scope
from langchain_layered_memory.requests import Embed, Hit, Request, SearchTerms, SearchVectors
from langchain_layered_memory.steps import run
from langchain_layered_memory.terms import analyze

ANN = Scope("ann")
ASKED = "What tea does Ann like?"
VECTOR = np.array([[0.6, 0.8]], dtype=np.float32)
YESTERDAY = datetime(2026, 3, 1, tzinfo=UTC)


class Arms:
    """Two searches and an embedder with canned answers."""

    def __init__(self, text: tuple[Hit, ...] = (), vectors: tuple[Hit, ...] = ()) -> None:
        self.text, self.vectors = text, vectors
        self.failing: type[Request[Any]] | None = None
        self.requests: list[Request[Any]] = []

    def __call__(self, request: Request[Any]) -> Any:
        self.requests.append(request)
        if self.failing is not None and isinstance(request, self.failing):
            raise BackendError("gone") if self.failing is not Embed else TimeoutError("slow")
        if isinstance(request, SearchTerms):
            return self.text
        return VECTOR if isinstance(request, Embed) else self.vectors

    def find(self, model: str | None = "tiny", as_of: datetime | None = None) -> Found:
        policy = MemoryPolicy(candidates=7)
        return run(find_candidates(ASKED, ANN, policy, model, as_of), self)


TURN = Hit("episodes", "e1", 0.5, "s1", 3)
MEMORY = Hit("memories", "m1", 0.4)


def test_union_says_what_each_arm_said() -> None:
    arms = Arms((TURN, MEMORY), (Hit("memories", "m1", 0.7), Hit("episodes", "e2", 0.6, "s1", 9)))
    found = arms.find()
    assert found == Found(
        (
            Candidate("episodes", "e1", "s1", 3, 0.5, 0.0),
            Candidate("memories", "m1", "", -1, 0.4, 0.7),
            Candidate("episodes", "e2", "s1", 9, 0.0, 0.6),
        ),
        with_vectors=True,
    )


@pytest.mark.parametrize("as_of", [None, YESTERDAY])
def test_both_arms_are_asked_the_same(as_of: datetime | None) -> None:
    arms = Arms()
    arms.find(as_of=as_of)
    text, embed, vectors = arms.requests
    layers = ("episodes", "memories")
    assert text == SearchTerms(ANN, analyze(ASKED), layers, 7, as_of)
    assert embed == Embed((ASKED,), "query")
    assert isinstance(vectors, SearchVectors)
    assert (vectors.scope, vectors.model, vectors.layers) == (ANN, "tiny", layers)
    assert (vectors.limit, vectors.as_of) == (7, as_of)
    assert vectors.vector.tolist() == VECTOR[0].tolist()


def test_without_a_model_words_alone_are_searched() -> None:
    arms = Arms((TURN,), (MEMORY,))
    found = arms.find(model=None)
    assert [each.record_id for each in found.candidates] == ["e1"]
    assert (found.with_vectors, found.notes, len(arms.requests)) == (False, (), 1)


def test_without_any_vectors_words_are_all() -> None:
    assert not Arms((TURN,)).find().with_vectors


def test_failing_embedder_is_noted_and_words_still_find(caplog: pytest.LogCaptureFixture) -> None:
    arms = Arms((TURN,), (MEMORY,))
    arms.failing = Embed
    found = arms.find()
    assert [each.record_id for each in found.candidates] == ["e1"]
    assert not found.with_vectors
    assert len(found.notes) == 1
    assert "embedding model failed" in found.notes[0]
    assert "text alone" in caplog.text


@pytest.mark.parametrize("failing", [SearchTerms, SearchVectors])
def test_failing_database_is_not_hidden(failing: type[Request[Any]]) -> None:
    arms = Arms((TURN,))
    arms.failing = failing
    with pytest.raises(BackendError):
        arms.find()


@pytest.mark.parametrize("make", [KeyboardInterrupt, SystemExit])
def test_being_stopped_is_no_failure_of_the_embedder(make: Callable[[], BaseException]) -> None:
    step = find_candidates(ASKED, ANN, MemoryPolicy(), "tiny", None)
    next(step)
    step.send(())
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        step.throw(make())


@pytest.mark.xfail(strict=True, reason="the model is asked to embed nothing")
@pytest.mark.parametrize("blank", ["", "  \n"])
def test_blank_question_is_not_embedded(blank: str) -> None:
    arms = Arms()
    run(find_candidates(blank, ANN, MemoryPolicy(), "tiny", None), arms)
    assert not [each for each in arms.requests if isinstance(each, Embed)]
