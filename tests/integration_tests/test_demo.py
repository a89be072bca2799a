"""The demo is a real use of the package, so what it prints must be right."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from langchain_layered_memory.cli.demo import run_demo


def played() -> str:
    console = Console(file=io.StringIO(), width=110, force_terminal=False)
    run_demo(console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def output() -> str:
    return played()


def test_correction_supersedes_and_the_old_value_is_marked(output: str) -> None:
    assert "corrects The user can't stand aisle seats" in output
    assert "- Now: The user can't stand aisle seats (2026-03-12). Earlier, no longer so:" in output


def test_friends_diet_is_never_the_users(output: str) -> None:
    assert "The user's friend doesn't eat meat" in output
    assert "The user doesn't eat meat" not in output


def test_chinese_turn_is_remembered_and_recalled(output: str) -> None:
    assert output.count("用户对花生过敏") >= 3


def test_unrelated_question_recalls_nothing(output: str) -> None:
    assert "(empty: nothing that is known has to do with it)" in output


def test_sources_and_scores_are_shown(output: str) -> None:
    assert "monday/monday-3" in output
    assert "meaning=" in output


def test_dry_run_lists_what_the_run_then_forgets(output: str) -> None:
    dry, real = output.split("would be forgotten: 2")[1].split("forgotten: 2")
    for line in ("The user can't stand aisle seats", "The user loves steak"):
        assert line in dry
        assert line in real


def test_output_is_the_same_every_time(output: str) -> None:
    assert played() == output
