"""Connections to one SQLite file: pooled for readers, one writer at a time, errors translated.

Readers run beside the writer (WAL). A write takes the database's lock at its start, so it never
fails half way for want of it; other processes wait for it up to the busy timeout. A `:memory:`
database lives in one connection, which everybody then shares.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, unquote

from langchain_layered_memory.errors import (
    BackendError,
    BackendUnavailableError,
    CorruptStoreError,
    InvalidInputError,
    LayeredMemoryError,
    ReadOnlyError,
)

BUSY_SECONDS = 30.0
_RACE_PAUSE_SECONDS = 0.005
# Of 4 kB: the log is moved into the file after some hundred writes, not each hundred.
_CHECKPOINT_PAGES = 4000
OLDEST_SQLITE = (3, 37, 0)  # STRICT tables
_PRIMARY_CODE = 0xFF
_SYNCHRONOUS = ("normal", "full", "off")

_BY_CODE: dict[int, tuple[type[BackendError], str]] = {
    sqlite3.SQLITE_BUSY: (BackendUnavailableError, "locked by another process for too long"),
    sqlite3.SQLITE_LOCKED: (BackendUnavailableError, "locked by another connection"),
    sqlite3.SQLITE_CANTOPEN: (
        BackendUnavailableError,
        "cannot be opened; check that its folder is there and that you may read it",
    ),
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


def translation(name: str, error: BaseException) -> LayeredMemoryError | None:
    """Return a driver's error as one of ours, naming the file and what to do, else None."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        kind, what = _BY_CODE.get(code, (BackendError, f"refused: {error}"))
        return kind(f"{name} {what}")
    if isinstance(error, (UnicodeEncodeError, OverflowError)):
        return InvalidInputError(f"SQLite cannot hold this value: {error}")
    return None


class Transaction:
    """A connection for a `with` block: committed at its end, or rolled back whole.

    A class and not a generator, since this stands on the path of every single read.

    Args:
        pool: Where the connection comes from and goes back to.
        begin: The statement that begins, or "" for a single statement that needs none.
        lock: Held meanwhile, if given.
    """

    __slots__ = ("_begin", "_connection", "_lock", "_pool")

    def __init__(self, pool: Connections, begin: str, lock: threading.RLock | None) -> None:
        self._pool, self._begin, self._lock = pool, begin, lock
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> sqlite3.Connection:
        if self._lock is not None:
            self._lock.acquire()
        try:
            self._connection = self._pool.take()
            if self._begin:
                self._connection.execute(self._begin)
        except BaseException as error:
            self._leave()
            if (ours := translation(self._pool.path, error)) is not None:
                raise ours from error
            raise
        return self._connection

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        connection = self._connection
        try:
            if connection is not None and connection.in_transaction:
                connection.execute("COMMIT" if error is None else "ROLLBACK")
        except sqlite3.Error as failed:
            if connection is not None and connection.in_transaction:
                connection.execute("ROLLBACK")
            error = failed
        finally:
            self._leave()
        if error is not None and (ours := translation(self._pool.path, error)) is not None:
            raise ours from error

    def _leave(self) -> None:
        if self._connection is not None:
            self._pool.give_back(self._connection)
        if self._lock is not None:
            self._lock.release()


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
        self._idle: list[sqlite3.Connection] = []
        self._writer = threading.RLock()
        self._setup = threading.Lock()
        self._ready = False
        self._closed = False

    def reading(self, *, one_statement: bool = False) -> Transaction:
        """Give a connection that sees one state of the database throughout."""
        lock = self._writer if self.shared else None
        return Transaction(self, "" if one_statement else "BEGIN", lock)

    def writing(self) -> Transaction:
        """Give the connection that may write; committed at the end, or rolled back whole."""
        # The lock keeps this process's threads from polling for SQLite's own, which is not fair.
        return Transaction(self, "BEGIN IMMEDIATE", self._writer)

    def forget_log(self) -> None:
        """Move the write-ahead log into the file and empty it: it still holds what was erased."""
        if not self.shared:
            with self.reading(one_statement=True) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the idle connections; those in use close when they come back."""
        with self._setup:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def take(self) -> sqlite3.Connection:
        """Return an idle connection, or a new one; the schema is up to date."""
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

    def give_back(self, connection: sqlite3.Connection) -> None:
        """Take a connection back; after `close` it is closed."""
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
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
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
