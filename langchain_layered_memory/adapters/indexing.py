"""What of a store's values is indexed, and how: LangGraph's `IndexConfig`, plus `hybrid`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base import PutOp, ensure_embeddings, get_text_at_path, tokenize_path

from langchain_layered_memory.errors import InvalidInputError
from langchain_layered_memory.item_requests import ItemVector
from langchain_layered_memory.requests import Vectors
from langchain_layered_memory.resources import model_name
from langchain_layered_memory.terms import analyze

Path = tuple[str, str | list[str]]
WHOLE_VALUE = "$"


@dataclass(frozen=True)
class StoreIndex:
    """How a store indexes; with neither embeddings nor hybrid, not at all."""

    embeddings: Embeddings | None = None
    dims: int | None = None
    fields: tuple[Path, ...] = ()
    hybrid: bool = False
    model: str = ""

    @classmethod
    def from_config(cls, config: Mapping[str, Any] | None) -> StoreIndex:
        """Return the index that a config describes.

        Raises:
            InvalidInputError: If it has neither `embed` nor `hybrid`, or no sensible `dims`.
        """
        if config is None:
            return cls()
        hybrid, embed = bool(config.get("hybrid")), config.get("embed")
        if embed is None and not hybrid:
            raise InvalidInputError("an index needs `embed`, or `hybrid` to go by words alone")
        embeddings = None if embed is None else ensure_embeddings(embed)
        dims = _dims(config) if embeddings is not None else None
        fields = _paths(config.get("fields") or [WHOLE_VALUE])
        model = "" if embeddings is None else f"{model_name(embeddings)}/{dims}"
        return cls(embeddings, dims, fields, hybrid, model)

    @property
    def enabled(self) -> bool:
        """Whether anything is indexed."""
        return self.hybrid or self.embeddings is not None

    def texts(self, op: PutOp) -> tuple[tuple[str, str], ...]:
        """Return (path, text) of what a put wants indexed; blank texts are left out."""
        if not self.enabled or op.value is None or op.index is False:
            return ()
        fields = self.fields if op.index is None else _paths(op.index)
        found = (
            (f"{path}.{place}", text)
            for path, tokens in fields
            for place, text in enumerate(get_text_at_path(dict(op.value), tokens))
        )
        return tuple((path, text) for path, text in found if text.strip())

    def vectors(
        self, pairs: tuple[tuple[str, str], ...], by_text: Mapping[str, Vectors]
    ) -> tuple[ItemVector, ...]:
        """Return the vector of each text that was embedded."""
        return tuple(ItemVector(path, by_text[text]) for path, text in pairs if text in by_text)

    def terms(self, text: str) -> tuple[str, ...]:
        """Return the terms of a text, or none if words are not indexed."""
        return analyze(text) if self.hybrid else ()


def _dims(config: Mapping[str, Any]) -> int:
    dims = config.get("dims")
    if not isinstance(dims, int) or isinstance(dims, bool) or dims < 1:
        raise InvalidInputError(f"index dims is the length of the vectors, got {dims!r}")
    return dims


def _paths(fields: object) -> tuple[Path, ...]:
    """Return the paths of fields; a single one may stand for a list of it."""
    if isinstance(fields, str):
        return (_path(fields),)
    if not isinstance(fields, (list, tuple)):
        raise InvalidInputError(f"the fields to index are a list of paths, got {fields!r}")
    return tuple(map(_path, fields))


def _path(path: str) -> Path:
    return path, (path if path == WHOLE_VALUE else tokenize_path(path))
