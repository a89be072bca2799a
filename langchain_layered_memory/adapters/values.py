"""A store's values as JSON text: what comes back is what went in, or it is refused at the door."""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Mapping
from enum import Enum
from typing import Any

from langchain_layered_memory.errors import ValueNotStorableError

_DEEPEST = 200
# Python itself writes no longer numbers: 4,300 digits.
_LONGEST_BITS = 13_000
# In a Python string only two halves that never were one character stand so.
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def dump_value(value: Mapping[str, Any]) -> str:
    """Return a store value as JSON text.

    Raises:
        ValueNotStorableError: If JSON would not give the same value back; the message names the
            place, as "value['when']". Tuples alone may come back as lists.
    """
    plain = dict(value)
    _check(plain, "value", 0)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half an emoji: only as an escape can it be kept, and two halves in a row not even so.
        if _HALVES.search(text):
            raise ValueNotStorableError(
                "value holds two halves of a character side by side, which JSON reads as one"
            ) from None
        text = json.dumps(plain, separators=(",", ":"))
    return text


def _check(value: object, place: str, depth: int) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, Enum) or depth > _DEEPEST:
        raise _refusal(value, place, "is nested too deeply" if depth > _DEEPEST else "is an Enum")
    if isinstance(value, int) and value.bit_length() > _LONGEST_BITS:
        raise ValueNotStorableError(f"{place} is a number of more than 3,900 digits")
    if isinstance(value, (str, int)):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _refusal(value, place, "is not finite")
    elif isinstance(value, dict):
        _check_dict(value, place, depth)
    elif isinstance(value, (list, tuple)):
        for index, each in enumerate(value):
            _check(each, f"{place}[{index}]", depth + 1)
    else:
        raise _refusal(value, place, f"is a {type(value).__name__}")


def _check_dict(value: dict[Any, Any], place: str, depth: int) -> None:
    for key, each in value.items():
        if not isinstance(key, str) or isinstance(key, Enum):
            raise _refusal(key, place, "has a key that is not text")
        _check(each, f"{place}[{key!r}]", depth + 1)


def _refusal(value: object, place: str, what: str) -> ValueNotStorableError:
    shown = reprlib.repr(value)
    return ValueNotStorableError(
        f"{place} {what}, which JSON cannot hold: {shown}; store text, numbers, lists and dicts"
    )
