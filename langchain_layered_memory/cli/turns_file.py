"""Reading conversations to import: one JSON object a line, plain or gzipped.

Every line is checked here, where its number is known; so a bad one is named, and what stands before
it has been given out already.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from langchain_layered_memory.errors import InvalidInputError, ScopeError
from langchain_layered_memory.records import Scope, aware

_BYTE_ORDER_MARK = "\ufeff"
_UNREADABLE = (OSError, EOFError, zlib.error)


def read_turns(path: Path, user_field: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the turns of a file, in its order.

    Args:
        path: The file; a name that ends in .gz is unpacked.
        user_field: A field that must name a user in each line.

    Raises:
        InvalidInputError: If a line is no JSON object with a text, or has a time or an id that
            cannot be read; the line's number is named.
    """
    number = 0
    try:
        # Lines are decoded one by one: one bad byte must not take its neighbours along.
        with _opened(path) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _turn(line, f"{path}, line {number}", user_field)
    except _UNREADABLE as error:
        raise InvalidInputError(f"{path} cannot be read after line {number}: {error}") from error


def count_turns(path: Path) -> int:
    """Return how many turns a file holds, as far as it can be read; none is looked into.

    Raises:
        InvalidInputError: If there is no such file.
    """
    count = 0
    with suppress(*_UNREADABLE), _opened(path) as lines:
        for line in lines:
            count += bool(line.strip())
    return count


def _opened(path: Path) -> BinaryIO | gzip.GzipFile:
    if not path.is_file():
        raise InvalidInputError(f"there is no file {str(path)!r}")
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _turn(line: bytes, place: str, user_field: str | None) -> dict[str, Any]:
    try:
        turn = json.loads(line.decode().removeprefix(_BYTE_ORDER_MARK))
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"{place} is no JSON: {error}") from None
    if not isinstance(turn, dict) or not isinstance(turn.get("text"), str):
        raise InvalidInputError(f"{place} is no object with a `text`: {line[:80]!r}")
    if fault := _wrong_id(turn, user_field) or _wrong_time(turn.get("ts")):
        raise InvalidInputError(f"{place}: {fault}")
    return turn


def _wrong_id(turn: dict[str, Any], user_field: str | None) -> str:
    try:
        Scope("anybody", session_id=turn.get("session_id") or None)
        if user_field is not None:
            Scope(turn.get(user_field, ""))
    except ScopeError as error:
        return str(error)
    return ""


def _wrong_time(given: object) -> str:
    try:
        if given not in (None, ""):
            aware(datetime.fromisoformat(str(given)))
    except (ValueError, OverflowError):
        return f"ts is a time as ISO 8601 has it, got {given!r}"
    return ""
