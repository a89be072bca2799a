"""The demo: two sessions on different days over one file, as a LangGraph graph. No model, no key.

The agent is a plain function that answers from what was recalled; everything else is the package
as users have it. Each day opens the file anew, so nothing but the file carries over. The clock is
set by hand and ids count up, so the output is the same every day.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
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
from rich.table import Table

from langchain_layered_memory.backends.sqlite.connections import parse_url
from langchain_layered_memory.cli import output
from langchain_layered_memory.errors import InvalidInputError
from langchain_layered_memory.memory import LayeredMemory
from langchain_layered_memory.nodes import MemoryState
from langchain_layered_memory.records import Memory, Scope

Graph = CompiledStateGraph[Any, Any, Any, Any]
Open = Callable[[], LayeredMemory]
USER = "ann@example.com"
MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
THURSDAY = datetime(2026, 3, 12, 17, 30, tzinfo=UTC)
A_YEAR_LATER = datetime(2027, 3, 1, 2, 0, tzinfo=UTC)
FIRST_SESSION = (
    "I prefer aisle seats.",
    "Please contact me by e-mail only, no calls.",
    "My friend doesn't eat meat but I love steak.",
    "我住在上海，我对花生过敏。",
)
CORRECTION = "Actually, I can't stand aisle seats now. I prefer window seats."
QUESTIONS = (
    "Which seat should you book for me?",
    "May I have steak, or do I not eat meat?",
    "我对什么过敏？",
    "What is the capital of Mongolia?",
)
_LABEL_WIDTH = 10


class Calendar:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the time, a moment later each time it is asked."""
        self.now += timedelta(milliseconds=1)
        return self.now


# ---------------------------------------------------------------- the graph


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
    """Stand in for a model: answer a question with what the block states, and nothing else."""
    if not str(state["messages"][-1].text).rstrip().endswith(("?", "？")):
        return {"messages": [AIMessage("Noted.")]}
    known = _statements(state.get("memory_context", ""))
    answer = f"I remember: {'; '.join(known)}." if known else "I do not know."
    return {"messages": [AIMessage(answer)]}


def _statements(block: str) -> list[str]:
    """Return the block's statements as they hold now, without dates, former values and turns."""
    lines = block.partition("Past events:")[0].splitlines()
    stated = (line.removeprefix("- ").removeprefix("Now: ") for line in lines if line[:2] == "- ")
    return [each.partition(" (")[0] for each in stated]


# ---------------------------------------------------------------- one session


@dataclass(frozen=True)
class Conversation:
    """One session: what the user says, what memory does about it, and what it recalls."""

    console: Console
    memory: LayeredMemory
    graph: Graph
    thread: str

    def say(self, text: str) -> None:
        """Say something, and print what memory made of it."""
        self._line("user", "bold cyan", text)
        before = {each.id: each for each in self._memories()}
        self._run(text)
        for each in self._memories():
            self._print_change(before.get(each.id), each)

    def ask(self, question: str) -> None:
        """Ask something, and print what was recalled, why, and the answer."""
        self.console.print()
        self._line("user", "bold cyan", question)
        # The graph keeps the block and its sources; asked directly, memory gives the reasons too.
        found = self.memory.recall(question, Scope(USER), explain=True)
        state = self._run(question)
        self._print_block(state["memory_context"])
        output.print_explanation(self.console, found)
        self._line("agent", "bold magenta", str(state["messages"][-1].text))

    def _run(self, text: str) -> dict[str, Any]:
        config: RunnableConfig = {"configurable": {"thread_id": self.thread, "user_id": USER}}
        said = self.graph.get_state(config).values.get("messages", ())
        message = HumanMessage(text, id=f"{self.thread}-{len(said) // 2 + 1}")
        result: dict[str, Any] = self.graph.invoke({"messages": [message]}, config)
        return result

    def _memories(self) -> tuple[Memory, ...]:
        return self.memory.memories(Scope(USER))

    def _print_change(self, before: Memory | None, after: Memory) -> None:
        if before is None:
            self._line("remembers", "green", f"{after.content}  ({after.kind})")
        elif before.version != after.version:
            self._line("corrects", "yellow", f"{before.content}  →  {after.content}")

    def _print_block(self, block: str) -> None:
        text = block or "(empty: nothing that is known has to do with it)"
        title = "recalled for the prompt"
        self.console.print(Panel(output.shown(text), title=title, title_align="left"))

    def _line(self, label: str, style: str, text: str) -> None:
        line = Table.grid(padding=(0, 1))
        line.add_column(width=_LABEL_WIDTH, style=style, justify="right")
        line.add_column()
        line.add_row(label, output.shown(text))
        self.console.print(line)


# ---------------------------------------------------------------- the story


def run_demo(console: Console, url: str | None = None) -> None:
    """Play both sessions, ask, look into the history, and forget.

    Args:
        console: Where it is printed.
        url: The database to leave behind; by default a temporary one.

    Raises:
        InvalidInputError: If there is such a database already.
    """
    numbers = count(1)
    calendar = Calendar(MONDAY)
    with _database(url) as where:
        reopen = partial(
            LayeredMemory.open, where, clock=calendar, new_id=lambda: f"m{next(numbers):03d}"
        )
        _first_session(console, reopen)
        calendar.now = THURSDAY
        _second_session(console, reopen)
        calendar.now = A_YEAR_LATER
        _forget(console, reopen)


@contextmanager
def _database(url: str | None) -> Iterator[str]:
    if url is None:
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{Path(folder) / 'demo.db'}"
        return
    if url.startswith("sqlite:") and Path(parse_url(url)[0]).exists():
        raise InvalidInputError(f"{url} is there already; the demo wants a file of its own")
    yield url


def _first_session(console: Console, reopen: Open) -> None:
    _heading(console, MONDAY, "the first session")
    with reopen() as memory:
        talk = Conversation(console, memory, build_graph(memory), "monday")
        for text in FIRST_SESSION:
            talk.say(text)


def _second_session(console: Console, reopen: Open) -> None:
    _heading(console, THURSDAY, "another session, the file opened anew")
    with reopen() as memory:
        talk = Conversation(console, memory, build_graph(memory), "thursday")
        talk.say(CORRECTION)
        for question in QUESTIONS:
            talk.ask(question)
        _look_back(console, memory)


def _look_back(console: Console, memory: LayeredMemory) -> None:
    _heading(console, THURSDAY, "what the corrected preference was before")
    histories = (memory.history(each.id) for each in memory.memories(Scope(USER)))
    output.print_history(console, next(each for each in histories if len(each) > 1))


def _forget(console: Console, reopen: Open) -> None:
    _heading(console, A_YEAR_LATER, "forget, first as a dry run")
    with reopen() as memory:
        output.print_forgotten(console, memory.forget(dry_run=True))
        output.print_forgotten(console, memory.forget())
        console.print()
        left = memory.memories(Scope(USER), statuses=("active", "archived"))
    output.print_memories(console, left)


def _heading(console: Console, day: datetime, text: str) -> None:
    console.print()
    title = f"[bold]{day:%A}, {day.day} {day:%B %Y}[/]: {text}"
    console.rule(title, align="left", characters="─")
