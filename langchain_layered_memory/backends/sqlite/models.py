"""Embedding models by name: every vector knows whose it is, so two models' are never compared."""

from __future__ import annotations

import numpy as np

from langchain_layered_memory.backends.sqlite.session import Session
from langchain_layered_memory.errors import DimensionMismatchError
from langchain_layered_memory.requests import Vectors


def model_id_of(db: Session, name: str, dims: int) -> int | None:
    """Return the number of a model, or None if nothing was embedded with it.

    Raises:
        DimensionMismatchError: If its stored vectors have another length.
    """
    row = db.one("model_by_name", name=name)
    if row is None:
        return None
    if row["dims"] != dims:
        raise DimensionMismatchError(
            f"the stored vectors of {name!r} have {row['dims']} dimensions, these have {dims}; "
            "open with the model that made them, or under another name and index again"
        )
    return int(row["id"])


def model_id_or_new(db: Session, name: str, dims: int) -> int:
    """Return the number of a model, made known if need be.

    Raises:
        DimensionMismatchError: If its stored vectors have another length.
    """
    found = model_id_of(db, name, dims)
    if found is None:
        db.run("model_insert", {"name": name, "dims": dims})
        found = model_id_of(db, name, dims)
    assert found is not None  # noqa: S101 - it was inserted in this transaction
    return found


def vector_bytes(vector: Vectors) -> bytes:
    """Return a vector as it is stored: little-endian float32."""
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()
