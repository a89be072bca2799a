"""What concerns an owner as a whole: counting, and erasing."""

from __future__ import annotations

from collections.abc import Mapping

from langchain_layered_memory.backends.sqlite.session import Session
from langchain_layered_memory.requests import (
    CountRecords,
    EraseOwner,
    EraseSession,
    ListOwners,
    Statistics,
)

# Children before parents, so that no foreign key is ever left dangling.
_ERASED = ("entries outbox versions memories episodes relations entities skills sessions").split()


def erase_owner(db: Session, request: EraseOwner) -> Mapping[str, int]:
    """Delete all that an owner has; return the rows deleted by table."""
    scope_id = db.scope_id(request.scope)
    if scope_id is None:
        return dict.fromkeys(_ERASED, 0)
    db.run("secure_delete_on", {})  # freed pages are overwritten, not only marked as free
    erased = {table: db.run(f"erase_{table}", {"scope_id": scope_id}) for table in _ERASED}
    db.run("erase_scope", {"scope_id": scope_id})
    db.run("entry_terms_rewrite", {})  # full text keeps deleted terms until its parts are merged
    db.run("secure_delete_off", {})
    return erased


def erase_session(db: Session, request: EraseSession) -> int:
    """Delete the turns of one conversation, with their index and their jobs."""
    place = {"scope_id": db.scope_id(request.scope), "session_id": request.scope.session_id or ""}
    db.run("erase_session_entries", place)
    return db.run("erase_session_episodes", place)


def list_owners(db: Session, request: ListOwners) -> tuple[tuple[str, str], ...]:
    """Return every (tenant, user) pair that has records."""
    rows = db.all("scope_list", tenant_id=request.tenant_id)
    return tuple((row["tenant_id"], row["user_id"]) for row in rows)


def count_records(db: Session, request: CountRecords) -> int:
    """Return how many turns and memories an owner has."""
    return int(db.value("record_count", scope_id=db.scope_id(request.scope)))


def statistics(db: Session, request: Statistics) -> Mapping[str, int]:
    """Return counts by name."""
    scope_id = None if request.scope is None else (db.scope_id(request.scope) or -1)
    return {row["name"]: row["count"] for row in db.all("statistics", scope_id=scope_id)}
