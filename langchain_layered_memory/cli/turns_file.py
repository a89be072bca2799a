"""Reading conversations to import: one JSON object a line, plain or gzipped."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from langchain_layered_memory.errors import InvalidInputError


def read_turns(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the turns of a file, in its order.

    Raises:
        InvalidInputError: If a line is no JSON object with a text; the line's number is named.
    """
    with _opened(path) as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _turn(line, f"{path}, line {number}")


def _opened(path: Path) -> IO[str]:
    if not path.is_file():
        raise InvalidInputError(f"there is no file {str(path)!r}")
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _turn(line: str, place: str) -> dict[str, Any]:
    try:
        turn = json.loads(line)
    except ValueError as error:
        raise InvalidInputError(f"{place} is no JSON: {error}") from None
    if not isinstance(turn, dict) or not isinstance(turn.get("text"), str):
        raise InvalidInputError(f"{place} is no object with a `text`: {line[:80]!r}")
    return turn
