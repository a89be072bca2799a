"""What a step may ask for: vectors, completions, and rows; the words between stage and backend.

A `StorageRequest` is answered by a backend, as one transaction each. A request names what is
wanted, never how: no SQL, no connection. `steps.py` runs the steps that yield these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, TypeVar

import numpy as np
from langchain_core.messages import BaseMessage
from numpy.typing import NDArray

from langchain_layered_memory.records import Episode, Layer, Memory, Scope, Status, Version

T = TypeVar("T")
R = TypeVar("R")
Vectors = NDArray[np.float32]


class Request(Generic[T]):
    """Something a step asks for; `T` is the type of the answer."""

    __slots__ = ()


class StorageRequest(Request[T]):
    """Something a backend answers, in one transaction."""

    __slots__ = ()


# ------------------------------------------------------------------ models


@dataclass(frozen=True, slots=True)
class Embed(Request[Vectors]):
    """One unit vector for each text, as rows; questions and documents may embed differently."""

    texts: tuple[str, ...]
    purpose: Literal["document", "query"]


@dataclass(frozen=True, slots=True)
class Complete(Request[BaseMessage]):
    """A chat model's answer."""

    messages: tuple[BaseMessage, ...]


# ------------------------------------------------------------------ write


@dataclass(frozen=True, slots=True)
class Indexed(Generic[R]):
    """A record with the terms it is found by; stored together, so text search never lags."""

    record: R
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn to store.

    Attributes:
        terms: What it is found by; none for a turn that search shall not see, as tool noise.
        work: What extraction shall read: None for nothing, "" for the turn's own text, else the
            commands that came with it.
    """

    episode: Episode
    terms: tuple[str, ...]
    work: str | None


@dataclass(frozen=True, slots=True)
class MissingMessages(StorageRequest[frozenset[str]]):
    """Which of a session's message ids are not stored yet."""

    scope: Scope
    message_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AppendTurns(StorageRequest[tuple[Episode, ...]]):
    """Store turns, each with its job if there is work for the extractor; answers the new ones.

    A turn whose (owner, session, message id) is stored already is left as it is.
    """

    turns: tuple[NewTurn, ...]
    extractor: str


@dataclass(frozen=True, slots=True)
class Job:
    """One turn that waits for extraction; `work` as in `NewTurn`."""

    id: int
    episode: Episode
    extractor: str
    work: str
    attempts: int


@dataclass(frozen=True, slots=True)
class PrecedingTurn(StorageRequest[Episode | None]):
    """What the user said last before a turn, in the same conversation."""

    episode: Episode


@dataclass(frozen=True, slots=True)
class ClaimJobs(StorageRequest[tuple[Job, ...]]):
    """Take due jobs, oldest first, and keep others off them until `leased_until`."""

    limit: int
    now: datetime
    leased_until: datetime
    scope: Scope | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a memory.

    Attributes:
        after: The memory as it shall be.
        read_version: The version this was decided on; None to insert.
        reason: Why, for the history: created, merged, corrected…
        supersedes: Whether the value changed, so that the old one is kept in the history.
        historic: The statement is older than the live value: it goes to the history alone.
    """

    after: Indexed[Memory]
    read_version: int | None
    reason: str
    supersedes: bool = False
    historic: bool = False


@dataclass(frozen=True, slots=True)
class FinishJob(StorageRequest[bool]):
    """Apply all changes and end the job, or none of it; false if another worker ended it first.

    Raises:
        ConflictError: If a memory is no longer at the version that was read, or a slot was taken
            meanwhile.
    """

    job_id: int
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class FailJob(StorageRequest[None]):
    """Put a job back until `retry_at`, or with None set it aside as failed."""

    job_id: int
    error: str
    retry_at: datetime | None


@dataclass(frozen=True, slots=True)
class ApplyChanges(StorageRequest[None]):
    """Apply all changes or none, outside any job.

    Raises:
        ConflictError: If a memory is no longer at the version that was read, or a slot was taken
            meanwhile.
    """

    changes: tuple[Change, ...]


# ------------------------------------------------------------------ read


@dataclass(frozen=True, slots=True)
class LiveMemories(StorageRequest[tuple[Memory, ...]]):
    """The memories in these (subject, slot) places: live ones, and those that wait."""

    scope: Scope
    slots: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class GetMemory(StorageRequest[Memory | None]):
    """A memory by its id, whatever its status."""

    memory_id: str


@dataclass(frozen=True, slots=True)
class MemoryHistory(StorageRequest[tuple[Version, ...]]):
    """Every value a memory ever had, oldest first, the present one last."""

    memory_id: str


@dataclass(frozen=True, slots=True)
class ListMemories(StorageRequest[tuple[Memory, ...]]):
    """A user's memories by status, oldest first; all users' without a scope."""

    scope: Scope | None
    statuses: tuple[Status, ...]
    limit: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class ListEpisodes(StorageRequest[tuple[Episode, ...]]):
    """A user's newest turns, of one session if the scope names one, oldest of them first."""

    scope: Scope
    limit: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that a search found. `score` is absolute: 0 for nothing in common, 1 for the same.

    `session_id` and `position` place a turn among its neighbours; memories have "" and -1.
    """

    layer: Layer
    record_id: str
    score: float
    session_id: str = ""
    position: int = -1


@dataclass(frozen=True, slots=True)
class SearchTerms(StorageRequest[tuple[Hit, ...]]):
    """The records that share most with the terms, by BM25 with the statistics of this owner alone.

    A hit on a former value of a memory counts for the memory.
    """

    scope: Scope
    terms: tuple[str, ...]
    layers: tuple[Layer, ...]
    limit: int
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class SearchVectors(StorageRequest[tuple[Hit, ...]]):
    """The records nearest in meaning, by cosine over the vectors of one model."""

    scope: Scope
    vector: Vectors
    model: str
    layers: tuple[Layer, ...]
    limit: int
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class LoadEpisodes(StorageRequest[tuple[Episode, ...]]):
    """Turns by id; unknown ones are left out."""

    scope: Scope
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoadHistories(StorageRequest[Mapping[str, tuple[Version, ...]]]):
    """The history of memories by id, each oldest first; unknown ones are left out.

    Live ones alone, unless `archived` asks for those that ended or were set aside, too.
    """

    scope: Scope
    ids: tuple[str, ...]
    archived: bool = False


@dataclass(frozen=True, slots=True)
class OutdatedTurns(StorageRequest[Mapping[tuple[str, str], str]]):
    """Turns that a superseded value rests on: (session id, message id) to the live memory's id."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class TouchMemories(StorageRequest[None]):
    """Count one more access; it is no change and makes no version."""

    scope: Scope
    ids: tuple[str, ...]
    now: datetime


