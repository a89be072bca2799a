"""What the tests of the memory cycle share: a clock moved by hand, scripted models, table dumps."""

from __future__ import annotations

import itertools
import json
import os
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import Field

from langchain_layered_memory import LayeredMemory, Scope
from langchain_layered_memory.records import Memory, Status
from langchain_layered_memory.testing import HashEmbeddings

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
ANN = Scope("ann", session_id="monday")
BOB = Scope("bob", session_id="monday")
EVERY_STATUS: tuple[Status, ...] = (
    "active",
    "pending_verification",
    "pending_archive",
    "archived",
    "retracted",
)


class MovableClock:
    """The time of day, aware, moved on by hand."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)


class CountingIds:
    """Ids that say in which order they were given; a prefix for each handle on one file."""

    def __init__(self, prefix: str = "id") -> None:
        self._prefix, self._numbers = prefix, itertools.count(1)

    def __call__(self) -> str:
        return f"{self._prefix}-{next(self._numbers):06d}"


class ScriptedChatModel(FakeListChatModel):
    """Answers what it was told to, in order, the last for ever; an exception is raised.

    Attributes:
        prompts: The messages of each call.
    """

    responses: list[Any]
    prompts: list[list[BaseMessage]] = Field(default_factory=list)

    def _call(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> str:
        self.prompts.append(messages)
        answer = self.responses[min(len(self.prompts), len(self.responses)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    @property
    def asked(self) -> str:
        """All text that the model was ever given."""
        return "\n".join(str(message.text) for prompt in self.prompts for message in prompt)


def scripted(*answers: str | Exception) -> ScriptedChatModel:
    """Return a chat model that gives these answers."""
    return ScriptedChatModel(responses=list(answers))


class NamedEmbeddings(HashEmbeddings):
    """Hash embeddings under a name of their own; they note what they embed."""

    def __init__(self, model: str, dims: int = 64) -> None:
        super().__init__(dims)
        self.model = model
        self.batches: list[list[str]] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.batches.append(texts)
        return super().embed_documents(texts)


class FailingEmbeddings(NamedEmbeddings):
    """Embeddings that refuse texts with a word in them, or, with "", all, until mended."""

    def __init__(self, model: str = "tiny", refused: str = "") -> None:
        super().__init__(model)
        self.refused: str | None = refused

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.refused is not None and any(self.refused in text for text in texts):
            raise ConnectionError("the embedding service is down")
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        if self.refused is not None:
            raise ConnectionError("the embedding service is down")
        return super().embed_query(text)


def file_url(folder: Path, name: str = "memory.db") -> str:
    """Return the URL of a database file in a folder."""
    return f"sqlite:///{folder / name}"


def open_memory(
    folder: Path,
    *,
    clock: Callable[[], datetime] | None = None,
    ids: str | None = "id",
    embeddings: Embeddings | None = None,
    **options: Any,
) -> LayeredMemory:
    """Return a memory over `memory.db` in a folder, with the test's clock and, unless None, ids."""
    if ids is not None:
        options["new_id"] = CountingIds(ids)
    clock = clock or MovableClock()
    return LayeredMemory.open(file_url(folder), clock=clock, embeddings=embeddings, **options)


def said(text: str, message_id: str) -> HumanMessage:
    """Return what a user said, as a message with an id."""
    return HumanMessage(text, id=message_id)


def operation(content: str, **fields: Any) -> dict[str, Any]:
    """Return an operation as a chat model words it."""
    return {"op": "create", "kind": "fact", "content": content, "subject": "user", **fields}


def answer(*operations: dict[str, Any]) -> str:
    """Return a chat model's answer that holds operations."""
    return json.dumps({"ops": list(operations)})


def contents(memory: LayeredMemory, scope: Scope = ANN, *statuses: Status) -> list[str]:
    """Return what the memories of a user say, the active ones by default."""
    return [each.content for each in memory.memories(scope, statuses=statuses or ("active",))]


def only(memory: LayeredMemory, scope: Scope = ANN, *statuses: Status) -> Memory:
    """Return the one memory that a user has."""
    (found,) = memory.memories(scope, statuses=statuses or ("active",))
    return found


def recalled_memories(memory: LayeredMemory, question: str, scope: Scope = ANN) -> list[str]:
    """Return what the recalled memories, not turns, say."""
    items = memory.recall(question, scope).items
    return [item.record.content for item in items if isinstance(item.record, Memory)]


def rows(path: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Return what SQL says of a file, by a connection of its own."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql, values).fetchall()


def change(path: Path, sql: str, *values: object) -> None:
    """Change a file behind the package's back."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql, values)
        connection.commit()


def dump(path: Path, *left_out: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables of a file, but for tables that are left out."""
    tables = [name for (name,) in rows(path, "SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return {name: rows(path, f'SELECT * FROM "{name}"') for name in tables if name not in left_out}


def texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every text that a file holds, with its table."""
    for table, found in dump(path).items():
        for row in found:
            for value in row:
                if isinstance(value, bytes):
                    yield table, value.decode("utf-8", "replace")
                elif isinstance(value, str):
                    yield table, value


def in_child(work: Callable[[], object], seconds: int = 10, user: int | None = None) -> int:
    """Fork, work in the child, and return its exit code; a child that hangs is killed: -14."""
    return ended(started(work, seconds, user))


def ended(child: int) -> int:
    """Wait for a child and return its exit code, or minus the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def started(work: Callable[[], object], seconds: int = 10, user: int | None = None) -> int:
    """Fork, work in the child, and return its number at once.

    Not to be called while another thread writes: the child would inherit SQLite's own locks.

    Args:
        work: What the child does; an exception is printed and ends it with 1.
        seconds: How long it may take.
        user: The number of the user that the child becomes.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(seconds)
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            work()
            code = 0
        except BaseException:  # noqa: BLE001 - a child must never go on as a second pytest
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return child
