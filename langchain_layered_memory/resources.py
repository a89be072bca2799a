"""What answers the requests of steps: an embedding model, a chat model and a backend, in one place.

`Resources.answer` and `Resources.aanswer` are the two doors to the outside; everything between
them and the steps is the same for sync and async.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from numpy.typing import NDArray

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
    matrix = _matrix(rows)
    if len(matrix) != texts:
        raise EmbeddingError(f"the embedding model gave {len(matrix)} vectors for {texts} texts")
    if not texts:
        return np.empty((0, dims or 0), np.float32)
    if dims is not None and matrix.shape[1] != dims:
        raise DimensionMismatchError(
            f"the embedding model gives {matrix.shape[1]} dimensions, the index was made for {dims}"
        )
    if not matrix.shape[1]:
        raise EmbeddingError("the embedding model gave vectors that hold no numbers")
    if not np.isfinite(matrix).all():
        raise EmbeddingError("the embedding model gave a vector that holds NaN or infinity")
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, None]
    norms[norms == 0.0] = 1.0
    unit: Vectors = (matrix / norms).astype(np.float32)
    return unit


def _matrix(rows: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Return rows as an array of 64 bits, in which their squares neither vanish nor overflow."""
    try:
        return np.array(rows, dtype=np.float64).reshape(len(rows), -1 if len(rows) else 0)
    except (TypeError, ValueError) as error:
        raise EmbeddingError(f"the embedding model gave rows of several lengths: {error}") from None


@dataclass(frozen=True)
class _Route:
    """Who answers a request, blocking and awaitable, and what becomes of the answer."""

    blocking: Callable[[], Any]
    awaitable: Callable[[], Awaitable[Any]]
    finish: Callable[[Any], Any] = lambda answer: answer


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
        if isinstance(request, StorageRequest):
            return self.backend.execute(request)  # the way of every read; a route costs more
        route = self._route(request)
        return route.finish(route.blocking())

    async def aanswer(self, request: Request[Any]) -> Any:
        """Answer one request without blocking the event loop."""
        route = self._route(request)
        return route.finish(await route.awaitable())

    def _route(self, request: Request[Any]) -> _Route:
        match request:
            case StorageRequest():
                execute, aexecute = self.backend.execute, self.backend.aexecute
                return _Route(partial(execute, request), partial(aexecute, request))
            case Embed(texts, "document"):
                embed, aembed = self._embedder.embed_documents, self._embedder.aembed_documents
                found, afound = partial(embed, list(texts)), partial(aembed, list(texts))
                return _Route(found, afound, partial(self._vectors, texts))
            case Embed((text,), _):
                embed_one, aembed_one = self._embedder.embed_query, self._embedder.aembed_query
                found_one, afound_one = partial(embed_one, text), partial(aembed_one, text)
                return _Route(found_one, afound_one, lambda row: self._vectors([text], [row]))
            case Complete(messages):
                model = self._chat_model
                return _Route(
                    partial(model.invoke, [*messages]), partial(model.ainvoke, [*messages])
                )
        raise InvalidInputError(f"nothing answers {request!r}")

    def _vectors(self, texts: Sequence[str], rows: list[list[float]]) -> Vectors:
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
