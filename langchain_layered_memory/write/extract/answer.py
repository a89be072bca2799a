"""Reading operations out of what a chat model really answers.

Models think aloud, wrap JSON in fences and sentences, leave trailing commas and half characters,
or are cut off. What can be read is read; what cannot is an error, never silently nothing.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, cast, get_args

from langchain_layered_memory.errors import ExtractionError, InvalidInputError
from langchain_layered_memory.records import (
    Episode,
    Kind,
    Operation,
    OperationType,
    Privacy,
    aware,
    clean_text,
)

_log = logging.getLogger("langchain_layered_memory")
_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_TRAILING_COMMA = re.compile(r",\s*([}\]])")
_ID_SAFE = 200
_TRUE = frozenset({"true", "yes", "1"})
_DECODER = json.JSONDecoder()


def operations_of_answer(text: str, episode: Episode) -> tuple[Operation, ...]:
    """Return the operations of a model's answer, each citing the turn.

    An empty list of operations is an answer: nothing is to be remembered.

    Raises:
        ExtractionError: If the answer is empty, holds no JSON, or no operation of it is usable.
    """
    text = _THINKING.sub("", text)
    mended = _TRAILING_COMMA.sub(r"\1", text)
    found = list(_operation_lists(text)) or list(_operation_lists(mended))
    if not found:
        raise ExtractionError(f"the model's answer holds no operations: {text[:200]!r}")
    rows = found[-1]
    operations = tuple(op for row in rows if (op := _operation(row, episode)) is not None)
    if rows and not operations:
        raise ExtractionError(f"no operation of the model's answer is usable: {text[:200]!r}")
    return operations


def _operation_lists(text: str) -> Iterator[list[Any]]:
    """Yield every list of operations that JSON in the text gives, complete or cut off."""
    for value in _json_values(text):
        if isinstance(value, dict) and isinstance(value.get("ops"), list):
            yield value["ops"]
        elif isinstance(value, list) and all(isinstance(each, dict) for each in value):
            yield value
        elif isinstance(value, dict) and "content" in value:
            yield [value]


def _json_values(text: str) -> Iterator[Any]:
    place = 0
    while (start := _next_opening(text, place)) >= 0:
        try:
            value, place = _DECODER.raw_decode(text, start)
        except RecursionError:
            return  # no model means this; and to read on would take for ever
        except ValueError:
            value = _cut_off(text[start:])
            if value is not None:
                yield value
                return
            place = start + 1
        else:
            yield value


def _next_opening(text: str, start: int) -> int:
    places = [at for opening in "{[" if (at := text.find(opening, start)) >= 0]
    return min(places, default=-1)


def _cut_off(text: str) -> Any:
    """Return an answer that ends too early, up to its last whole operation; None if it has none."""
    if not text.startswith(('{"ops"', '{ "ops"', "{\n", "[")):
        return None
    end = text.rfind("}")
    while end > 0:
        for closing in ("]}", "]"):
            try:
                return json.loads(text[: end + 1].rstrip(", \n") + closing)
            except (ValueError, RecursionError):
                continue
        end = text.rfind("}", 0, end)
    return None


def _operation(row: Any, episode: Episode) -> Operation | None:
    try:
        return _read(row, episode)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        _log.warning("an extracted operation was left out (%s): %.200r", error, row)
        return None


def _read(row: dict[str, Any], episode: Episode) -> Operation:
    op, kind = str(row.get("op", "create")).lower(), str(row.get("kind", "fact")).lower()
    if op not in get_args(OperationType) or kind not in get_args(Kind):
        raise InvalidInputError(f"unknown op {op!r} or kind {kind!r}")
    content = _text(row, "content", "").strip()
    return Operation(
        op=cast(OperationType, op),
        kind=cast(Kind, kind),
        content=content,
        subject=_text(row, "subject", "user").strip().lower() or "user",
        attribute=_text(row, "attribute", "") or f"{kind}:{content.casefold()[:_ID_SAFE]}",
        value=_text(row, "value", "" if op == "delete" else content),
        sources=(episode.source,),
        importance=min(5, max(1, round(_number(row, "importance", 3)))),
        confidence=min(1.0, max(0.0, _number(row, "confidence", 0.8))),
        multiple=str(row.get("multiple")).casefold() in _TRUE,
        valid_until=_until(row.get("valid_until")),
        target=_text(row, "target", "") or None,
        privacy=_privacy(row.get("privacy")),
    )


def _text(row: dict[str, Any], name: str, default: str) -> str:
    value = row.get(name)
    return clean_text(str(value)) if value not in (None, "") else default


def _number(row: dict[str, Any], name: str, default: float) -> float:
    value = row.get(name)
    return default if value is None else float(value)


def _until(given: Any) -> datetime | None:
    return aware(datetime.fromisoformat(str(given))) if given else None


def _privacy(given: Any) -> Privacy:
    return cast(Privacy, given) if given in get_args(Privacy) else "internal"
