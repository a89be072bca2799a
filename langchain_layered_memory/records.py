"""The vocabulary: what memory is made of. Frozen, no I/O, no clock.

Every record belongs to a `Scope`. Text that comes in is cleaned once, here: NUL and lone
surrogates, which no database stores as text, become U+FFFD.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal, Self
from uuid import UUID

from langchain_layered_memory.errors import InvalidInputError, ScopeError

Layer = Literal["episodes", "memories", "entities", "skills"]
LAYERS: tuple[Layer, ...] = ("episodes", "memories", "entities", "skills")

Role = Literal["user", "assistant", "tool"]
Kind = Literal[
    "preference",
    "constraint",
    "identity",
    "commitment",
    "fact",
    "business_rule",
    "event",
    "summary",
]
Status = Literal["active", "pending_verification", "pending_archive", "archived", "retracted"]
Privacy = Literal["public", "internal", "private"]
OperationType = Literal["create", "update", "delete", "none"]

# Speakers that are no names.
_ROLE_WORDS = frozenset("user human assistant ai system bot tool 用户 助手 我".split())

_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")

Id = str | int | UUID


def clean_text(text: str) -> str:
    """Return `text` with NUL and lone surrogates replaced by U+FFFD: any database takes it."""
    return _NOT_STORABLE.sub("\ufffd", text)


def aware(moment: datetime, zone: tzinfo = UTC) -> datetime:
    """Return `moment` in UTC; a naive one is read as local time of `zone`."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(UTC)


