"""What `import` does: the conversations of a file, user by user, up to the first bad line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from langchain_layered_memory.cli.turns_file import read_turns
from langchain_layered_memory.errors import InvalidInputError
from langchain_layered_memory.memory import LayeredMemory
from langchain_layered_memory.records import Episode, Operation, Scope
from langchain_layered_memory.write.step import WriteResult

Row = dict[str, Any]


@dataclass
class TurnsToImport:
    """The turns of a file, to be gone through once.

    A bad line ends them without an exception, so that what stood before it is stored; the error is
    kept for afterwards.

    Attributes:
        path: The file.
        whose: Whose turns they are, unless `user_field` names the user; its session is that of
            turns that name none.
        user_field: The field that names each turn's user.
        read: How many turns were read so far.
        blank: How many of them say nothing.
        error: What was wrong with the line at which reading stopped.
    """

    path: Path
    whose: Scope
    user_field: str | None = None
    read: int = 0
    blank: int = 0
    error: InvalidInputError | None = None

    def by_user(self) -> Iterator[tuple[Scope, Iterator[Row]]]:
        """Yield the turns in the file's order, in runs of one user's."""
        return groupby(self._rows(), key=self._scope)

    def raise_for_bad_line(self) -> None:
        """Raise what was wrong with the line at which reading stopped, if anything was."""
        if self.error is not None:
            raise self.error

    def _rows(self) -> Iterator[Row]:
        try:
            for row in read_turns(self.path, self.user_field):
                self.read += 1
                self.blank += not row["text"].strip()
                yield row
        except InvalidInputError as error:
            self.error = error

    def _scope(self, row: Row) -> Scope:
        if self.user_field is None:
            return self.whose
        return Scope(row[self.user_field], self.whose.tenant_id, self.whose.session_id)


def store(
    memory: LayeredMemory, turns: TurnsToImport, *, extract: bool, progress: Callable[[int], None]
) -> WriteResult:
    """Store the turns that are not stored yet, and extract memories from them."""
    result = WriteResult()
    for scope, rows in turns.by_user():
        part = memory.import_history(rows, scope, extract=extract, progress=progress)
        result.turns += part.turns
        result.changes += part.changes
        result.failures += part.failures
    return result


def look(turns: TurnsToImport) -> Iterable[tuple[Episode, tuple[Operation, ...]]]:
    """Return what would be extracted from each turn; a memory that is thrown away does it."""
    with LayeredMemory.open("sqlite:///:memory:") as memory:
        return [each for scope, rows in turns.by_user() for each in memory.shadow(rows, scope)]
