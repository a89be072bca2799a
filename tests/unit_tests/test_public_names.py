"""The public names are a short sorted list, cheap to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import langchain_layered_memory as package

PUBLIC = ["LayeredMemory", "LayeredStore", "MemoryPolicy", "MemoryState", "Scope"]


def test_public_names_are_these() -> None:
    assert package.__all__ == PUBLIC == sorted(package.__all__)
    assert set(PUBLIC) <= set(dir(package))


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_is_importable_and_documented(name: str) -> None:
    assert getattr(package, name).__doc__


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="LayeredCake"):
        package.LayeredCake  # noqa: B018


def test_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, langchain_layered_memory\n"
        "heavy = {'numpy', 'torch', 'langgraph', 'langchain_core', 'rich', 'typer'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