def _id_text(name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, UUID)):
        raise ScopeError(
            f"{name} must be a str, int or UUID, got {value!r} ({type(value).__name__})"
        )
    text = str(value)
    if not text.strip():
        raise ScopeError(f"{name} is empty: memory belongs to somebody, give their id")
    if _NOT_STORABLE.search(text):
        raise ScopeError(f"{name} {text!r} holds NUL or half a character; no database keeps that")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose memory it is.

    Nothing is ever read across two pairs of (tenant, user). Session and agent say where a record
    came from; they do not divide a user's memory.

    Args:
        user_id: The person served. Any text, int or UUID: e-mail addresses, dots and emoji too.
            1 and "1" are the same person.
        tenant_id: The customer whose users these are.
        session_id: The conversation; LangGraph's thread id.
        agent_id: The agent that listened.

    Raises:
        ScopeError: If `user_id` is missing or blank, or any id is not text, int or UUID.
    """

    user_id: str
    tenant_id: str = "default"
    session_id: str | None = None
    agent_id: str | None = None

    def __init__(
        self,
        user_id: Id,
        tenant_id: Id = "default",
        session_id: Id | None = None,
        agent_id: Id | None = None,
    ) -> None:
        given = {"user_id": user_id, "tenant_id": tenant_id}
        optional = {"session_id": session_id, "agent_id": agent_id}
        given |= {name: value for name, value in optional.items() if value is not None}
        for name in ("user_id", "tenant_id", "session_id", "agent_id"):
            value = _id_text(name, given[name]) if name in given else None
            object.__setattr__(self, name, value)

    @property
    def owner(self) -> tuple[str, str]:
        """The (tenant, user) pair that all isolation is made of."""
        return (self.tenant_id, self.user_id)


@dataclass(frozen=True, slots=True)
class Source:
    """A turn that a record rests on: where it was said, when, and in which words."""

    session_id: str
    message_id: str
    said_at: datetime
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Episode:
    """One turn as it was said (L3): the ledger that everything else is derived from.

    `position` counts the turns of a session from 0; the ledger gives it when it stores the turn.
    """

    id: str
    scope: Scope
    message_id: str
    role: Role
    speaker: str
    text: str
    said_at: datetime
    created_at: datetime
    position: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", clean_text(self.text))
        object.__setattr__(self, "speaker", clean_text(self.speaker))
        object.__setattr__(self, "message_id", clean_text(self.message_id))
        if not self.text.strip():
            raise InvalidInputError(f"turn {self.message_id!r} is blank; there is nothing to keep")

    @property
    def session_id(self) -> str:
        """The session, or "" for turns that belong to none."""
        return self.scope.session_id or ""

    @property
    def source(self) -> Source:
        """This turn, as the source of what is derived from it."""
        return Source(self.session_id, self.message_id, self.said_at, self.text)

    @property
    def sources(self) -> tuple[Source, ...]:
        """This turn alone; so that every recalled record answers `.sources`."""
        return (self.source,)

    @property
    def indexed_text(self) -> str:
        """What is indexed: the words, and a speaker who has a name, for questions often say it."""
        named = self.speaker.casefold() not in _ROLE_WORDS
        return f"{self.speaker}: {self.text}" if named else self.text


@dataclass(frozen=True, slots=True)
class Operation:
    """What extraction asks for: never raw text, always a statement with its evidence.

    `subject` is "user" for the person served, a bare name or relation ("friend", "Mira") for
    anybody else. `attribute` names the slot ("lives_in", "likes:sushi"); two live values of one
    (subject, slot) cannot be. A `multiple` attribute has one slot for each value.
    """

    op: OperationType
    kind: Kind
    content: str
    subject: str
    attribute: str
    value: str
    sources: tuple[Source, ...]
    importance: int = 3
    confidence: float = 0.9
    multiple: bool = False
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    target: str | None = None
    tags: tuple[str, ...] = ()
    privacy: Privacy = "internal"

    def __post_init__(self) -> None:
        if not 1 <= self.importance <= 5:
            raise InvalidInputError(f"importance is 1 to 5, got {self.importance!r}")
        if not 0.0 <= self.confidence <= 1.0:
            raise InvalidInputError(f"confidence is 0 to 1, got {self.confidence!r}")
        if not self.content.strip():
            raise InvalidInputError("an operation needs content: what is to be remembered")

    @property
    def slot(self) -> str:
        """Where the value lives: one live value for each (owner, subject, slot)."""
        return slot_of(self.attribute, self.value, multiple=self.multiple)

    @property
    def said_at(self) -> datetime:
        """When its newest source was said."""
        return max(source.said_at for source in self.sources)


def slot_of(attribute: str, value: str, *, multiple: bool) -> str:
    """Return the slot of a value: the attribute, and for a many-valued attribute the value too."""
    return f"{attribute}={value.casefold()}" if multiple else attribute


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing known about somebody (L4), with its evidence and its life so far.

    Attributes:
        slot: Where the value lives; one live value for each (owner, subject, slot).
        valid_from: When the statement was made that this value rests on.
        valid_until: When the value expires by itself; None for never.
        version: Counts the changes from 1; every change names the version it read.
        evidence_count: How many statements said so; equal to the sources unless those were capped.
    """

    id: str
    scope: Scope
    kind: Kind
    content: str
    subject: str
    attribute: str
    value: str
    slot: str
    importance: int
    confidence: float
    valid_from: datetime
    created_at: datetime
    updated_at: datetime
    valid_until: datetime | None = None
    last_access_at: datetime | None = None
    access_count: int = 0
    tags: tuple[str, ...] = ()
    privacy: Privacy = "internal"
    status: Status = "active"
    sources: tuple[Source, ...] = ()
    evidence_count: int = 1
    version: int = 1

    @property
    def indexed_text(self) -> str:
        """What is indexed: the statement."""
        return self.content

    def changed(self, **changes: Any) -> Self:
        """Return a copy with `changes`."""
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Version:
    """What a memory said during a time: `valid_to` is None for what holds now."""

    memory: Memory
    valid_from: datetime
    valid_to: datetime | None
    reason: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, firm, order… (L5)."""

    id: str
    scope: Scope
    type: str
    name: str
    created_at: datetime
    updated_at: datetime
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relation:
    """Subject, predicate, object, for a time (L5)."""

    id: str
    scope: Scope
    subject_id: str
    predicate: str
    object_id: str
    valid_from: datetime
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class Skill:
    """How something is done (L6)."""

    id: str
    scope: Scope
    trigger: str
    steps: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    version: int = 1