@dataclass(frozen=True, slots=True)
class CountRecords(StorageRequest[int]):
    """How many records a user has in all layers."""

    scope: Scope


# ------------------------------------------------------------------ index


@dataclass(frozen=True, slots=True)
class PendingEntry:
    """An indexed record that lacks a vector of the model."""

    entry_id: int
    text: str


@dataclass(frozen=True, slots=True)
class PendingVectors(StorageRequest[tuple[PendingEntry, ...]]):
    """Records without a vector of this model, oldest first, after the entry `after`."""

    model: str
    limit: int
    after: int = 0


@dataclass(frozen=True, slots=True)
class SaveVectors(StorageRequest[int]):
    """Store vectors for entries that still exist; answers how many.

    Raises:
        DimensionMismatchError: If the model's stored vectors have another length.
    """

    model: str
    entry_ids: tuple[int, ...]
    vectors: Vectors


# ------------------------------------------------------------------ forget


@dataclass(frozen=True, slots=True)
class IdleMemories(StorageRequest[tuple[Memory, ...]]):
    """Active memories of at most this importance, neither used nor changed since the time."""

    since: datetime
    importance: int
    limit: int
    after: str = ""


@dataclass(frozen=True, slots=True)
class ExpiredMemories(StorageRequest[tuple[Memory, ...]]):
    """Memories that are not archived yet and whose `valid_until` has passed."""

    now: datetime
    limit: int
    after: str = ""


@dataclass(frozen=True, slots=True)
class ArchivedMemories(StorageRequest[tuple[Memory, ...]]):
    """Archived or retracted memories not changed since the time."""

    since: datetime
    limit: int
    after: str = ""


@dataclass(frozen=True, slots=True)
class SetStatus(StorageRequest[frozenset[str]]):
    """Move memories to a status if still at the version read; answers whose ids were."""

    memories: tuple[Memory, ...]
    status: Status
    now: datetime


@dataclass(frozen=True, slots=True)
class PurgeMemories(StorageRequest[frozenset[str]]):
    """Delete memories for good, with history and index, if still at the version read; as above."""

    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class EraseOwner(StorageRequest[Mapping[str, int]]):
    """Delete all that a user has, in every table; answers the rows deleted by table."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class EraseSession(StorageRequest[int]):
    """Delete the turns of one conversation; answers how many there were. Memories stay."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class ListOwners(StorageRequest[tuple[tuple[str, str], ...]]):
    """Every (tenant, user) pair that has records, of one tenant or of all, sorted."""

    tenant_id: str | None = None


@dataclass(frozen=True, slots=True)
class Statistics(StorageRequest[Mapping[str, int]]):
    """Counts by name, over all users or for one."""

    scope: Scope | None = None
