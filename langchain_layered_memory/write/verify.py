"""A second look at each operation, against the words that it cites.

Nothing here trusts the extractor: a number that nobody said, or a statement about the user in a
turn that speaks of others alone, makes the operation doubtful, and doubtful ones wait unrecalled.
"""

from __future__ import annotations

import re
from dataclasses import replace

from langchain_layered_memory.records import Episode, Operation

DOUBTFUL = 0.5
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# Extraction itself adds the day that "tomorrow" is.
_DATE_ADDED = re.compile(r"\(\d{4}-\d{2}-\d{2}\)$")
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'[a-z]+|i’[a-z]+|me|my|mine|myself|we|we'[a-z]+|us|our|ours)\b"
    r"|[我咱俺]|本人|请|別|别|不要|\b(?:please|don't|never|always|no)\b",
    re.IGNORECASE,
)


def verify(operation: Operation, episode: Episode) -> Operation:
    """Return the operation, its confidence lowered if the turn does not bear it out."""
    if _bears_out(operation, episode):
        return operation
    return replace(operation, confidence=min(operation.confidence, DOUBTFUL))


def _bears_out(operation: Operation, episode: Episode) -> bool:
    stated = _DATE_ADDED.sub("", operation.content)
    if not set(_NUMBER.findall(stated)) <= set(_NUMBER.findall(episode.text)):
        return False
    about_user = operation.subject == "user"
    return not about_user or _FIRST_PERSON.search(episode.text) is not None
