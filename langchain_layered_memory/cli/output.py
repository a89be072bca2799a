"""Records as tables for the terminal, and as JSON lines for other programs.

Stored text was written by anybody. It is printed as text: what looks like markup or an emoji's name
stays as it is, and what would move the cursor or turn the direction of writing is not sent.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from langchain_layered_memory.forget.step import ForgetResult
from langchain_layered_memory.recall.result import Recall, RecalledItem
from langchain_layered_memory.records import Episode, Memory, Operation, Version
from langchain_layered_memory.write.step import WriteResult

_LONGEST_CELL = 300
_MOST_FAILURES = 10
_CONTENT_AND_ID = "content, id"
_UNBOUND = 10_000
# Control characters but the line feed, and those that embed, override or isolate a direction.
_UNSENT = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Return stored text with the characters replaced that are not sent to a terminal."""
    return _UNSENT.sub("\ufffd", text.replace("\t", " "))


def shown(text: str, style: str = "") -> Text:
    """Return stored text for rich, which then finds no markup in it."""
    return Text(visible(text), style=style)


def print_error(console: Console, error: Exception) -> None:
    """Print an error as one line."""
    line = " ".join(visible(str(error)).split())
    console.print(Text.assemble(("error: ", "bold red"), line), soft_wrap=True)


# ---------------------------------------------------------------- tables


def print_table(
    console: Console, title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]
) -> None:
    """Print rows under their columns; of no rows the title alone."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=name == "id")
    for row in rows:
        table.add_row(*map(_cell, row))
    console.print(Text(title, style="bold"))
    if table.rows:
        _keep_ids_whole(console, table)
        console.print(table)
        console.print()


def _keep_ids_whole(console: Console, table: Table) -> None:
    """An id is there to be copied, so it is not broken if the columns' longest words fit."""
    unbound = console.options.update(max_width=_UNBOUND)
    if Measurement.get(console, unbound, table).minimum > console.width:
        return
    for column in table.columns:
        if column.header == _CONTENT_AND_ID:
            column.min_width = Measurement.get(console, unbound, Group(*column.cells)).minimum


