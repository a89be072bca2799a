"""Messages as turns of the ledger.

System prompts are no turns, and a recalled block is cut out: memory never feeds on itself. A
message without an id gets one from what it says, so that a replay writes it once.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langchain_layered_memory.errors import InvalidInputError
from langchain_layered_memory.fence import BLOCK
from langchain_layered_memory.records import Episode, Role, Scope, aware, clean_text
from langchain_layered_memory.requests import NewTurn
from langchain_layered_memory.steps import NewId
from langchain_layered_memory.terms import analyze
from langchain_layered_memory.write.extract.commands import split_commands

_ROLES: tuple[tuple[type[BaseMessage], Role], ...] = (
    (HumanMessage, "user"),
    (AIMessage, "assistant"),
    (ToolMessage, "tool"),
)
_ROLE_WORDS: Mapping[str, Role] = {
    "user": "user",
    "human": "user",
    "用户": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "assistant",
    "bot": "assistant",
    "助手": "assistant",
    "tool": "tool",
}
_BLANK_LINES = re.compile(r"\n{3,}")


def turns_of_messages(
    messages: Sequence[BaseMessage],
    scope: Scope,
    *,
    said_at: datetime,
    now: datetime,
    new_id: NewId,
    index_chars: int,
) -> list[NewTurn]:
    """Return the turns that messages hold; blank ones and system prompts hold none."""
    seen: Counter[str] = Counter()
    turns = []
    for message in messages:
        role = _role(message)
        if role is None:
            continue
        text, commands = without_recalled(clean_text(str(message.text))), ""
        if role == "assistant":
            text, commands = split_commands(text)
        if not text.strip():
            continue
        episode = Episode(
            id=new_id(),
            scope=scope,
            message_id=message.id or _id_of(role, text, seen),
            role=role,
            speaker=message.name or role,
            text=text,
            said_at=said_at,
            created_at=now,
        )
        turns.append(new_turn(episode, commands, index_chars))
    return turns


def turns_of_dicts(
    rows: Sequence[Mapping[str, Any]],
    scope: Scope,
    *,
    now: datetime,
    new_id: NewId,
    index_chars: int,
    zone: tzinfo,
    seen: Counter[str] | None = None,
) -> list[NewTurn]:
    """Return the turns of an import: dicts with session_id, message_id, role or speaker, ts, text.

    `seen` counts equal texts without ids, so that each has an id of its own; it is carried on from
    one part of an import to the next.

    Raises:
        InvalidInputError: If a row lacks its text, or has a time that is not ISO 8601.
    """
    seen = Counter() if seen is None else seen
    turns = []
    for row in rows:
        text = row.get("text")
        if not isinstance(text, str):
            raise InvalidInputError(f"a turn needs `text`, got {dict(row)!r}")
        text = without_recalled(clean_text(text))
        if _role_of(row) == "assistant":
            text, _ = split_commands(text)  # what they asked for was done, or not, back then
        if not text.strip():
            continue
        turns.append(new_turn(_episode(row, text, scope, now, new_id, zone, seen), "", index_chars))
    return turns


def _episode(
    row: Mapping[str, Any],
    text: str,
    scope: Scope,
    now: datetime,
    new_id: NewId,
    zone: tzinfo,
    seen: Counter[str],
) -> Episode:
    speaker = str(row.get("speaker") or row.get("role") or "user")
    role = _role_of(row)
    session = row.get("session_id")
    session = scope.session_id if session in (None, "") else session
    return Episode(
        id=new_id(),
        scope=Scope(scope.user_id, scope.tenant_id, session, scope.agent_id),
        message_id=_given(row, "message_id", "turn_id") or _id_of(role, text, seen),
        role=role,
        speaker=speaker,
        text=text,
        said_at=_time(row.get("ts"), now, zone),
        created_at=now,
    )


def _role_of(row: Mapping[str, Any]) -> Role:
    """Return the role that a row names; a speaker with a name is a person."""
    return _ROLE_WORDS.get(str(row.get("role") or row.get("speaker") or "user").casefold(), "user")


def _given(row: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of these fields that says something; 0 does."""
    values = (row.get(name) for name in names)
    return next((str(value) for value in values if value is not None and value != ""), None)


def _time(given: object, now: datetime, zone: tzinfo) -> datetime:
    if given is None or given == "":
        return now
    try:
        return aware(datetime.fromisoformat(str(given)), zone)
    except (ValueError, OverflowError):
        raise InvalidInputError(f"ts is a time as ISO 8601 has it, got {given!r}") from None


def new_turn(episode: Episode, commands: str, index_chars: int) -> NewTurn:
    """Return a turn with its terms and its work: the user's words, or the model's commands."""
    if episode.role == "tool":
        return NewTurn(episode, (), None)
    work = commands or ("" if episode.role == "user" else None)
    return NewTurn(episode, analyze(episode.indexed_text[:index_chars]), work)


def without_recalled(text: str) -> str:
    """Return `text` without any recalled block that stands in it."""
    return _BLANK_LINES.sub("\n\n", BLOCK.sub("", text)).strip() if BLOCK.search(text) else text


def _role(message: BaseMessage) -> Role | None:
    return next((role for kind, role in _ROLES if isinstance(message, kind)), None)


def _id_of(role: str, text: str, seen: Counter[str]) -> str:
    digest = hashlib.sha256(f"{role}\n{text}".encode()).hexdigest()[:32]
    seen[digest] += 1
    return f"{digest}-{seen[digest]}"
