"""Records as tables for the terminal, and as JSON lines for other programs."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from langchain_layered_memory.forget.step import ForgetResult
from langchain_layered_memory.recall.result import Recall, RecalledItem
from langchain_layered_memory.records import Episode, Memory, Operation, Version
from langchain_layered_memory.write.step import WriteResult

_LONGEST_CELL = 300


def plain(text: str) -> str:
    """Return stored text as the terminal shows it: no markup, no control characters."""
    visible = "".join(c if c == "\n" or unicodedata.category(c) != "Cc" else "\ufffd" for c in text)
    return escape(visible)


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}"
    text = "" if value is None else str(value)
    return plain(text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…")


def print_table(
    console: Console, title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]
) -> None:
    """Print rows under their columns."""
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*map(_cell, row))
    console.print(table)


def print_memories(console: Console, memories: Iterable[Memory]) -> None:
    """Print memories, one a row."""
    columns = ("id", "kind", "about", "content", "imp.", "conf.", "since", "status", "evidence")
    rows = (
        (
            m.id,
            m.kind,
            m.subject,
            m.content,
            m.importance,
            m.confidence,
            m.valid_from,
            m.status,
            m.evidence_count,
        )
        for m in memories
    )
    print_table(console, "memories", columns, rows)


def print_json(console: Console, memories: Iterable[Memory]) -> None:
    """Print memories as JSON, one a line."""
    for memory in memories:
        row = {
            "id": memory.id,
            "kind": memory.kind,
            "subject": memory.subject,
            "content": memory.content,
            "value": memory.value,
            "valid_from": memory.valid_from.isoformat(),
            "status": memory.status,
            "sources": [[source.session_id, source.message_id] for source in memory.sources],
        }
        console.out(json.dumps(row, ensure_ascii=False), highlight=False)


def print_history(console: Console, versions: Iterable[Version]) -> None:
    """Print the values of a memory with the dates between which each held."""
    rows = ((v.valid_from, v.valid_to or "now", v.memory.content, v.reason) for v in versions)
    print_table(console, "history", ("from", "to", "content", "why"), rows)


def print_recall(console: Console, found: Recall, *, explain: bool) -> None:
    """Print the block, and on request what it was made of and what was left out."""
    if found.text:
        console.print(plain(found.text), highlight=False)
    for note in found.notes:
        console.print(f"[dim]{plain(note)}[/dim]")
    if explain and found.items:
        print_explanation(console, found)


def print_explanation(console: Console, found: Recall) -> None:
    """Print each recalled record with its score, the parts of it, and its sources."""
    columns = ("score", "parts", "record", "sources")
    rows = ((f"{i.score:.3f}", _parts(i), _said(i), _sources(i)) for i in found.items)
    print_table(console, "why", columns, rows)
    if found.left_out:
        left_out = ((each.record_id, each.why) for each in found.left_out)
        print_table(console, "left out", ("id", "why"), left_out)


def _parts(item: RecalledItem) -> str:
    return " ".join(f"{name}={value:.2f}" for name, value in item.parts.items() if value)


def _said(item: RecalledItem) -> str:
    record = item.record
    return record.content if isinstance(record, Memory) else f"{record.speaker}: {record.text}"


def _sources(item: RecalledItem) -> str:
    return ", ".join(f"{s.session_id}/{s.message_id}" for s in item.sources)


def print_import(console: Console, result: WriteResult, read: int) -> None:
    """Print what an import stored."""
    new = len(result.turns)
    console.print(f"{read} turns read: {new} new, {read - new} known or blank")
    console.print(f"{len(result.changes)} changes of memories, {len(result.failures)} failures")
    for failure in result.failures[:10]:
        console.print(f"  {plain(failure.message_id)}: {plain(failure.error)}")


Shadowed = tuple[Episode, tuple[Operation, ...]]


def print_shadow(console: Console, found: Iterable[Shadowed], examples: int) -> None:
    """Print what would be stored, by kind, with the words that it rests on."""
    operations = [operation for _, found_here in found for operation in found_here]
    kinds: dict[str, int] = {}
    for operation in operations:
        kinds[operation.kind] = kinds.get(operation.kind, 0) + 1
    print_counts(console, "would be stored", kinds)
    columns = ("op", "kind", "about", "content", "conf.", "said")
    rows = (
        (o.op, o.kind, o.subject, o.content, o.confidence, o.sources[0].quote)
        for o in operations[:examples]
    )
    print_table(console, "examples", columns, rows)


def print_forgotten(console: Console, result: ForgetResult) -> None:
    """Print what was, or would be, forgotten, and why."""
    title = "would be forgotten" if result.dry_run else "forgotten"
    rows = ((f.action, f.memory.content, f.why, f.memory.id) for f in result.forgotten)
    print_table(console, f"{title}: {len(result.forgotten)}", ("", "content", "why", "id"), rows)


def print_counts(console: Console, title: str, counts: Mapping[str, int]) -> None:
    """Print counts by name."""
    print_table(console, title, ("", "count"), counts.items())