def _cell(value: object) -> Text:
    if isinstance(value, Text):
        return value
    if isinstance(value, datetime):
        return Text(f"{value:%Y-%m-%d}")
    text = "" if value is None else str(value)
    return shown(text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…")


def print_counts(console: Console, title: str, counts: Mapping[str, int]) -> None:
    """Print counts by name."""
    print_table(console, title, ("", "count"), counts.items())


# ---------------------------------------------------------------- memories


def print_memories(console: Console, memories: Sequence[Memory]) -> None:
    """Print memories, one a row, each with its id below what it says."""
    columns = (_CONTENT_AND_ID, "kind", "subject", "imp.", "conf.", "since", "status", "evid.")
    rows = (
        (
            Text("\n").join((_cell(m.content), shown(m.id, "dim"))),
            m.kind,
            m.subject,
            m.importance,
            f"{m.confidence:.2f}",
            m.valid_from,
            m.status,
            m.evidence_count,
        )
        for m in memories
    )
    print_table(console, f"memories: {len(memories)}", columns, rows)


def print_memories_as_json(console: Console, memories: Iterable[Memory]) -> None:
    """Print memories as JSON, one a line."""
    for memory in memories:
        _print_json(console, _memory_values(memory))


def _memory_values(memory: Memory) -> dict[str, Any]:
    until = memory.valid_until
    return {
        "id": memory.id,
        "kind": memory.kind,
        "subject": memory.subject,
        "content": memory.content,
        "value": memory.value,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "valid_from": memory.valid_from.isoformat(),
        "valid_until": None if until is None else until.isoformat(),
        "status": memory.status,
        "evidence_count": memory.evidence_count,
        "sources": [[source.session_id, source.message_id] for source in memory.sources],
    }


def _print_json(console: Console, row: Mapping[str, Any]) -> None:
    line = json.dumps(row, ensure_ascii=False)
    safe = _UNSENT.sub(lambda found: f"\\u{ord(found[0]):04x}", line)
    console.out(safe, highlight=False)


def print_history(console: Console, versions: Iterable[Version]) -> None:
    """Print the values of a memory with the times between which each held."""
    rows = (
        (_minute(v.valid_from), _minute(v.valid_to), v.memory.content, v.reason, _turns(v.memory))
        for v in versions
    )
    print_table(console, "history", ("from", "to", "content", "why", "sources"), rows)


def _minute(moment: datetime | None) -> str:
    return "now" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


# ---------------------------------------------------------------- recall


def print_recall(console: Console, notes: Console, found: Recall, *, explain: bool) -> None:
    """Print the block, and on request why; what is no part of the block goes to `notes`."""
    if found.text:
        console.print(shown(found.text), soft_wrap=True)
    for note in found.notes:
        notes.print(shown(note, "dim"), soft_wrap=True)
    if explain:
        print_explanation(console, found)


def print_explanation(console: Console, found: Recall) -> None:
    """Print each recalled record with its score, the parts of it, and its sources."""
    if found.items:
        columns = ("score", "parts", "group", "record", "sources")
        rows = ((f"{i.score:.3f}", _parts(i), i.group, _said(i), _turns(i)) for i in found.items)
        print_table(console, "why", columns, rows)
    if found.left_out:
        left_out = ((each.record_id, each.why) for each in found.left_out)
        print_table(console, "left out", ("id", "why"), left_out)


def _parts(item: RecalledItem) -> str:
    return " ".join(f"{name}={value:.2f}" for name, value in item.parts.items() if value)


def _said(item: RecalledItem) -> str:
    record = item.record
    return record.content if isinstance(record, Memory) else f"{record.speaker}: {record.text}"


def _turns(record: RecalledItem | Memory) -> str:
    return ", ".join(f"{s.session_id}/{s.message_id}" for s in record.sources)


def print_recall_as_json(console: Console, found: Recall) -> None:
    """Print what was recalled, and on request what was left out, as one JSON object."""
    items = [
        {**item.as_dict(), "record": _said(item), "parts": dict(item.parts)} for item in found.items
    ]
    left_out = [{"id": each.record_id, "why": each.why} for each in found.left_out]
    row = {"text": found.text, "items": items, "left_out": left_out, "notes": list(found.notes)}
    _print_json(console, row)


# ---------------------------------------------------------------- import, forget


def print_import(console: Console, result: WriteResult, read: int, blank: int) -> None:
    """Print what an import stored."""
    new = len(result.turns)
    added = sum(change.read_version is None for change in result.changes)
    changed = len(result.changes) - added
    console.print(f"{read} turns read: {new} new, {read - blank - new} known, {blank} blank")
    console.print(f"memories: {added} added, {changed} changed")
    console.print(f"failures: {len(result.failures)}")
    for failure in result.failures[:_MOST_FAILURES]:
        console.print(shown(f"  {failure.message_id}: {failure.error}"))


Looked = tuple[Episode, tuple[Operation, ...]]


def print_shadow(console: Console, found: Iterable[Looked], examples: int) -> None:
    """Print what would be stored, by kind, with the words that it rests on."""
    operations = [operation for _, found_here in found for operation in found_here]
    kinds = Counter[str](each.kind for each in operations)
    print_counts(console, f"would be stored: {len(operations)}", kinds)
    columns = ("operation", "kind", "subject", "content", "conf.", "quote")
    rows = (
        (o.op, o.kind, o.subject, o.content, f"{o.confidence:.2f}", o.sources[0].quote)
        for o in operations[:examples]
    )
    title = f"examples: {min(len(operations), max(examples, 0))} of {len(operations)}"
    print_table(console, title, columns, rows)


def print_forgotten(console: Console, result: ForgetResult) -> None:
    """Print what was, or would be, forgotten, and why; how many of each at the end."""
    title = "would be forgotten" if result.dry_run else "forgotten"
    if result.dry_run and result.forgotten:
        rows = ((f.action, f.memory.content, f.why, f.memory.id) for f in result.forgotten)
        print_table(console, title, ("action", "content", "why", "id"), rows)
    counts = Counter(each.action for each in result.forgotten)
    each_action = ", ".join(f"{count} {action}" for action, count in counts.items())
    console.print(f"{title}: {each_action or 'nothing'}")
