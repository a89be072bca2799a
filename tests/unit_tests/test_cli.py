"""The command line: what it stores, what it prints, and what it refuses in one line."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from langchain_layered_memory import LayeredMemory, Scope
from langchain_layered_memory.cli import app, main, output
from langchain_layered_memory.records import Memory

TURNS = [
    {"session_id": "s1", "message_id": "1", "role": "user", "text": "I like tea."},
    {"session_id": "s1", "message_id": "2", "role": "assistant", "text": "Noted."},
    {"session_id": "s2", "message_id": "3", "role": "user", "text": "I live in Oslo."},
]
CATS = {"session_id": "s2", "message_id": "4", "role": "user", "text": "I love cats."}
SPOOF = "I like [red]tea[/red] and :smile: \\[b] \x1b[2J \x9b31m \u202etxt."
UNSENT = ("\x1b", "\x9b", "\u202e")


def run(*arguments: str) -> Result:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run as a user does, and return the one line on stderr that says what was wrong."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 1
    error = capsys.readouterr().err.strip().rpartition("\n")[2]
    assert error.startswith("error: ")
    return error


def write_lines(path: Path, *rows: object) -> Path:
    lines = (row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)
    path.write_bytes(b"\n".join(lines))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "history.jsonl", *TURNS)


@pytest.fixture
def imported(file: Path, memory_url: str) -> str:
    run("import", str(file), "--user", "ann", "--db", memory_url)
    return memory_url


@pytest.fixture
def spoofed(memory_url: str) -> str:
    with LayeredMemory.open(memory_url) as memory:
        memory.write([("user", SPOOF)], Scope("ann"))
    return memory_url


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def stats(url: str) -> dict[str, Any]:
    with LayeredMemory.open(url) as memory:
        return dict(memory.stats())


def said_by(url: str, user: str) -> list[str]:
    with LayeredMemory.open(url) as memory:
        return [each.content for each in memory.memories(Scope(user))]


# ---------------------------------------------------------------- import


def test_import_stores_turns_and_memories(file: Path, memory_url: str) -> None:
    result = run("import", str(file), "--user", "ann", "--db", memory_url)
    assert "3 turns read: 3 new, 0 known, 0 blank" in result.stdout
    assert "memories: 2 added, 0 changed" in result.stdout
    assert "failures: 0" in result.stdout
    assert stats(memory_url)["episodes"] == 3
    assert stats(memory_url)["memories active"] == 2


def test_import_goes_on_where_it_stopped(imported: str, file: Path) -> None:
    write_lines(file, *TURNS, CATS)
    result = run("import", str(file), "--user", "ann", "--db", imported)
    assert "4 turns read: 1 new, 3 known, 0 blank" in result.stdout
    assert "memories: 1 added, 0 changed" in result.stdout
    assert stats(imported)["episodes"] == 4


def test_import_tells_changed_memories_and_blank_turns_apart(imported: str, file: Path) -> None:
    blank = {**CATS, "text": " "}
    write_lines(file, blank, {**CATS, "text": "Actually, I can't stand tea now."})
    result = run("import", str(file), "--user", "ann", "--db", imported)
    assert "2 turns read: 1 new, 0 known, 1 blank" in result.stdout
    assert "memories: 0 added, 1 changed" in result.stdout


def test_import_without_extraction_stores_turns_alone(file: Path, memory_url: str) -> None:
    run("import", str(file), "--user", "ann", "--db", memory_url, "--no-extract")
    assert stats(memory_url)["episodes"] == 3
    assert "memories active" not in stats(memory_url)


def test_import_by_a_field_keeps_users_apart(tmp_path: Path, memory_url: str) -> None:
    rows = [{**TURNS[0], "who": "ann"}, {**TURNS[2], "who": "bob"}, {**CATS, "who": "ann"}]
    path = write_lines(tmp_path / "two.jsonl", *rows)
    run("import", str(path), "--user-field", "who", "--db", memory_url)
    assert said_by(memory_url, "ann") == ["The user likes tea", "The user loves cats"]
    assert said_by(memory_url, "bob") == ["The user lives in Oslo"]


def test_import_puts_turns_that_name_no_session_into_the_one_given(
    tmp_path: Path, memory_url: str
) -> None:
    path = write_lines(tmp_path / "one.jsonl", {"turn_id": "9", "text": "I like tea."})
    run("import", str(path), "--user", "ann", "--db", memory_url, "--session", "phone")
    lines = run("show", "--user", "ann", "--db", memory_url, "--json").stdout.splitlines()
    assert json.loads(lines[0])["sources"] == [["phone", "9"]]


def test_import_reads_gzip_and_a_byte_order_mark(tmp_path: Path, memory_url: str) -> None:
    path = tmp_path / "history.jsonl.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps(TURNS[0]).encode()))
    assert "1 new" in run("import", str(path), "--user", "ann", "--db", memory_url).stdout


def test_shadow_reports_and_stores_nothing(file: Path, memory_url: str) -> None:
    result = run("import", str(file), "--user", "ann", "--db", memory_url, "--shadow")
    assert "would be stored: 2" in result.stdout
    for each in ("create", "preference", "The user likes tea", "0.90", "I live in Oslo."):
        assert each in result.stdout
    assert not path_of(memory_url).exists()


def test_shadow_gives_as_many_examples_as_asked_for(file: Path, memory_url: str) -> None:
    command = ("import", str(file), "--user", "ann", "--db", memory_url, "--shadow")
    output = run(*command, "--examples", "1").stdout
    assert "examples: 1 of 2" in output
    assert "The user lives in Oslo" not in output


def test_shadow_leaves_an_existing_memory_alone(imported: str, tmp_path: Path) -> None:
    before = stats(imported)
    path = write_lines(tmp_path / "more.jsonl", CATS)
    run("import", str(path), "--user", "ann", "--db", imported, "--shadow")
    assert stats(imported) == before


BAD_LINES = {
    "no JSON": b"not json",
    "no object": b"[1, 2]",
    "no text": b'{"message_id": "5"}',
    "not UTF-8": b'{"text": "caf\xe9"}',
    "nested without end": b"[" * 200_000,
    "a time that is none": b'{"text": "x", "ts": "yesterday"}',
    "a time before all times": b'{"text": "x", "ts": "0001-01-01T00:00:00+14:00"}',
    "a session that is no id": b'{"text": "x", "session_id": {"a": 1}}',
}


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES)
def test_bad_line_is_named_and_what_stood_before_is_stored(
    line: bytes, tmp_path: Path, memory_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_lines(tmp_path / "bad.jsonl", *TURNS, line, CATS)
    assert "line 4" in refused(capsys, "import", str(path), "--user", "ann", "--db", memory_url)
    assert stats(memory_url)["episodes"] == 3


@pytest.mark.parametrize("user", [None, "", "  ", True, ["ann"]])
def test_bad_user_is_named_by_its_line(
    user: object, tmp_path: Path, memory_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_lines(tmp_path / "bad.jsonl", {**CATS, "who": "ann"}, {**CATS, "who": user})
    command = ("import", str(path), "--user-field", "who", "--db", memory_url)
    assert "line 2" in refused(capsys, *command)
    assert said_by(memory_url, "ann") == ["The user loves cats"]


def test_broken_gzip_is_one_line(
    tmp_path: Path, memory_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.jsonl.gz"
    path.write_bytes(gzip.compress(os.urandom(1000))[:500])
    refused(capsys, "import", str(path), "--user", "ann", "--db", memory_url)


def test_shadow_names_a_bad_line_too(
    tmp_path: Path, memory_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_lines(tmp_path / "bad.jsonl", *TURNS, b"not json")
    command = ("import", str(path), "--user", "ann", "--db", memory_url, "--shadow")
    assert "line 4" in refused(capsys, *command)


def test_import_of_a_missing_file_makes_no_memory(
    tmp_path: Path, memory_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "none.jsonl")
    error = refused(capsys, "import", missing, "--user", "ann", "--db", memory_url)
    assert missing in error
    assert not path_of(memory_url).exists()


# ---------------------------------------------------------------- recall


def test_recall_prints_the_block_and_on_request_why(imported: str) -> None:
    assert "meaning=" not in run("recall", "Which tea?", "--user", "ann", "--db", imported).stdout
    result = run("recall", "Which tea?", "--user", "ann", "--db", imported, "--explain")
    for each in ("<recalled_memory>", "meaning=", "relevant", "s1/1"):
        assert each in result.stdout


def test_recall_says_what_was_left_out(imported: str) -> None:
    with LayeredMemory.open(imported) as memory:
        memory.write([("user", "I drink tea with my sister in Bergen.")], Scope("ann"))
    command = ("recall", "tea", "--user", "ann", "--db", imported, "--explain", "-k", "1")
    assert "beyond the first 1" in run(*command).stdout


def test_block_is_printed_line_by_line_however_narrow_the_terminal_is(imported: str) -> None:
    command = ("recall", "tea", "--user", "ann", "--db", imported)
    result = CliRunner(env={"COLUMNS": "30"}).invoke(app, command)
    with LayeredMemory.open(imported) as memory:
        assert result.stdout.strip() == memory.recall("tea", Scope("ann")).text


def test_recall_as_json_is_one_object(imported: str) -> None:
    result = run("recall", "Which tea?", "--user", "ann", "--db", imported, "--json")
    found = json.loads(result.stdout)
    assert found["items"][0]["sources"] == [{"session_id": "s1", "message_id": "1"}]
    assert found["text"].startswith("<recalled_memory>")


def test_recall_as_of_answers_from_what_was_known_then(memory_url: str) -> None:
    with LayeredMemory.open(memory_url) as memory:
        for month, text in ((1, "I live in Oslo."), (5, "I live in Lima now.")):
            at = datetime(2026, month, 1, tzinfo=UTC)
            memory.write([("user", text)], Scope("ann"), at=at)
    command = ("recall", "Where do I live?", "--user", "ann", "--db", memory_url)
    assert "lives in Lima" in run(*command).stdout
    then = run(*command, "--as-of", "2026-03-01").stdout
    assert "lives in Oslo" in then
    assert "Lima" not in then


def test_recall_says_beside_the_result_if_the_user_is_unknown(imported: str) -> None:
    result = run("recall", "Which tea?", "--user", "anne", "--db", imported)
    assert result.stdout == ""
    assert "user 'anne' of tenant 'default' has no records at all" in result.stderr


def test_tenants_are_kept_apart(imported: str) -> None:
    command = ("recall", "tea", "--user", "ann", "--db", imported)
    assert run(*command, "--tenant", "other").stdout == ""


# ---------------------------------------------------------------- show, history, forget, stats


def test_show_lists_memories_with_whole_ids(imported: str) -> None:
    with LayeredMemory.open(imported) as memory:
        ids = [each.id for each in memory.memories(Scope("ann"))]
    result = CliRunner(env={"COLUMNS": "100"}).invoke(
        app, ["show", "--user", "ann", "--db", imported]
    )
    for each in ("The user likes tea", "preference", "0.90", "active", "evid.", *ids):
        assert each in result.stdout


def test_show_as_json_is_one_memory_a_line(imported: str) -> None:
    lines = run("show", "--user", "ann", "--db", imported, "--json").stdout.splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0])["sources"] == [["s1", "1"]]


def test_show_of_a_session_lists_what_rests_on_it(imported: str) -> None:
    result = run("show", "--user", "ann", "--db", imported, "--session", "s2")
    assert "memories: 1" in result.stdout
    assert "Oslo" in result.stdout


def test_show_by_status(imported: str) -> None:
    with LayeredMemory.open(imported) as memory:
        memory.retract(memory.memories(Scope("ann"))[0].id)
    result = run("show", "--user", "ann", "--db", imported, "--status", "retracted")
    assert "The user likes tea" in result.stdout
    assert "Oslo" not in result.stdout


def test_show_says_if_there_may_be_more(imported: str) -> None:
    result = run("show", "--user", "ann", "--db", imported, "--limit", "1")
    assert "only the oldest 1" in result.stderr


@pytest.mark.parametrize("width", [80, 100, 120])
def test_no_column_is_lost_for_want_of_room(width: int, imported: str) -> None:
    with LayeredMemory.open(imported) as memory:
        wide = [wide_memory(each) for each in memory.memories(Scope("ann"))]
    console = Console(file=StringIO(), width=width)
    output.print_memories(console, wide)
    assert isinstance(console.file, StringIO)
    assert "evid." in console.file.getvalue()


def wide_memory(memory: Memory) -> Memory:
    return memory.changed(
        status="pending_verification", kind="business_rule", subject="brother-in-law"
    )


def test_history_prints_every_value(imported: str) -> None:
    with LayeredMemory.open(imported) as memory:
        memory.write([("user", "Actually I can't stand tea now.")], Scope("ann"))
        (tea,) = (m for m in memory.memories(Scope("ann")) if "tea" in m.content)
    result = run("history", tea.id, "--db", imported)
    for each in ("The user likes tea", "can't stand tea", "corrected", "now", "s1/1"):
        assert each in result.stdout


def test_history_of_an_unknown_id_is_an_error(
    imported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "nobody" in refused(capsys, "history", "nobody", "--db", imported)


def test_forget_lists_in_a_dry_run_and_counts_what_it_did(memory_url: str) -> None:
    with LayeredMemory.open(memory_url) as memory:
        memory.write([("user", "I like tea.")], Scope("ann"), at=datetime(2020, 1, 1, tzinfo=UTC))
    dry = run("forget", "--dry-run", "--db", memory_url).stdout
    assert "The user likes tea" in dry
    assert "valid until 2020" in dry
    assert "would be forgotten: 1 archived" in dry
    assert said_by(memory_url, "ann") == ["The user likes tea"]
    assert "forgotten: 1 archived" in run("forget", "--db", memory_url).stdout
    assert said_by(memory_url, "ann") == []


def test_forget_says_if_there_is_nothing_to_forget(imported: str) -> None:
    assert "would be forgotten: nothing" in run("forget", "--dry-run", "--db", imported).stdout


def test_stats_counts_one_user_or_all(imported: str, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "bob.jsonl", CATS)
    run("import", str(path), "--user", "bob", "--db", imported)
    assert count_of("episodes", run("stats", "--db", imported).stdout) == 4
    assert count_of("episodes", run("stats", "--db", imported, "--user", "ann").stdout) == 3


def count_of(name: str, table: str) -> int:
    (line,) = (line for line in table.splitlines() if line.startswith(name))
    return int(line.split()[-1])


# ---------------------------------------------------------------- what is refused


WRONG_USAGE = [
    ["import", "x.jsonl"],
    ["import", "x.jsonl", "--user", "a", "--user-field", "b"],
    ["import", "x.jsonl", "--user", "a", "--shadow", "--no-extract"],
    ["recall", "tea"],
    ["recall", "tea", "--user", "a", "-k", "0"],
    ["recall", "tea", "--user", "a", "--as-of", "yesterday"],
    ["show", "--user", "a", "--status", "lost"],
    ["nonsense"],
]


@pytest.mark.parametrize("command", WRONG_USAGE, ids=" ".join)
def test_wrong_usage_has_its_own_exit_code(command: list[str]) -> None:
    assert run(*command).exit_code == 2


READING = [
    ["recall", "x", "--user", "u"],
    ["show", "--user", "u"],
    ["history", "m1"],
    ["stats"],
    ["forget"],
    ["forget", "--dry-run"],
]


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_mistyped_file_is_an_error_and_not_made(
    command: list[str], memory_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "there is no memory file" in refused(capsys, *command, "--db", memory_url)
    assert not path_of(memory_url).exists()


def test_a_file_that_is_no_database_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database, but long enough to be taken for one " * 20)
    assert "is not a SQLite database" in refused(capsys, "stats", "--db", f"sqlite:///{path}")


def test_the_database_may_be_named_in_the_environment(
    imported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERED_MEMORY_URL", imported)
    assert "The user likes tea" in run("show", "--user", "ann").stdout


@pytest.mark.parametrize("options", [[], ["--explain"], ["--json"]], ids=str)
def test_stored_text_is_shown_and_never_obeyed(options: list[str], spoofed: str) -> None:
    printed = run("recall", "tea", "--user", "ann", "--db", spoofed, *options).stdout
    assert "[red]tea[/red] and :smile: \\" in printed
    assert not any(each in printed for each in UNSENT)


def test_json_keeps_what_is_not_sent_to_a_terminal_as_escapes(spoofed: str) -> None:
    found = json.loads(run("recall", "tea", "--user", "ann", "--db", spoofed, "--json").stdout)
    assert found["items"][0]["record"] == f"user: {SPOOF}"


def test_shadow_does_not_obey_text_either(tmp_path: Path) -> None:
    text = "I like tea (:smile: \x1b[2J \x9b31m \u202e)."
    path = write_lines(tmp_path / "spoof.jsonl", {"text": text})
    printed = run("import", str(path), "--user", "ann", "--shadow").stdout
    assert "I like tea (:smile: \ufffd[2J" in printed
    assert not any(each in printed for each in UNSENT)


def test_errors_do_not_obey_text_either(
    memory_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sqlite3.connect(path_of(memory_url)).close()
    error = refused(capsys, "history", "[red]x\x1b[2J\ny", "--db", memory_url)
    assert "[red]x" in error
    assert "\x1b" not in error


def test_own_errors_are_one_line_without_a_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "langchain_layered_memory.cli", "stats"]
    missing = f"sqlite:///{tmp_path / ('long' * 30)}.db"
    found = subprocess.run([*command, "--db", missing], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stdout == ""
    assert found.stderr.startswith("error: there is no memory file")
    assert found.stderr.count("\n") == 1


def test_demo_keeps_its_file_on_request_and_overwrites_none(
    memory_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "recalled for the prompt" in run("demo", "--db", memory_url).stdout
    before = stats(memory_url)
    assert "is there already" in refused(capsys, "demo", "--db", memory_url)
    assert stats(memory_url) == before
