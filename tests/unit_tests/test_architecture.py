"""Rules of the code base that no linter holds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import langchain_layered_memory

PACKAGE = Path(langchain_layered_memory.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
SQL = re.compile(
    r"^\s*(SELECT\s.*\bFROM\b|(INSERT|REPLACE)\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\S+\s+SET\s"
    r"|DELETE\s+FROM\s|WITH\s+(RECURSIVE\s+)?\w+\s+AS\s*\(|ALTER\s+TABLE\s"
    r"|(CREATE|DROP)\s+(TEMP\s+|UNIQUE\s+|VIRTUAL\s+)?(TABLE|INDEX|VIEW|TRIGGER)\s)",
    re.IGNORECASE | re.DOTALL,
)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
# The schema's own bookkeeping comes before any statement file can be trusted.
MAY_HOLD_SQL = {"backends/sqlite/schema.py"}


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_module_is_short_and_says_its_place(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 500
    assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_sql_stands_in_sql_files(path: Path) -> None:
    if name_of(path) in MAY_HOLD_SQL:
        return
    strings = (
        node.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    assert [text for text in strings if SQL.match(text)] == []


def is_overload(node: Definition) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list)


def public_definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    for node in body:
        if not isinstance(node, Definition) or node.name.startswith("_") or is_overload(node):
            continue
        yield node
        if isinstance(node, ast.ClassDef):
            yield from public_definitions(node.body)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_what_is_public_is_documented(path: Path) -> None:
    undocumented = [
        node.name
        for node in public_definitions(ast.parse(path.read_text(encoding="utf-8")).body)
        if not ast.get_docstring(node)
    ]
    assert undocumented == []
