"""Embedding what has no vector yet: batch by batch, whatever single texts or the service do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from langchain_layered_memory.errors import DimensionMismatchError, EmbeddingError
from langchain_layered_memory.index.step import IndexResult, index_pending
from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.requests import (
    Embed,
    PendingEntry,
    PendingVectors,
    Request,
    SaveVectors,
    Vectors,
)
from langchain_layered_memory.steps import run

MODEL = "tiny"


def vectors(texts: tuple[str, ...]) -> Vectors:
    return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


class Service:
    """A database with entries that wait, and an embedding model that refuses some texts."""

    def __init__(self, *texts: str, refused: Callable[[str], bool] = lambda _: False) -> None:
        self.entries = dict(enumerate(texts, start=1))
        self.refused = refused
        self.gone: set[int] = set()
        self.saved: dict[int, Any] = {}
        self.embedded: list[tuple[str, ...]] = []
        self.asked: list[PendingVectors] = []

    def __call__(self, request: Request[Any]) -> Any:
        match request:
            case PendingVectors(model, limit, after):
                assert model == MODEL
                self.asked.append(request)
                left = [n for n in sorted(self.entries) if n > after and n not in self.saved]
                return tuple(PendingEntry(n, self.entries[n]) for n in left[:limit])
            case Embed(texts, purpose):
                assert purpose == "document"
                self.embedded.append(texts)
                if any(self.refused(text) for text in texts):
                    raise ConnectionError("refused")
                return vectors(texts)
            case SaveVectors(model, ids, rows):
                assert (model, len(ids)) == (MODEL, len(rows))
                kept = [n for n in ids if n not in self.gone]
                self.saved.update(dict(zip(ids, rows.tolist(), strict=True)))
                return len(kept)
        raise AssertionError(f"unexpected: {request!r}")

    def index(self, batch: int = 4, progress: Callable[[int], None] | None = None) -> IndexResult:
        policy = MemoryPolicy(embed_batch=batch, index_chars=100)
        step = index_pending(MODEL, policy, *([progress] if progress else []))
        return run(step, self)


def words(number: int) -> list[str]:
    return [f"text {'x' * i}" for i in range(number)]


def test_nothing_to_do_embeds_nothing() -> None:
    service = Service()
    assert service.index() == IndexResult()
    assert service.embedded == []


@pytest.mark.parametrize(
    ("number", "sizes"), [(1, [1]), (4, [4]), (5, [4, 1]), (10, [4, 4, 2]), (12, [4, 4, 4])]
)
def test_all_is_embedded_in_batches_and_progress_is_told(number: int, sizes: list[int]) -> None:
    service, told = Service(*words(number)), list[int]()
    assert service.index(progress=told.append) == IndexResult(indexed=number)
    assert [len(texts) for texts in service.embedded] == told == sizes
    assert {request.limit for request in service.asked} == {4}


def test_each_text_gets_its_own_vector() -> None:
    service = Service("a", "bbb", "cc")
    service.index(batch=2)
    assert service.saved == {1: [1, 1], 2: [3, 1], 3: [2, 1]}


def test_only_the_beginning_of_a_long_text_is_embedded() -> None:
    service = Service("x" * 1000)
    service.index()
    assert service.embedded == [("x" * 100,)]


def test_entry_that_vanished_meanwhile_is_not_counted() -> None:
    service = Service(*words(3))
    service.gone = {2}
    assert service.index() == IndexResult(indexed=2)


def bad(text: str) -> bool:
    return "bad" in text


@pytest.mark.parametrize("place", range(10))
@pytest.mark.parametrize("batch", [1, 3, 10])
def test_one_bad_text_costs_itself_only(place: int, batch: int) -> None:
    texts = words(10)
    texts[place] = "bad"
    service = Service(*texts, refused=bad)
    result = service.index(batch)
    assert (result.indexed, result.failed) == (9, 1)
    assert result.errors == ["ConnectionError: refused"]
    assert set(service.saved) == set(range(1, 11)) - {place + 1}


def test_what_failed_stays_to_be_done() -> None:
    service = Service("good", "bad", refused=bad)
    assert service.index().failed == 1
    service.refused = lambda _: False
    assert service.index() == IndexResult(indexed=1)


def test_bad_texts_here_and_there_do_not_end_the_run() -> None:
    texts = [f"{'bad' if i % 3 else 'good'} {i}" for i in range(60)]
    assert Service(*texts, refused=bad).index().indexed == 20


@pytest.mark.parametrize("batch", [1, 4, 64])
def test_dead_service_is_asked_only_a_few_times(batch: int) -> None:
    service, told = Service(*words(1000), refused=lambda _: True), list[int]()
    result = service.index(batch, told.append)
    assert (result.indexed, service.saved) == (0, {})
    assert 1 <= result.failed <= 3 * batch
    assert 1 <= len(result.errors) <= 9
    assert len(service.embedded) <= 12
    assert set(told) == {0}


def test_service_that_dies_on_the_way_keeps_what_was_done() -> None:
    service = Service(*words(100))
    service.refused = lambda _: len(service.saved) >= 8
    result = service.index()
    assert (result.indexed, len(service.saved)) == (8, 8)
    assert len(service.embedded) <= 2 + 12


def test_failures_are_logged_and_raise_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("WARNING", "langchain_layered_memory"):
        Service("bad", refused=bad).index()
    assert "embedding failed" in caplog.text


@pytest.mark.parametrize("failing", [Embed, SaveVectors])
def test_dimension_mismatch_is_raised_at_once(failing: type[Request[Any]]) -> None:
    service, asked = Service(*words(100)), list[Request[Any]]()

    def answer(request: Request[Any]) -> Any:
        asked.append(request)
        if isinstance(request, failing):
            raise DimensionMismatchError("2 dimensions, the index was made for 3")
        return service(request)

    with pytest.raises(DimensionMismatchError):
        run(index_pending(MODEL, MemoryPolicy()), answer)
    assert sum(isinstance(each, Embed) for each in asked) == 1


def test_vector_that_is_no_vector_is_a_failure_like_any_other() -> None:
    service = Service("good", "bad", "good too")

    def answer(request: Request[Any]) -> Any:
        if isinstance(request, Embed) and any(bad(text) for text in request.texts):
            raise EmbeddingError("NaN")
        return service(request)

    result = run(index_pending(MODEL, MemoryPolicy()), answer)
    assert (result.indexed, result.failed, result.errors) == (2, 1, ["EmbeddingError: NaN"])


@pytest.mark.xfail(strict=True, reason="what stands behind three bad texts is never tried again")
@pytest.mark.parametrize("batch", [1, 8])
def test_bad_texts_in_a_row_do_not_keep_the_good_ones_behind_them_for_ever(batch: int) -> None:
    service = Service("bad 1", "bad 2", "bad 3", *words(5), refused=bad)
    for _ in range(5):
        service.index(batch)
    assert set(service.saved) == set(range(4, 9))
