"""The schema's numbered migrations, applied once each, by whichever process comes first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from langchain_layered_memory.errors import BackendError, SchemaTooNewError

_FOLDER = files(__package__) / "migrations"
_TABLE = """CREATE TABLE IF NOT EXISTS layered_memory_schema (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT"""


def migrations() -> list[tuple[int, str, str]]:
    """Return (version, name, SQL) of every migration, in order."""
    found = sorted(file.name for file in _FOLDER.iterdir() if file.name.endswith(".sql"))
    return [(int(name[:4]), name, (_FOLDER / name).read_text(encoding="utf-8")) for name in found]


def newest_version() -> int:
    """Return the version of the schema that this code was written for."""
    return migrations()[-1][0]


def prepare(connection: sqlite3.Connection) -> None:
    """Bring the database up to this code's schema.

    Raises:
        SchemaTooNewError: If a newer version of the package wrote it; nothing is changed.
    """
    if _current(connection) == newest_version():
        return  # also how a read-only file opens
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_TABLE)
        _apply(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _current(connection: sqlite3.Connection) -> int:
    known = connection.execute(
        "SELECT count(*) FROM sqlite_schema WHERE name = 'layered_memory_schema'"
    ).fetchone()[0]
    if not known:
        return 0
    version = connection.execute("SELECT max(version) FROM layered_memory_schema").fetchone()[0]
    newest = newest_version()
    if (version or 0) > newest:
        raise SchemaTooNewError(
            f"the database has schema {version}, this version of langchain-layered-memory knows "
            f"{newest}; upgrade the package"
        )
    return int(version or 0)


def _apply(connection: sqlite3.Connection) -> None:
    current = _current(connection)
    for version, name, text in migrations():
        if version <= current:
            continue
        for statement in _statements(text):
            _run(connection, statement)
        connection.execute("INSERT INTO layered_memory_schema VALUES (?, ?)", (version, name))


def _run(connection: sqlite3.Connection, statement: str) -> None:
    try:
        connection.execute(statement)
    except sqlite3.OperationalError as error:
        if "already exists" not in str(error):
            raise
        raise BackendError(
            f"the file holds another program's tables ({error}); give memory a file of its own"
        ) from error


def _statements(text: str) -> Iterator[str]:
    """Yield the statements of a script one by one; `executescript` would commit in between."""
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
