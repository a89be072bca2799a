"""What answers the requests of steps: an embedding model, a chat model and a backend, in one place.

`Resources.answer` and `Resources.aanswer` are the two doors to the outside; everything between
them and the steps is the same for sync and async.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel

from langchain_layered_memory.backends.base import Backend
from langchain_layered_memory.errors import (
    DimensionMismatchError,
    EmbeddingError,
    InvalidInputError,
)
from langchain_layered_memory.requests import Complete, Embed, Request, StorageRequest, Vectors
from langchain_layered_memory.steps import Steps, arun, run

T = TypeVar("T")


def model_name(embeddings: Embeddings) -> str:
    """Return the name that an embedding model's vectors are kept under."""
    for attribute in ("model_name", "model", "model_id"):
        name = getattr(embeddings, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(embeddings).__name__


def unit_vectors(rows: Sequence[Sequence[float]], texts: int, dims: int | None) -> Vectors:
    """Return a model's answer as unit rows; a vector of zeros stays as it is.

    Raises:
        DimensionMismatchError: If the rows are not `dims` long.
        EmbeddingError: If there is not one finite vector for each text.
    """
    try:
        matrix = np.array(rows, dtype=np.float32).reshape(len(rows), -1)
    except ValueError as error:
        raise EmbeddingError(f"the embedding model gave rows of several lengths: {error}") from None
    if len(matrix) != texts:
        raise EmbeddingError(f"the embedding model gave {len(matrix)} vectors for {texts} texts")
    if dims is not None and matrix.shape[1] != dims:
        raise DimensionMismatchError(
            f"the embedding model gives {matrix.shape[1]} dimensions, the index was made for {dims}"
        )
    if not np.isfinite(matrix).all():
        raise EmbeddingError("the embedding model gave a vector that holds NaN or infinity")
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(norms == 0.0, 1.0, norms)).astype(np.float32)


@dataclass(frozen=True)
class Resources:
    """The outside world of the steps.

    Attributes:
        dims: The length every vector must have; None takes the model's.
    """

    backend: Backend
    embeddings: Embeddings | None = None
    model: BaseChatModel | None = None
    dims: int | None = None

    def run(self, steps: Steps[T]) -> T:
        """Run a step, blocking."""
        return run(steps, self.answer)

    async def arun(self, steps: Steps[T]) -> T:
        """Run a step on the event loop."""
        return await arun(steps, self.aanswer)

    def answer(self, request: Request[Any]) -> Any:
        """Answer one request, blocking."""
        match request:
            case StorageRequest():
                return self.backend.execute(request)
            case Embed(texts, "query"):
                return self._vectors([self._embedder.embed_query(text) for text in texts], texts)
            case Embed(texts, _):
                return self._vectors(self._embedder.embed_documents(list(texts)), texts)
            case Complete(messages):
                return self._chat_model.invoke(list(messages))
        raise _unknown(request)

    async def aanswer(self, request: Request[Any]) -> Any:
        """Answer one request without blocking the event loop."""
        match request:
            case StorageRequest():
                return await self.backend.aexecute(request)
            case Embed(texts, "query"):
                rows = [await self._embedder.aembed_query(text) for text in texts]
                return self._vectors(rows, texts)
            case Embed(texts, _):
                rows = await self._embedder.aembed_documents(list(texts))
                return self._vectors(rows, texts)
            case Complete(messages):
                return await self._chat_model.ainvoke(list(messages))
        raise _unknown(request)

    def _vectors(self, rows: list[list[float]], texts: Sequence[str]) -> Vectors:
        return unit_vectors(rows, len(texts), self.dims)

    @property
    def _embedder(self) -> Embeddings:
        if self.embeddings is None:
            raise InvalidInputError("there is no embedding model; give one as `embeddings=`")
        return self.embeddings

    @property
    def _chat_model(self) -> BaseChatModel:
        if self.model is None:
            raise InvalidInputError("there is no chat model; give one as `model=`")
        return self.model


def _unknown(request: object) -> InvalidInputError:
    return InvalidInputError(f"nothing answers {request!r}")
