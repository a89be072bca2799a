"""A connection inside one transaction, with the statements by name: what the handlers work with."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from langchain_layered_memory.backends.queries import load
from langchain_layered_memory.backends.sqlite.vectors import VectorCache
from langchain_layered_memory.records import Scope

_QUERIES = load("langchain_layered_memory.backends.sqlite")


class Session:
    """Runs named statements on one connection."""

    __slots__ = ("_connection", "vectors")

    def __init__(self, connection: sqlite3.Connection, vectors: VectorCache) -> None:
        self._connection = connection
        self.vectors = vectors

    def all(self, name: str, /, **values: Any) -> list[sqlite3.Row]:
        """Return every row of a statement."""
        return self._connection.execute(_QUERIES[name], values).fetchall()

    def stream(self, name: str, /, **values: Any) -> Iterable[sqlite3.Row]:
        """Return the rows of a statement as they are asked for."""
        return self._connection.execute(_QUERIES[name], values)

    def one(self, name: str, /, **values: Any) -> sqlite3.Row | None:
        """Return the first row, or None."""
        row: sqlite3.Row | None = self._connection.execute(_QUERIES[name], values).fetchone()
        return row

    def value(self, name: str, /, **values: Any) -> Any:
        """Return the first column of the first row; the statement always has one."""
        return self._connection.execute(_QUERIES[name], values).fetchone()[0]

    def run(self, name: str, values: Mapping[str, Any]) -> int:
        """Run a statement and return how many rows it changed."""
        return self._connection.execute(_QUERIES[name], values).rowcount

    def many(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run a statement once for each row."""
        self._connection.executemany(_QUERIES[name], rows)

    def insert(self, name: str, values: Mapping[str, Any]) -> int:
        """Run an insert and return the number of the new row."""
        return int(self._connection.execute(_QUERIES[name], values).lastrowid or 0)

    def scope_id(self, scope: Scope) -> int | None:
        """Return the number of an owner, or None if nothing was ever stored for them."""
        row = self.one("scope_id", tenant_id=scope.tenant_id, user_id=scope.user_id)
        return None if row is None else int(row["id"])

    def scope_id_or_new(self, scope: Scope) -> int:
        """Return the number of an owner, made known if need be."""
        found = self.scope_id(scope)
        if found is not None:
            return found
        self.run("scope_insert", {"tenant_id": scope.tenant_id, "user_id": scope.user_id})
        return int(self.value("scope_id", tenant_id=scope.tenant_id, user_id=scope.user_id))


def id_list(ids: Iterable[Any]) -> str:
    """Return ids as the JSON array that `json_each` reads: any number of them in one binding."""
    return json.dumps(list(ids))
