"""The demo: two sessions on different days over one file, as a LangGraph graph. No model, no key.

The agent is a plain function that answers from what was recalled; everything else is the package
as users have it. The clock is set by hand, so the output is the same every day.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from rich.console import Console
from rich.panel import Panel

from langchain_layered_memory.cli import output
from langchain_layered_memory.memory import LayeredMemory
from langchain_layered_memory.nodes import MemoryState
from langchain_layered_memory.records import Scope

Graph = CompiledStateGraph[Any, Any, Any, Any]
USER = "ann@example.com"
MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
THURSDAY = datetime(2026, 3, 12, 17, 30, tzinfo=UTC)
NEXT_YEAR = datetime(2027, 3, 1, 2, 0, tzinfo=UTC)
FIRST_SESSION = (
    "I prefer aisle seats.",
    "Please contact me by e-mail only, no calls.",
    "My friend doesn't eat meat but I love steak.",
    "我住在上海，我对花生过敏。",
)
SECOND_SESSION = ("Actually, I can't stand aisle seats now.",)
QUESTIONS = (
    "Which seat should you book for me?",
    "May I have steak, or do I not eat meat?",
    "我对什么过敏？",
    "What is the capital of Mongolia?",
)


class Calendar:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the time, a moment later each time it is asked."""
        self.now += timedelta(milliseconds=1)
        return self.now


def build_graph(memory: LayeredMemory) -> Graph:
    """Return recall → agent → remember, with a checkpointer and the store."""
    builder = StateGraph(MemoryState)
    builder.add_node("recall", memory.recall_node())
    builder.add_node("agent", _agent)
    builder.add_node("remember", memory.remember_node())
    builder.add_edge(START, "recall")
    builder.add_edge("recall", "agent")
    builder.add_edge("agent", "remember")
    builder.add_edge("remember", END)
    return builder.compile(checkpointer=InMemorySaver(), store=memory.store)


def _agent(state: MemoryState) -> dict[str, Any]:
    """Stand in for a model: say whether something is known; the block is what a model would get."""
    known = "Here is what I remember." if state.get("memory_context") else "Noted."
    return {"messages": [AIMessage(known)]}


def run_demo(console: Console, url: str | None = None) -> None:
    """Play both sessions, ask, look into the history, and forget."""
    numbers = count(1)
    calendar = Calendar(MONDAY)
    with (
        _database(url) as where,
        LayeredMemory.open(where, clock=calendar, new_id=lambda: f"m{next(numbers):03d}") as memory,
    ):
        graph = build_graph(memory)
        _session(console, graph, memory, "monday", FIRST_SESSION, calendar)
        calendar.now = THURSDAY
        _session(console, graph, memory, "thursday", SECOND_SESSION, calendar)
        for question in QUESTIONS:
            _ask(console, graph, memory, question)
        _look_back(console, memory)
        _forget(console, memory, calendar)


@contextmanager
def _database(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{Path(folder) / 'demo.db'}"


def _run(graph: Graph, thread: str, text: str) -> dict[str, Any]:
    config: RunnableConfig = {"configurable": {"thread_id": thread, "user_id": USER}}
    asked = graph.get_state(config).values.get("messages", ())
    message = HumanMessage(text, id=f"{thread}-{len(asked) // 2 + 1}")
    result: dict[str, Any] = graph.invoke({"messages": [message]}, config)
    return result


def _session(
    console: Console,
    graph: Graph,
    memory: LayeredMemory,
    thread: str,
    said: tuple[str, ...],
    calendar: Calendar,
) -> None:
    console.rule(f"[bold]{thread}, {calendar.now:%d %B %Y}")
    for text in said:
        before = {each.id: each.version for each in memory.memories(Scope(USER))}
        console.print(f"[bold cyan]user[/] {output.plain(text)}")
        _run(graph, thread, text)
        for each in memory.memories(Scope(USER)):
            if before.get(each.id) != each.version:
                verb = "corrects" if each.id in before else "remembers"
                console.print(f"  [green]{verb}[/] {output.plain(each.content)}  ({each.kind})")


def _ask(console: Console, graph: Graph, memory: LayeredMemory, question: str) -> None:
    console.print()
    console.print(f"[bold cyan]user[/] {output.plain(question)}")
    found = memory.recall(question, Scope(USER))
    result = _run(graph, "thursday", question)
    block = result["memory_context"] or "(empty: nothing that is known has to do with it)"
    console.print(Panel(output.plain(block), title="recalled for the prompt", title_align="left"))
    if found.items:
        output.print_explanation(console, found)


def _look_back(console: Console, memory: LayeredMemory) -> None:
    console.rule("[bold]what was said before it was corrected")
    corrected = next(m for m in memory.memories(Scope(USER)) if len(memory.history(m.id)) > 1)
    output.print_history(console, memory.history(corrected.id))


def _forget(console: Console, memory: LayeredMemory, calendar: Calendar) -> None:
    console.rule(f"[bold]a year later, {NEXT_YEAR:%d %B %Y}: forget")
    calendar.now = NEXT_YEAR
    output.print_forgotten(console, memory.forget(dry_run=True))
    output.print_forgotten(console, memory.forget())
    output.print_memories(console, memory.memories(Scope(USER)))
