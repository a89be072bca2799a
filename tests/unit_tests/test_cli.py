"""The command line: what it stores, what it prints, and what it refuses in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from langchain_layered_memory import LayeredMemory, Scope
from langchain_layered_memory.cli import app
from langchain_layered_memory.errors import (
    BackendUnavailableError,
    InvalidInputError,
    NotFoundError,
)

TURNS = [
    {"session_id": "s1", "message_id": "1", "role": "user", "text": "I like tea."},
    {"session_id": "s1", "message_id": "2", "role": "assistant", "text": "Noted."},
    {"session_id": "s2", "message_id": "3", "role": "user", "text": "I live in Oslo."},
]


def run(*arguments: str) -> Result:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "history.jsonl"
    path.write_text("\n".join(map(json.dumps, TURNS)), encoding="utf-8")
    return path


@pytest.fixture
def imported(file: Path, memory_url: str) -> str:
    run("import", str(file), "--user", "ann", "--db", memory_url)
    return memory_url


def stats(url: str) -> dict[str, Any]:
    with LayeredMemory.open(url) as memory:
        return dict(memory.stats())


def test_import_stores_turns_and_memories(imported: str) -> None:
    assert stats(imported)["episodes"] == 3
    assert stats(imported)["memories active"] == 2


def test_import_goes_on_where_it_stopped(imported: str, file: Path) -> None:
    with file.open("a", encoding="utf-8") as lines:
        lines.write("\n" + json.dumps({**TURNS[0], "message_id": "4", "text": "I love cats."}))
    result = run("import", str(file), "--user", "ann", "--db", imported)
    assert "4 turns read: 1 new, 3 known" in result.output
    assert stats(imported)["episodes"] == 4


def test_import_without_extraction_stores_turns_alone(file: Path, memory_url: str) -> None:
    run("import", str(file), "--user", "ann", "--db", memory_url, "--no-extract")
    assert stats(memory_url)["episodes"] == 3
    assert "memories active" not in stats(memory_url)


def test_import_by_a_field_keeps_users_apart(tmp_path: Path, memory_url: str) -> None:
    path = tmp_path / "two.jsonl"
    rows = [{**TURNS[0], "who": "ann"}, {**TURNS[2], "who": "bob"}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run("import", str(path), "--user-field", "who", "--db", memory_url)
    with LayeredMemory.open(memory_url) as memory:
        assert [m.content for m in memory.memories(Scope("ann"))] == ["The user likes tea"]
        assert [m.content for m in memory.memories(Scope("bob"))] == ["The user lives in Oslo"]


def test_shadow_reports_and_stores_nothing(file: Path, memory_url: str) -> None:
    result = run("import", str(file), "--user", "ann", "--db", memory_url, "--shadow")
    assert "The user likes tea" in result.output
    assert "I live in Oslo." in result.output
    assert not Path(memory_url.removeprefix("sqlite:///")).exists()


def test_bad_line_is_named_by_its_number(file: Path, memory_url: str) -> None:
    with file.open("a", encoding="utf-8") as lines:
        lines.write("\nnot json")
    with pytest.raises(InvalidInputError, match="line 4"):
        run("import", str(file), "--user", "ann", "--db", memory_url)


def test_import_needs_to_know_whose_memory_it_is(file: Path) -> None:
    assert run("import", str(file)).exit_code == 2


def test_recall_prints_the_block_and_on_request_why(imported: str) -> None:
    result = run("recall", "Which tea?", "--user", "ann", "--db", imported, "--explain")
    assert "<recalled_memory>" in result.output
    assert "meaning=" in result.output
    assert "s1/1" in result.output


def test_recall_says_if_the_user_is_unknown(imported: str) -> None:
    result = run("recall", "Which tea?", "--user", "anne", "--db", imported)
    assert "user 'anne' of tenant 'default' has no records at all" in result.output


def test_show_lists_memories_as_table_and_as_json(imported: str) -> None:
    assert "The user likes tea" in run("show", "--user", "ann", "--db", imported).output
    lines = run("show", "--user", "ann", "--db", imported, "--json").output.splitlines()
    assert json.loads(lines[0])["sources"] == [["s1", "1"]]


def test_show_refuses_an_unknown_status(imported: str) -> None:
    assert run("show", "--user", "ann", "--db", imported, "--status", "lost").exit_code == 2


def test_history_prints_every_value(imported: str) -> None:
    with LayeredMemory.open(imported) as memory:
        memory.write([("user", "Actually I can't stand tea now.")], Scope("ann"))
        (tea,) = (m for m in memory.memories(Scope("ann")) if "tea" in m.content)
    result = run("history", tea.id, "--db", imported)
    assert "The user likes tea" in result.output
    assert "can't stand tea" in result.output


def test_history_of_an_unknown_id_is_an_error(imported: str) -> None:
    with pytest.raises(NotFoundError, match="nobody"):
        run("history", "nobody", "--db", imported)


def test_forget_dry_run_changes_nothing(imported: str) -> None:
    before = stats(imported)
    assert "would be forgotten: 0" in run("forget", "--dry-run", "--db", imported).output
    assert "forgotten: 0" in run("forget", "--db", imported).output
    assert stats(imported) == before


def test_stats_counts(imported: str) -> None:
    output = run("stats", "--db", imported, "--user", "ann").output
    assert "episodes" in output
    assert "3" in output


@pytest.mark.parametrize("command", [["recall", "x", "--user", "u"], ["stats"], ["forget"]])
def test_a_mistyped_file_is_an_error_and_not_made(command: list[str], memory_url: str) -> None:
    with pytest.raises(BackendUnavailableError, match="there is no memory file"):
        run(*command, "--db", memory_url)
    assert not Path(memory_url.removeprefix("sqlite:///")).exists()


def test_stored_text_is_shown_and_never_obeyed(memory_url: str) -> None:
    with LayeredMemory.open(memory_url) as memory:
        memory.write([("user", "I like [red]tea[/red] \x1b[2J now.")], Scope("ann"))
    output = run("recall", "tea", "--user", "ann", "--db", memory_url).output
    assert "[red]tea[/red]" in output
    assert "\x1b[2J" not in output


def test_own_errors_are_one_line_without_a_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "langchain_layered_memory.cli", "stats", "--db", "nowhere://x"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert found.returncode == 1
    assert found.stderr.startswith("error no backend knows")
    assert "Traceback" not in found.stderr
