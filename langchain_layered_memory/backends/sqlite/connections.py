"""Connections to one SQLite file: pooled for readers, one writer at a time, errors translated.

Readers run beside the writer (WAL). A write takes the database's lock at its start, so it never
fails half way for want of it; other processes wait for it up to the busy timeout. A `:memory:`
database lives in one connection, which everybody then shares.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, unquote

from langchain_layered_memory.errors import (
    BackendError,
    BackendUnavailableError,
    CorruptStoreError,
    InvalidInputError,
    ReadOnlyError,
)

BUSY_SECONDS = 30.0
_RACE_PAUSE_SECONDS = 0.005
OLDEST_SQLITE = (3, 37, 0)  # STRICT tables
_PRIMARY_CODE = 0xFF
_SYNCHRONOUS = ("normal", "full", "off")

_BY_CODE: dict[int, tuple[type[BackendError], str]] = {
    sqlite3.SQLITE_BUSY: (BackendUnavailableError, "locked by another process for too long"),
    sqlite3.SQLITE_LOCKED: (BackendUnavailableError, "locked by another connection"),
    sqlite3.SQLITE_CANTOPEN: (BackendUnavailableError, "cannot be opened; does its folder exist?"),
    sqlite3.SQLITE_READONLY: (ReadOnlyError, "cannot be written; check its permissions"),
    sqlite3.SQLITE_PERM: (ReadOnlyError, "cannot be accessed; check its permissions"),
    sqlite3.SQLITE_FULL: (BackendUnavailableError, "has no room: the disk is full"),
    sqlite3.SQLITE_NOTADB: (CorruptStoreError, "is not a SQLite database"),
    sqlite3.SQLITE_CORRUPT: (CorruptStoreError, "is damaged; restore it from a backup"),
}


def parse_url(url: str) -> tuple[str, str]:
    """Return the path, or ":memory:", and the synchronous mode that a URL asks for.

    `sqlite:///agent.db` is relative, `sqlite:////var/agent.db` absolute. `?synchronous=full` makes
    every commit survive a power cut, too, at the cost of a disk flush.

    Raises:
        InvalidInputError: If the URL is not of that form.
    """
    rest, _, query = url.removeprefix("sqlite://").partition("?")
    path = unquote(rest.removeprefix("/"))
    if not url.startswith("sqlite://") or not path:
        raise InvalidInputError(f"{url!r} names no file; write sqlite:///file.db")
    options = {name: values[-1] for name, values in parse_qs(query).items()}
    synchronous = options.pop("synchronous", "normal")
    if options or synchronous not in _SYNCHRONOUS:
        raise InvalidInputError(f"{url!r}: the only option is synchronous=normal, full or off")
    return path, synchronous


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Turn SQLite's errors into ours, with the file's name and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        kind, what = _BY_CODE.get(code, (BackendError, f"refused: {error}"))
        raise kind(f"{name} {what}") from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise InvalidInputError(f"SQLite cannot hold this value: {error}") from error


class Connections:
    """Hands out connections as transactions.

    Args:
        url: As for `parse_url`.
        prepare: Called once, with the first connection, to bring the schema up to date.
    """

    def __init__(self, url: str, prepare: Callable[[sqlite3.Connection], None]) -> None:
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise BackendUnavailableError(
                f"SQLite {sqlite3.sqlite_version} is too old; 3.37 or newer is needed"
            )
        self.path, self._synchronous = parse_url(url)
        self.shared = self.path == ":memory:"
        self._prepare = prepare
        self._inherited: list[sqlite3.Connection] = []
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._idle: list[sqlite3.Connection] = []
        self._writer = threading.RLock()
        self._setup = threading.Lock()
        self._ready = False
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that sees one state of the database throughout."""
        with self._writer if self.shared else _nothing(), self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection that may write; committed at the end, or rolled back whole."""
        # The lock keeps this process's threads from polling for SQLite's own, which is not fair.
        with self._writer, self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    def close(self) -> None:
        """Close the idle connections; those in use close when they come back."""
        with self._setup:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with translated(self.path):
            connection = self._take()
            try:
                connection.execute(begin)
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._give_back(connection)

    def _take(self) -> sqlite3.Connection:
        if self._pid != os.getpid():
            # A child process must not use its parent's connections, nor close them: SQLite would
            # drop the parent's locks. So they are kept, unused.
            self._inherited.extend(self._idle)
            self._reset()
        self._make_ready()
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect()

    def _make_ready(self) -> None:
        if self._ready and not self._closed:
            return
        with self._setup:
            if self._closed:
                raise BackendUnavailableError(f"{self.path} was closed; open it again to go on")
            if not self._ready:
                connection = self._connect()
                self._prepare(connection)
                self._idle.append(connection)
                self._ready = True

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if self._closed:
            connection.close()
        else:
            self._idle.append(connection)

    def _connect(self) -> sqlite3.Connection:
        folder = Path(self.path).parent
        if not self.shared and not folder.is_dir():
            raise BackendUnavailableError(f"{self.path}: there is no folder {str(folder)!r}")
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA synchronous = {self._synchronous}")  # one of three words
        if not self.shared:
            self._use_wal(connection)
        return connection

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        """Let readers and the writer work side by side; the file remembers it for good."""
        deadline = time.monotonic() + BUSY_SECONDS
        while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                code = error.sqlite_errorcode & _PRIMARY_CODE
                if code == sqlite3.SQLITE_READONLY:
                    return  # a read-only file is read in the mode that it has
                # SQLite does not wait for this switch by itself, so several first users race.
                if code != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_RACE_PAUSE_SECONDS)


@contextmanager
def _nothing() -> Iterator[None]:
    yield
