"""The demo is a real use of the package, so what it prints must be right."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from langchain_layered_memory import LayeredMemory, Scope
from langchain_layered_memory.cli.demo import (
    CORRECTION,
    QUESTIONS,
    USER,
    Conversation,
    build_graph,
    run_demo,
)

SEAT, STEAK, ALLERGY, MONGOLIA = QUESTIONS
WIDTH = 100


def played(url: str | None = None) -> str:
    console = Console(file=io.StringIO(), width=WIDTH, force_terminal=False)
    run_demo(console, url)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What the demo printed, and the file that it left."""
    url = f"sqlite:///{tmp_path_factory.mktemp('demo') / 'demo.db'}"
    return played(url), url


@pytest.fixture(scope="module")
def output(kept: tuple[str, str]) -> str:
    return kept[0]


@pytest.fixture(scope="module")
def left_behind(kept: tuple[str, str]) -> Iterator[LayeredMemory]:
    with LayeredMemory.open(kept[1]) as memory:
        yield memory


def answer_to(question: str, output: str) -> str:
    """What the demo prints from a question to the agent's answer."""
    rest = output.split(f"user {question}")[1]
    asked, _, answer = rest.partition("agent ")
    return asked + answer.partition("\n")[0]


def test_correction_supersedes_and_the_old_value_is_marked(output: str) -> None:
    changes = output.split(CORRECTION)[1].split(SEAT)[0]
    assert "corrects The user prefers aisle seats  →  The user can't stand aisle seats" in changes
    assert "remembers The user prefers window seats" in changes
    recalled = answer_to(SEAT, output)
    assert (
        "- Now: The user can't stand aisle seats (2026-03-12). Earlier, no longer so:" in recalled
    )
    assert "I prefer aisle seats. (has changed since)" in recalled


def test_agent_answers_from_what_holds_now(output: str) -> None:
    answer = answer_to(SEAT, output).rpartition("I remember: ")[2]
    assert answer == "The user can't stand aisle seats; The user prefers window seats."


def test_history_has_both_values_with_their_times(output: str) -> None:
    history = output.split("history\n")[1].split("Monday, 1 March 2027")[0]
    assert "2026-03-02 09:00  2026-03-12 17:30  The user prefers aisle seats" in history
    assert "2026-03-12 17:30  now               The user can't stand aisle seats" in history


def test_friends_diet_is_never_the_users(output: str, left_behind: LayeredMemory) -> None:
    assert "The user's friend doesn't eat meat" in answer_to(STEAK, output)
    assert "The user doesn't eat meat" not in output
    diets = [each for each in left_behind.memories(Scope(USER)) if "eat meat" in each.content]
    assert [each.subject for each in diets] == ["friend"]


def test_chinese_turn_is_remembered_and_recalled(output: str) -> None:
    assert "remembers 用户对花生过敏" in output
    assert answer_to(ALLERGY, output).endswith("I remember: 用户对花生过敏.")


def test_unrelated_question_recalls_nothing(output: str) -> None:
    recalled = answer_to(MONGOLIA, output)
    assert "(empty: nothing that is known has to do with it)" in recalled
    assert recalled.endswith("I do not know.")


def test_sources_and_scores_are_shown(output: str) -> None:
    for question, source in ((SEAT, "thursday/thursday-1"), (STEAK, "monday/monday-3")):
        assert source in answer_to(question, output)
        assert "meaning=" in answer_to(question, output)


def test_dry_run_lists_what_the_run_then_forgets(output: str, left_behind: LayeredMemory) -> None:
    dry = output.split("would be forgotten\n")[1].split("would be forgotten: 3 archived")[0]
    assert "\nforgotten: 3 archived" in output
    archived = left_behind.memories(Scope(USER), statuses=["archived"])
    assert len(archived) == 3
    assert all(each.id in dry and each.content in dry for each in archived)


def test_constraints_outlive_the_forget_run(left_behind: LayeredMemory) -> None:
    kinds = {each.kind for each in left_behind.memories(Scope(USER))}
    assert kinds == {"constraint", "identity"}


def test_graph_recalls_the_very_records_that_are_explained(memory_url: str) -> None:
    with LayeredMemory.open(memory_url) as memory:
        graph = build_graph(memory)
        talk = Conversation(Console(file=io.StringIO()), memory, graph, "one")
        talk.say("I prefer aisle seats.")
        found = memory.recall(SEAT, Scope(USER))
        talk.ask(SEAT)
        state = graph.get_state({"configurable": {"thread_id": "one"}}).values
    assert [each["id"] for each in state["recalled"]] == [each.record.id for each in found.items]
    assert state["memory_context"] == found.text


def test_no_line_is_wider_than_the_terminal(output: str) -> None:
    wide = Console(width=WIDTH)
    assert all(wide.measure(line).maximum <= WIDTH for line in output.splitlines())


def test_output_is_the_same_every_time(output: str, tmp_path: Path) -> None:
    assert played() == output == played(f"sqlite:///{tmp_path / 'again.db'}")
