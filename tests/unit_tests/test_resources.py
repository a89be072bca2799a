"""Resources: unit vectors from whatever a model gives, and words for what is missing."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import HumanMessage

from langchain_layered_memory.backends.base import Backend
from langchain_layered_memory.errors import (
    DimensionMismatchError,
    EmbeddingError,
    InvalidInputError,
)
from langchain_layered_memory.records import Scope
from langchain_layered_memory.requests import CountRecords, Request, StorageRequest
from langchain_layered_memory.resources import Resources, model_name, unit_vectors
from langchain_layered_memory.steps import complete, embed_documents, embed_query
from langchain_layered_memory.testing import HashEmbeddings

QUERY, DOCUMENT = [3.0, 4.0], [0.0, 2.0]


class TwoWays(Embeddings):
    """Embeds questions and documents differently, and says which way it was asked."""

    def __init__(self, *extra: list[float]) -> None:
        self.asked: list[str] = []
        self.extra = list(extra)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked.append("documents")
        return [DOCUMENT for _ in texts] + self.extra

    def embed_query(self, text: str) -> list[float]:
        self.asked.append("query")
        return QUERY

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked.append("async")
        return self.embed_documents(texts)

    async def aembed_query(self, text: str) -> list[float]:
        self.asked.append("async")
        return self.embed_query(text)


class OneAnswer:
    """A backend that answers anything with the way it was asked."""

    def execute(self, request: StorageRequest[Any]) -> Any:
        return "blocking"

    async def aexecute(self, request: StorageRequest[Any]) -> Any:
        return "awaited"


def resources(**given: Any) -> Resources:
    return Resources(cast(Backend, OneAnswer()), **given)


# ------------------------------------------------------------------ unit vectors


@pytest.mark.parametrize(
    "rows",
    [
        [[3.0, 4.0], [0.0, 2.0]],
        [[3, 4], [0, 2]],
        ((3.0, 4.0), (0.0, 2.0)),
        np.array([[3.0, 4.0], [0.0, 2.0]]),
        [np.array([3.0, 4.0], np.float32), np.array([0.0, 2.0], np.float16)],
    ],
    ids=["floats", "ints", "tuples", "array", "arrays"],
)
def test_rows_of_any_numbers_become_unit_rows(rows: Any) -> None:
    unit = unit_vectors(rows, 2, 2)
    assert unit.dtype == np.float32
    assert unit.tolist() == pytest.approx(np.array([[0.6, 0.8], [0.0, 1.0]]))


def test_dims_may_be_left_to_the_model() -> None:
    assert unit_vectors([[1.0] * 7], 1, None).shape == (1, 7)


def test_vector_of_zeros_stays_as_it_is() -> None:
    assert unit_vectors([[0.0, 0.0], [0.0, 5.0]], 2, 2).tolist() == [[0.0, 0.0], [0.0, 1.0]]


def test_what_the_model_gave_is_not_changed() -> None:
    given = np.array([[3.0, 4.0]], np.float32)
    unit_vectors(cast(Any, given), 1, 2)
    assert given.tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize(
    ("rows", "texts", "told"),
    [
        ([[1.0, 0.0]], 2, "1 vectors for 2 texts"),
        ([[1.0, 0.0]] * 3, 2, "3 vectors for 2 texts"),
        ([[1.0, 0.0], [1.0]], 2, "rows of several lengths"),
        ([[1.0, math.nan]], 1, "NaN or infinity"),
        ([[math.inf, 0.0]], 1, "NaN or infinity"),
        ([[None, 1.0]], 1, "NaN or infinity"),
        ([[-math.inf, 0.0]], 1, "NaN or infinity"),
    ],
)
def test_what_is_not_one_finite_vector_for_each_text_is_refused(
    rows: Any, texts: int, told: str
) -> None:
    with pytest.raises(EmbeddingError, match=told):
        unit_vectors(rows, texts, 2)


@pytest.mark.parametrize("length", [1, 3])
def test_vector_of_another_length_is_refused_with_both(length: int) -> None:
    with pytest.raises(DimensionMismatchError, match=f"gives {length} dimensions.*made for 2"):
        unit_vectors([[1.0] * length], 1, 2)


def test_no_vectors_for_some_texts_are_counted() -> None:
    with pytest.raises(EmbeddingError, match="0 vectors for 2 texts"):
        unit_vectors([], 2, 2)


def test_no_texts_have_no_vectors() -> None:
    assert unit_vectors([], 0, 2).shape == (0, 2)


def test_vector_without_numbers_is_refused() -> None:
    with pytest.raises(EmbeddingError):
        unit_vectors([[], []], 2, None)


@pytest.mark.parametrize("rows", [None, [[{}, 1.0]]], ids=repr)
def test_what_is_no_vector_at_all_is_refused(rows: Any) -> None:
    with pytest.raises(EmbeddingError):
        unit_vectors(rows, 1, 2)


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_very_small_and_very_large_vectors_become_unit_rows(size: float) -> None:
    assert unit_vectors([[3 * size, 4 * size]], 1, 2)[0] == pytest.approx([0.6, 0.8])


@given(
    st.integers(1, 6).flatmap(
        lambda dims: st.lists(
            st.lists(st.floats(-1e6, 1e6, width=32), min_size=dims, max_size=dims).filter(
                lambda row: max(map(abs, row)) > 1e-6
            ),
            min_size=1,
            max_size=5,
        )
    )
)
def test_rows_have_length_one_and_keep_their_direction(rows: list[list[float]]) -> None:
    unit = unit_vectors(rows, len(rows), None)
    for row, one in zip(rows, unit, strict=True):
        assert math.hypot(*one) == pytest.approx(1.0, abs=1e-5)
        assert math.hypot(*row) * one == pytest.approx(row, rel=1e-4, abs=1e-4 * math.hypot(*row))


# ------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ({"model_name": "a", "model": "b", "model_id": "c"}, "a"),
        ({"model": "b", "model_id": "c"}, "b"),
        ({"model_id": "c"}, "c"),
        ({}, "TwoWays"),
        ({"model_name": ""}, "TwoWays"),
        ({"model_name": None, "model": "b"}, "b"),
        ({"model_name": object(), "model_id": "c"}, "c"),
    ],
    ids=repr,
)
def test_model_is_known_by_the_first_name_it_has(attributes: dict[str, Any], name: str) -> None:
    model = TwoWays()
    for attribute, value in attributes.items():
        setattr(model, attribute, value)
    assert model_name(model) == name


# ------------------------------------------------------------------ answers


async def test_questions_and_documents_are_embedded_their_own_way() -> None:
    model = TwoWays()
    ours = resources(embeddings=model, dims=2)
    question, documents = ours.run(embed_query("q")), ours.run(embed_documents(["d", "e"]))
    assert question.tolist() == [pytest.approx([0.6, 0.8])]
    assert documents.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    assert model.asked == ["query", "documents"]
    assert (await ours.arun(embed_query("q"))).tolist() == question.tolist()
    assert (await ours.arun(embed_documents(["d", "e"]))).tolist() == documents.tolist()
    assert model.asked[2:] == ["async", "query", "async", "documents"]


async def test_what_a_model_gives_too_much_is_refused_both_ways() -> None:
    ours = resources(embeddings=TwoWays([1.0, 0.0]))
    with pytest.raises(EmbeddingError, match="2 vectors for 1 texts"):
        ours.run(embed_documents(["d"]))
    with pytest.raises(EmbeddingError, match="2 vectors for 1 texts"):
        await ours.arun(embed_documents(["d"]))


async def test_model_of_another_length_than_the_index_is_refused_both_ways() -> None:
    ours = resources(embeddings=HashEmbeddings(8), dims=4)
    for step in (embed_query, lambda text: embed_documents([text])):
        with pytest.raises(DimensionMismatchError):
            ours.run(step("d"))
        with pytest.raises(DimensionMismatchError):
            await ours.arun(step("d"))


async def test_chat_model_answers_both_ways() -> None:
    ours = resources(model=FakeListChatModel(responses=["one", "two"]))
    assert ours.run(complete([HumanMessage("hello")])).content == "one"
    assert (await ours.arun(complete([HumanMessage("hello")]))).content == "two"


async def test_storage_is_asked_the_way_that_the_caller_came() -> None:
    request = CountRecords(Scope("ann"))
    assert resources().answer(request) == "blocking"
    assert await resources().aanswer(request) == "awaited"


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (lambda: embed_query("q"), "no embedding model; give one as `embeddings=`"),
        (lambda: embed_documents(["d"]), "no embedding model; give one as `embeddings=`"),
        (lambda: complete([]), "no chat model; give one as `model=`"),
    ],
    ids=["question", "documents", "chat"],
)
async def test_what_is_missing_is_named_with_the_argument(step: Any, told: str) -> None:
    with pytest.raises(InvalidInputError, match=told):
        resources().run(step())
    with pytest.raises(InvalidInputError, match=told):
        await resources().arun(step())


async def test_request_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="nothing answers"):
        resources().answer(Request())
    with pytest.raises(InvalidInputError, match="nothing answers"):
        await resources().aanswer(Request())


def test_answer_for_one_text_is_not_taken_for_answers_to_many() -> None:
    with pytest.raises((EmbeddingError, DimensionMismatchError)):
        unit_vectors(cast(Any, [3.0, 4.0]), 2, 2)
