"""The ledger of turns and the outbox of work on them."""

from __future__ import annotations

from dataclasses import replace

from langchain_layered_memory.backends.sqlite import codec
from langchain_layered_memory.backends.sqlite.entries import add_entry
from langchain_layered_memory.backends.sqlite.memories import apply_change
from langchain_layered_memory.backends.sqlite.session import Session, id_list
from langchain_layered_memory.records import Episode, Scope
from langchain_layered_memory.requests import (
    AppendTurns,
    ClaimJobs,
    FailJob,
    FinishJob,
    Indexed,
    Job,
    ListEpisodes,
    LoadEpisodes,
    MissingMessages,
    NewTurn,
    PrecedingTurn,
)

_MOST_POSSIBLE = 2**62


def append_turns(db: Session, request: AppendTurns) -> tuple[Episode, ...]:
    """Store turns with their jobs; return those that were not stored before."""
    stored = (_append(db, turn, request.extractor) for turn in request.turns)
    return tuple(episode for episode in stored if episode is not None)


def _append(db: Session, turn: NewTurn, extractor: str) -> Episode | None:
    episode = turn.episode
    scope_id = db.scope_id_or_new(episode.scope)
    row = db.one("episode_insert", scope_id=scope_id, **_columns(episode))
    if row is None:
        return None
    if turn.terms:
        add_entry(
            db,
            scope_id,
            "episodes",
            Indexed(episode, turn.terms),
            at=episode.said_at,
            session_id=episode.session_id,
            position=row["position"],
        )
    if turn.work is not None:
        job = {"scope_id": scope_id, "episode_id": episode.id, "extractor": extractor}
        due_at = codec.to_micros(episode.created_at)
        db.run("job_insert", {**job, "work": turn.work, "due_at": due_at})
    return replace(episode, position=row["position"])


def _columns(episode: Episode) -> dict[str, object]:
    return {
        "id": episode.id,
        "session_id": episode.session_id,
        "agent_id": episode.scope.agent_id or "",
        "message_id": episode.message_id,
        "role": episode.role,
        "speaker": episode.speaker,
        "text": episode.text,
        "said_at": codec.to_micros(episode.said_at),
        "created_at": codec.to_micros(episode.created_at),
    }


def missing_messages(db: Session, request: MissingMessages) -> frozenset[str]:
    """Return the message ids that the session does not hold yet."""
    rows = db.all(
        "episodes_known",
        scope_id=db.scope_id(request.scope),
        session_id=request.scope.session_id or "",
        ids=id_list(request.message_ids),
    )
    return frozenset(request.message_ids) - {row["message_id"] for row in rows}


def claim_jobs(db: Session, request: ClaimJobs) -> tuple[Job, ...]:
    """Lease due jobs, oldest first."""
    scope_id = _wanted_scope(db, request.scope)
    rows = db.all(
        "job_claim",
        scope_id=scope_id,
        now=codec.to_micros(request.now),
        leased_until=codec.to_micros(request.leased_until),
        limit=request.limit,
    )
    turns = db.all("job_episodes", ids=id_list(row["episode_id"] for row in rows))
    episodes = {row["id"]: codec.episode_of(row) for row in turns}
    return tuple(
        Job(row["id"], episodes[row["episode_id"]], row["extractor"], row["work"], row["attempts"])
        for row in sorted(rows, key=lambda row: int(row["id"]))
    )


def _wanted_scope(db: Session, scope: Scope | None) -> int | None:
    if scope is None:
        return None
    return db.scope_id(scope) or -1  # an unknown owner has no jobs


def finish_job(db: Session, request: FinishJob) -> bool:
    """Apply a job's changes and end it; false if it was ended before."""
    if not db.run("job_finish", {"id": request.job_id}):
        return False
    for change in request.changes:
        apply_change(db, change)
    return True


def preceding_turn(db: Session, request: PrecedingTurn) -> Episode | None:
    """Return what the user said last before a turn."""
    row = db.one(
        "episode_before",
        scope_id=db.scope_id(request.episode.scope),
        session_id=request.episode.session_id,
        position=request.episode.position,
    )
    return None if row is None else codec.episode_of(row)


def fail_job(db: Session, request: FailJob) -> None:
    """Put a job back, or set it aside."""
    values = {
        "id": request.job_id,
        "error": request.error,
        "state": "waiting" if request.retry_at else "failed",
        "due_at": codec.to_micros(request.retry_at) if request.retry_at else _MOST_POSSIBLE,
    }
    db.run("job_fail", values)


def load_episodes(db: Session, request: LoadEpisodes) -> tuple[Episode, ...]:
    """Return turns by id."""
    scope_id = db.scope_id(request.scope)
    rows = db.all("episodes_by_ids", scope_id=scope_id, ids=id_list(request.ids))
    return tuple(map(codec.episode_of, rows))


def list_episodes(db: Session, request: ListEpisodes) -> tuple[Episode, ...]:
    """Return the newest turns, oldest of them first."""
    rows = db.all(
        "episodes_newest",
        scope_id=db.scope_id(request.scope),
        session_id=request.scope.session_id,
        limit=request.limit,
    )
    return tuple(map(codec.episode_of, reversed(rows)))
