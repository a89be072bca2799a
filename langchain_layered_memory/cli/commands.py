"""The commands. Each opens the memory, calls one method of it, and prints the result."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated, cast, get_args

import typer
from rich.console import Console
from rich.progress import Progress

from langchain_layered_memory.backends.sqlite.connections import parse_url
from langchain_layered_memory.cli import output
from langchain_layered_memory.cli.importing import TurnsToImport, look, store
from langchain_layered_memory.cli.turns_file import count_turns
from langchain_layered_memory.errors import BackendUnavailableError
from langchain_layered_memory.memory import LayeredMemory
from langchain_layered_memory.records import Memory, Scope, Status

app = typer.Typer(
    name="layered-memory",
    help="Long-term memory for agents: import, look into, and tidy a memory file.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Database = Annotated[
    str, typer.Option("--db", envvar="LAYERED_MEMORY_URL", help="The memory's database.")
]
User = Annotated[str, typer.Option("--user", help="Whose memory.")]
Tenant = Annotated[str, typer.Option("--tenant", help="Whose users these are.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
HERE = "sqlite:///layered-memory.db"
_PIPED_WIDTH = 120


@app.command()
def demo(
    db: Annotated[str | None, typer.Option("--db", help="A new file to keep it in.")] = None,
) -> None:
    """Two sessions on different days: remember, correct, and forget. No model, no key."""
    from langchain_layered_memory.cli.demo import run_demo

    run_demo(_console(), db)


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="JSON lines: session_id, message_id, role …")],
    user: Annotated[str | None, typer.Option("--user", help="Whose memory.")] = None,
    user_field: Annotated[
        str | None, typer.Option("--user-field", help="The field that names the user.")
    ] = None,
    db: Database = HERE,
    tenant: Tenant = "default",
    session: Annotated[
        str | None, typer.Option("--session", help="The session of turns that name none.")
    ] = None,
    extract: Annotated[bool, typer.Option(help="Also extract memories.")] = True,
    shadow: Annotated[
        bool, typer.Option("--shadow", help="Store nothing; report what would be stored.")
    ] = False,
    examples: Annotated[int, typer.Option(min=0, help="So many examples in the report.")] = 20,
) -> None:
    """Import past conversations; run it again after a break, and it goes on."""
    if (user is None) == (user_field is None):
        raise typer.BadParameter("name whose memory it is: either --user or --user-field")
    if shadow and not extract:
        raise typer.BadParameter("--shadow reports what is extracted; leave --no-extract")
    whose = Scope("of each line" if user is None else user, tenant, session)
    turns = TurnsToImport(file, whose, user_field)
    if shadow:
        output.print_shadow(_console(), look(turns), examples)
    else:
        _import(turns, db, extract=extract)
    turns.raise_for_bad_line()


def _import(turns: TurnsToImport, db: str, *, extract: bool) -> None:
    total = count_turns(turns.path)
    with LayeredMemory.open(db) as memory, Progress(console=_notes()) as bar:
        task = bar.add_task("import", total=total)
        result = store(
            memory, turns, extract=extract, progress=lambda done: bar.advance(task, done)
        )
    output.print_import(_console(), result, turns.read, turns.blank)


@app.command()
def recall(
    question: Annotated[str, typer.Argument(help="What is asked.")],
    user: User,
    db: Database = HERE,
    tenant: Tenant = "default",
    k: Annotated[int, typer.Option("-k", min=1, help="At most so many records.")] = 10,
    as_of: Annotated[
        datetime | None, typer.Option(help="Answer from what was known then, UTC.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show scores, sources, and what was left out.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print what is known that has to do with a question."""
    with _existing(db) as memory:
        found = memory.recall(question, Scope(user, tenant), k=k, as_of=as_of, explain=explain)
    if as_json:
        output.print_recall_as_json(_console(), found)
    else:
        output.print_recall(_console(), _notes(), found, explain=explain)


@app.command()
def show(
    user: User,
    db: Database = HERE,
    tenant: Tenant = "default",
    session: Annotated[
        str | None, typer.Option("--session", help="Only what rests on this session.")
    ] = None,
    status: Annotated[
        list[str] | None, typer.Option(help="Of this status; may be given again.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the oldest.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """List a user's memories."""
    statuses = cast(list[Status], status or ["active"])
    if unknown := set(statuses) - set(get_args(Status)):
        raise typer.BadParameter(f"{unknown.pop()!r} is none of {', '.join(get_args(Status))}")
    with _existing(db) as memory:
        found = memory.memories(Scope(user, tenant), statuses=statuses, limit=limit)
    wanted = [each for each in found if session is None or _rests_on(each, session)]
    (output.print_memories_as_json if as_json else output.print_memories)(_console(), wanted)
    if len(found) == limit:
        _notes().print(f"only the oldest {limit} were looked at; --limit raises that")


def _rests_on(memory: Memory, session: str) -> bool:
    return any(source.session_id == session for source in memory.sources)


@app.command()
def history(
    memory_id: Annotated[str, typer.Argument(help="The id of a memory.")], db: Database = HERE
) -> None:
    """Print every value that a memory ever had."""
    with _existing(db) as memory:
        versions = memory.history(memory_id)
    output.print_history(_console(), versions)


@app.command()
def forget(
    db: Database = HERE,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list, change nothing.")] = False,
) -> None:
    """Set idle memories aside, archive expired ones, purge old archives."""
    with _existing(db) as memory:
        result = memory.forget(dry_run=dry_run)
    output.print_forgotten(_console(), result)


@app.command()
def stats(
    db: Database = HERE,
    user: Annotated[str | None, typer.Option("--user", help="Of one user alone.")] = None,
    tenant: Tenant = "default",
) -> None:
    """Print how many records there are."""
    with _existing(db) as memory:
        counts = memory.stats(None if user is None else Scope(user, tenant))
    output.print_counts(_console(), "records", counts)


def _existing(url: str) -> LayeredMemory:
    """Open a memory that is there; a mistyped name must not make an empty file."""
    if url.startswith("sqlite:"):
        path, _ = parse_url(url)
        if path != ":memory:" and not Path(path).exists():
            raise BackendUnavailableError(f"there is no memory file {path!r}; name it with --db")
    return LayeredMemory.open(url)


def _console() -> Console:
    """Return where results go; in a pipe a line is as long as whole ids need."""
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(highlight=False, emoji=False, width=_PIPED_WIDTH if piped else None)


def _notes() -> Console:
    """What is said about a result, and is no part of it, goes to stderr."""
    return Console(stderr=True, highlight=False, emoji=False)
