"""The commands. Each opens the memory, calls one method of it, and prints the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer
from rich.console import Console
from rich.progress import Progress

from langchain_layered_memory.backends.sqlite.connections import parse_url
from langchain_layered_memory.cli import output
from langchain_layered_memory.cli.turns_file import read_turns
from langchain_layered_memory.errors import BackendUnavailableError, InvalidInputError
from langchain_layered_memory.memory import LayeredMemory
from langchain_layered_memory.records import Scope, Status
from langchain_layered_memory.write.step import WriteResult

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


@app.command()
def demo(
    db: Annotated[str | None, typer.Option("--db", help="Keep the demo's file here.")] = None,
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
    extract: Annotated[bool, typer.Option(help="Also extract memories.")] = True,
    shadow: Annotated[
        bool, typer.Option("--shadow", help="Store nothing; report what would be stored.")
    ] = False,
    examples: Annotated[int, typer.Option(help="So many examples in the report.")] = 20,
) -> None:
    """Import past conversations; run it again after a break, and it goes on."""
    if (user is None) == (user_field is None):
        raise typer.BadParameter("name whose memory it is: either --user or --user-field")
    groups = _by_user(read_turns(file), user, user_field, tenant)
    if shadow:
        _report_shadow(groups, examples)
        return
    total = sum(1 for _ in read_turns(file))
    result = WriteResult()
    with LayeredMemory.open(db) as memory, Progress(console=_errors()) as bar:
        task = bar.add_task(f"import {file.name}", total=total)
        for scope, turns in groups:
            part = memory.import_history(
                turns, scope, extract=extract, progress=lambda done: bar.advance(task, done)
            )
            result.turns += part.turns
            result.changes += part.changes
            result.failures += part.failures
    output.print_import(_console(), result, total)


Rows = Iterable[dict[str, Any]]


def _by_user(
    rows: Rows, user: str | None, field: str | None, tenant: str
) -> Iterator[tuple[Scope, Rows]]:
    if field is None:
        yield Scope(user or "", tenant), rows
        return
    for name, group in groupby(rows, key=lambda row: _user_of(row, field)):
        yield Scope(name, tenant), group


def _user_of(row: dict[str, Any], field: str) -> str:
    if not row.get(field):
        raise InvalidInputError(f"a turn has no {field!r} to name its user: {row}")
    return str(row[field])


def _report_shadow(groups: Iterable[tuple[Scope, Rows]], examples: int) -> None:
    with LayeredMemory.open("sqlite:///:memory:") as memory:
        found = [each for scope, rows in groups for each in memory.shadow(rows, scope)]
    output.print_shadow(_console(), found, examples)


@app.command()
def recall(
    question: Annotated[str, typer.Argument(help="What is asked.")],
    user: User,
    db: Database = HERE,
    tenant: Tenant = "default",
    k: Annotated[int, typer.Option("-k", help="At most so many records.")] = 10,
    as_of: Annotated[datetime | None, typer.Option(help="Answer from what was known then.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show scores and sources.")] = False,
) -> None:
    """Print what is known that has to do with a question."""
    with _existing(db) as memory:
        found = memory.recall(question, Scope(user, tenant), k=k, as_of=as_of, explain=explain)
    output.print_recall(_console(), found, explain=explain)


@app.command()
def show(
    user: User,
    db: Database = HERE,
    tenant: Tenant = "default",
    status: Annotated[list[str] | None, typer.Option(help="Also of this status.")] = None,
    as_json: AsJson = False,
) -> None:
    """List a user's memories."""
    statuses = cast(list[Status], status or ["active"])
    if unknown := set(statuses) - set(get_args(Status)):
        raise typer.BadParameter(f"{unknown.pop()!r} is none of {', '.join(get_args(Status))}")
    with _existing(db) as memory:
        memories = memory.memories(Scope(user, tenant), statuses=statuses)
    (output.print_json if as_json else output.print_memories)(_console(), memories)


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
    return Console(soft_wrap=False, highlight=False)


def _errors() -> Console:
    return Console(stderr=True)
