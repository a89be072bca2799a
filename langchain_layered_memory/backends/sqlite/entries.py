"""Entries: what makes a turn, or a value of a memory, findable by its words."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from langchain_layered_memory.backends.sqlite import codec
from langchain_layered_memory.backends.sqlite.session import Session
from langchain_layered_memory.records import Layer
from langchain_layered_memory.requests import Indexed


def scoped_term(scope_id: int, term: str) -> str:
    """Return a term marked with its owner, so that it is a word of that owner alone."""
    return f"{scope_id}·{term}"


def add_entry(
    db: Session,
    scope_id: int,
    layer: Layer,
    indexed: Indexed[Any],
    *,
    at: datetime,
    session_id: str = "",
    position: int = -1,
) -> None:
    """Make a record findable; what it was found by before must have been retired."""
    entry = {
        "scope_id": scope_id,
        "layer": layer,
        "record_id": indexed.record.id,
        "session_id": session_id,
        "position": position,
        "at": codec.to_micros(at),
        "length": len(indexed.terms),
    }
    number = db.insert("entry_insert", entry)
    terms = " ".join(scoped_term(scope_id, term) for term in indexed.terms)
    db.run("entry_terms_insert", {"id": number, "terms": terms})
