"""Every statement of the SQLite backend is valid, named once, and used."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from langchain_layered_memory.backends import queries, sqlite
from langchain_layered_memory.backends.sqlite import schema

QUERIES = queries.load("langchain_layered_memory.backends.sqlite")
FOLDER = Path(sqlite.__file__).parent
CODE = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py"))


@pytest.fixture(scope="module")
def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.prepare(connection)
    yield connection
    connection.close()


@pytest.mark.parametrize("name", QUERIES)
def test_statement_is_valid(database: sqlite3.Connection, name: str) -> None:
    values = dict.fromkeys(re.findall(r":([a-z_]+)", QUERIES[name]))
    database.execute(f"EXPLAIN {QUERIES[name]}", values).fetchall()


@pytest.mark.parametrize("name", QUERIES)
def test_statement_is_used(name: str) -> None:
    erased = name.removeprefix("erase_")
    assert f'"{name}"' in CODE or (name.startswith("erase_") and erased in CODE)


def test_two_statements_of_one_name_are_refused() -> None:
    text = "-- one: First.\nSELECT 1;\n-- one: Second.\nSELECT 2;\n"
    with pytest.raises(ValueError, match="'one'"):
        queries.parse(text)


def test_statements_are_parsed_without_their_comment_line() -> None:
    text = "-- head\n\n-- one: First.\nSELECT 1;\n\n-- two: Second.\nSELECT 2;\n"
    assert queries.parse(text) == {"one": "SELECT 1", "two": "SELECT 2"}


def test_migrations_are_numbered_without_a_gap() -> None:
    versions = [version for version, _, _ in schema.migrations()]
    assert versions == list(range(1, len(versions) + 1))


TEXT = (FOLDER / "queries.sql").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", QUERIES)
def test_name_has_one_whole_statement(name: str) -> None:
    statement = QUERIES[name]
    assert statement.strip()
    assert ";" not in statement
    assert sqlite3.complete_statement(f"{statement};")


def test_every_line_that_looks_like_a_name_is_one() -> None:
    named = re.findall(r"^-- *(\w+) *:", TEXT, re.MULTILINE)
    assert named == list(QUERIES)


def test_every_statement_says_what_it_is_for() -> None:
    abouts = re.findall(r"^-- [a-z_]+: (.+)$", TEXT, re.MULTILINE)
    assert len(abouts) == len(QUERIES)
    assert all(about.strip() for about in abouts)


def test_values_never_stand_in_a_statement_by_format() -> None:
    assert not re.search(r"\{\w*\}|%\(|%s", "".join(QUERIES.values()))


@pytest.mark.xfail(strict=True, raises=ValueError, reason="one end too many is counted")
@pytest.mark.parametrize("text", ["", "SELECT 1;\n-- a remark\n"], ids=["empty", "unnamed"])
def test_text_without_named_statements_has_none(text: str) -> None:
    assert queries.parse(text) == {}


def test_remark_inside_a_statement_is_a_part_of_it() -> None:
    text = "-- one: First.\nSELECT 1 -- why\n-- another remark\nFROM t;\n"
    assert queries.parse(text) == {"one": "SELECT 1 -- why\n-- another remark\nFROM t"}


def test_statements_are_loaded_once() -> None:
    package = "langchain_layered_memory.backends.sqlite"
    assert queries.load(package) is queries.load(package)
