"""The nodes in real graphs: every face, every way to name the user, once only come what may."""

from __future__ import annotations

import itertools
import logging
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from helpers import (
    ANN,
    FailingEmbeddings,
    NamedEmbeddings,
    contents,
    dump,
    only,
    open_memory,
    said,
    scripted,
)
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, RetryPolicy, interrupt

from langchain_layered_memory import LayeredMemory, MemoryState, Scope
from langchain_layered_memory.errors import ScopeError
from langchain_layered_memory.fence import CLOSE, OPEN

AS_ANN = {"configurable": {"user_id": "ann", "thread_id": "monday"}}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[LayeredMemory]:
    with open_memory(tmp_path, embeddings=NamedEmbeddings("tiny")) as memory:
        yield memory


def reply(state: MemoryState) -> dict[str, Any]:
    """Answer without a word that a rule understands."""
    return {"messages": [AIMessage(f"Reply {len(state['messages'])}.")]}


def chain(*nodes: tuple[str, Any], state: Any = MemoryState, **options: Any) -> StateGraph[Any]:
    """Return a graph of nodes one after the other."""
    builder = StateGraph(state, **options)
    places = [START, *(name for name, _ in nodes), END]
    for name, node in nodes:
        builder.add_node(name, node)
    for before, after in itertools.pairwise(places):
        builder.add_edge(before, after)
    return builder


def cycle(memory: LayeredMemory, **options: Any) -> StateGraph[Any]:
    """Return the usual graph: recall, answer, remember."""
    return chain(
        ("recall", memory.recall_node()),
        ("agent", reply),
        ("remember", memory.remember_node()),
        **options,
    )


def as_ann(checkpoint: RunnableConfig) -> RunnableConfig:
    """Name the user beside the place of a checkpoint, which names the thread alone."""
    return {"configurable": {**checkpoint["configurable"], "user_id": "ann"}}


def turns(memory: LayeredMemory, scope: Scope = ANN) -> list[str]:
    return [str(each.content) for each in memory.chat_history(scope, max_messages=1000).messages]


class TestFaces:
    def test_invoke(self, memory: LayeredMemory) -> None:
        graph = cycle(memory).compile()
        graph.invoke({"messages": [("user", "I'm allergic to peanuts.")]}, AS_ANN)
        state = graph.invoke({"messages": [("user", "What am I allergic to?")]}, AS_ANN)
        self.check(memory, state)

    async def test_ainvoke(self, memory: LayeredMemory) -> None:
        graph = cycle(memory).compile()
        await graph.ainvoke({"messages": [("user", "I'm allergic to peanuts.")]}, AS_ANN)
        state = await graph.ainvoke({"messages": [("user", "What am I allergic to?")]}, AS_ANN)
        self.check(memory, state)

    def test_stream(self, memory: LayeredMemory) -> None:
        graph = cycle(memory).compile()
        graph.invoke({"messages": [("user", "I'm allergic to peanuts.")]}, AS_ANN)
        question = {"messages": [("user", "What am I allergic to?")]}
        self.check(memory, list(graph.stream(question, AS_ANN, stream_mode="values"))[-1])
        updates = list(graph.stream(question, AS_ANN, stream_mode="updates"))
        assert [name for update in updates for name in update] == ["recall", "agent", "remember"]
        assert set(updates[0]["recall"]) == {"memory_context", "recalled"}

    async def test_astream(self, memory: LayeredMemory) -> None:
        graph = cycle(memory).compile()
        await graph.ainvoke({"messages": [("user", "I'm allergic to peanuts.")]}, AS_ANN)
        question = {"messages": [("user", "What am I allergic to?")]}
        states = [s async for s in graph.astream(question, AS_ANN, stream_mode="values")]
        self.check(memory, states[-1])

    def test_in_a_subgraph(self, memory: LayeredMemory) -> None:
        inner = cycle(memory).compile()
        graph = chain(("inner", inner)).compile()
        graph.invoke({"messages": [("user", "I'm allergic to peanuts.")]}, AS_ANN)
        state = graph.invoke({"messages": [("user", "What am I allergic to?")]}, AS_ANN)
        self.check(memory, state)

    async def test_in_a_subgraph_with_context(self, memory: LayeredMemory) -> None:
        inner = cycle(memory, context_schema=Scope).compile()
        graph = chain(("inner", inner), context_schema=Scope).compile(checkpointer=InMemorySaver())
        for thread, text in (("1", "I'm allergic to peanuts."), ("2", "What am I allergic to?")):
            config = {"configurable": {"thread_id": thread}}
            state = await graph.ainvoke({"messages": [("user", text)]}, config, context=ANN)
        self.check(memory, state)

    @staticmethod
    def check(memory: LayeredMemory, state: dict[str, Any]) -> None:
        assert "peanuts" in state["memory_context"]
        assert state["memory_context"].startswith(OPEN)
        (best, *_) = state["recalled"]
        assert {"id", "score", "sources"} <= set(best)
        assert best["sources"][0]["session_id"] == "monday"
        for message in state["messages"]:
            assert OPEN not in message.content
            assert "peanuts" not in message.content
        assert contents(memory) == ["The user is allergic to peanuts"]
        assert memory.stats()["vectors"] == memory.stats()["episodes"] + 1


@dataclass
class Context:
    user_id: str
    tenant_id: str = "default"
    unrelated: int = 0


class DictContext(TypedDict):
    user_id: str
    tenant_id: str


class TestWhoseMemory:
    @pytest.mark.parametrize(
        ("schema", "context"),
        [
            (Scope, Scope("ann", "acme", "s9")),
            (Context, Context("ann", "acme")),
            (DictContext, {"user_id": "ann", "tenant_id": "acme"}),
        ],
        ids=["scope", "dataclass", "dict"],
    )
    def test_context(self, memory: LayeredMemory, schema: Any, context: Any) -> None:
        graph = cycle(memory, context_schema=schema).compile()
        graph.invoke({"messages": [("user", "I like tea.")]}, context=context)
        assert contents(memory, Scope("ann", "acme")) == ["The user likes tea"]
        assert memory.stats()["users"] == 1

    def test_context_comes_before_configurable(self, memory: LayeredMemory) -> None:
        graph = cycle(memory, context_schema=Context).compile()
        graph.invoke({"messages": [("user", "I like tea.")]}, AS_ANN, context=Context("carol"))
        assert contents(memory, Scope("carol")) == ["The user likes tea"]
        assert contents(memory) == []

    def test_the_thread_is_the_session(self, memory: LayeredMemory) -> None:
        config = {"configurable": {"user_id": 7, "thread_id": 42, "tenant_id": "acme"}}
        graph = cycle(memory).compile(checkpointer=InMemorySaver())
        graph.invoke({"messages": [("user", "I like tea.")]}, config)
        (source,) = only(memory, Scope(7, "acme")).sources
        assert source.session_id == "42"

    def test_a_callable_of_the_user(self, memory: LayeredMemory) -> None:
        class State(MemoryState):
            owner: str

        def scope(state: Any, _: Any) -> Scope:
            return Scope(state["owner"], session_id="monday")

        nodes = (
            ("recall", memory.recall_node(scope=scope)),
            ("write", memory.write_node(scope=scope)),
        )
        graph = chain(*nodes, state=State).compile()
        graph.invoke({"messages": [("user", "I like tea.")], "owner": "ann"})
        assert contents(memory) == ["The user likes tea"]

    def test_without_a_user_the_graph_says_what_to_do(
        self, memory: LayeredMemory, tmp_path: Path
    ) -> None:
        before = dump(tmp_path / "memory.db")
        for node in (memory.recall_node(), memory.write_node(), memory.remember_node()):
            graph = chain(("node", node)).compile(checkpointer=InMemorySaver())
            with pytest.raises(ScopeError, match="user_id"):
                graph.invoke(
                    {"messages": [("user", "I like tea.")]}, {"configurable": {"thread_id": "1"}}
                )
        assert dump(tmp_path / "memory.db") == before

    async def test_without_a_user_awaited(self, memory: LayeredMemory) -> None:
        graph = cycle(memory).compile()
        with pytest.raises(ScopeError, match="user_id"):
            await graph.ainvoke({"messages": [("user", "I like tea.")]})

    @pytest.mark.parametrize("user", ["", "  ", True, 1.5, ["ann"]])
    def test_a_user_id_that_names_nobody_is_refused(self, memory: LayeredMemory, user: Any) -> None:
        graph = cycle(memory).compile()
        with pytest.raises(ScopeError, match="user_id"):
            graph.invoke({"messages": [("user", "hi")]}, {"configurable": {"user_id": user}})


class TestOnceOnly:
    """Each message is stored once under interrupts, retries, replays and forks."""

    def test_a_long_conversation(self, memory: LayeredMemory) -> None:
        graph = cycle(memory).compile(checkpointer=InMemorySaver())
        for number in range(10):
            graph.invoke({"messages": [("user", f"I like thing{number}.")]}, AS_ANN)
        assert len(turns(memory)) == 20
        assert [each.evidence_count for each in memory.memories(ANN)] == [1] * 10

    def test_an_interrupt_and_its_resume(self, memory: LayeredMemory) -> None:
        def approve(_: MemoryState) -> dict[str, Any]:
            return {"messages": [AIMessage(f"You said: {interrupt('Go on?')}", id="approved")]}

        graph = chain(
            ("before", memory.write_node()),
            ("approve", approve),
            ("after", memory.remember_node()),
        ).compile(checkpointer=InMemorySaver())
        stopped = graph.invoke({"messages": [("user", "I like tea.")]}, AS_ANN)
        assert "__interrupt__" in stopped
        assert turns(memory) == ["I like tea."]
        graph.invoke(Command(resume="yes"), AS_ANN)
        assert turns(memory) == ["I like tea.", "You said: yes"]
        assert only(memory).evidence_count == 1

    def test_an_interrupt_inside_the_node_that_writes(self, memory: LayeredMemory) -> None:
        write = memory.write_node()

        def write_and_ask(state: MemoryState, config: RunnableConfig) -> dict[str, Any]:
            write.invoke(state, config)
            return {"messages": [HumanMessage(interrupt("Really?"), id="answer")]}

        graph = chain(("ask", write_and_ask), ("write", write))
        compiled = graph.compile(checkpointer=InMemorySaver())
        compiled.invoke({"messages": [("user", "I like tea.")]}, AS_ANN)
        compiled.invoke(Command(resume="Certainly so."), AS_ANN)
        assert turns(memory) == ["I like tea.", "Certainly so."]
        assert only(memory).evidence_count == 1

    async def test_a_node_that_is_retried_after_writing(self, memory: LayeredMemory) -> None:
        write, failures = memory.write_node(), iter([True, True, False])

        async def flaky(state: MemoryState, config: RunnableConfig) -> dict[str, Any]:
            await write.ainvoke(state, config)
            if next(failures):
                raise ConnectionError("something behind the write failed")
            return {}

        builder = StateGraph(MemoryState)
        policy = RetryPolicy(initial_interval=0.001, max_attempts=5, jitter=False)
        builder.add_node("flaky", flaky, retry_policy=policy)
        builder.add_edge(START, "flaky")
        await builder.compile().ainvoke({"messages": [said("I like tea.", "m1")]}, AS_ANN)
        assert turns(memory) == ["I like tea."]
        assert only(memory).evidence_count == 1

    def test_a_replay_from_an_old_checkpoint(self, memory: LayeredMemory) -> None:
        graph = chain(("write", memory.write_node()), ("recall", memory.recall_node())).compile(
            checkpointer=InMemorySaver()
        )
        graph.invoke({"messages": [said("I like tea.", "m1")]}, AS_ANN)
        graph.invoke({"messages": [said("I live in Oslo.", "m2")]}, AS_ANN)
        for snapshot in list(graph.get_state_history(AS_ANN)):
            if snapshot.next:
                graph.invoke(None, as_ann(snapshot.config))
        assert turns(memory) == ["I like tea.", "I live in Oslo."]
        assert [each.evidence_count for each in memory.memories(ANN)] == [1, 1]

    def test_a_fork_by_a_changed_state(self, memory: LayeredMemory) -> None:
        graph = cycle(memory).compile(checkpointer=InMemorySaver())
        graph.invoke({"messages": [("user", "I like tea.")]}, AS_ANN)
        old = graph.get_state(AS_ANN).config
        graph.invoke({"messages": [("user", "I live in Oslo.")]}, AS_ANN)
        fork = graph.update_state(old, {"messages": [said("I work at Lumen.", "forked")]})
        graph.invoke({"messages": []}, as_ann(fork))
        said_by_user = [text for text in turns(memory) if text.startswith("I ")]
        assert said_by_user == ["I like tea.", "I live in Oslo.", "I work at Lumen."]
        assert [each.evidence_count for each in memory.memories(ANN)] == [1, 1, 1]

    def test_many_writes_within_one_turn(self, memory: LayeredMemory) -> None:
        nodes = [(f"write{number}", memory.write_node()) for number in range(5)]
        chain(*nodes).compile().invoke({"messages": [("user", "I like tea.")]}, AS_ANN)
        assert turns(memory) == ["I like tea."]


class TestBrokenStore:
    """The turn goes on with an empty block, and a log line says why."""

    def test_a_closed_memory(self, memory: LayeredMemory, caplog: pytest.LogCaptureFixture) -> None:
        graph = cycle(memory).compile()
        memory.close()
        state = graph.invoke({"messages": [("user", "I like tea.")]}, AS_ANN)
        self.check(state, caplog)

    async def test_a_closed_memory_awaited(
        self, memory: LayeredMemory, caplog: pytest.LogCaptureFixture
    ) -> None:
        graph = cycle(memory).compile()
        memory.close()
        self.check(await graph.ainvoke({"messages": [("user", "I like tea.")]}, AS_ANN), caplog)

    def test_a_file_of_garbage(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        with open_memory(tmp_path) as memory:
            memory.write([said("I like tea.", "m1")], ANN)
        (tmp_path / "memory.db").write_bytes(b"no database at all" * 1000)
        memory = open_memory(tmp_path, model=scripted('{"ops": []}'))  # opens when it is used
        self.check(
            cycle(memory).compile().invoke({"messages": [("user", "Which tea?")]}, AS_ANN), caplog
        )

    def test_a_backend_that_raises(
        self,
        memory: LayeredMemory,
        caplog: pytest.LogCaptureFixture,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        from langchain_layered_memory.backends.sqlite import SqliteBackend

        def broken(*_: object) -> None:
            raise OSError("the disk is gone")

        monkeypatch.setattr(SqliteBackend, "execute", broken)
        graph = cycle(memory).compile()
        self.check(graph.invoke({"messages": [("user", "I like tea.")]}, AS_ANN), caplog)
        monkeypatch.undo()
        assert graph.invoke({"messages": [("user", "I like tea.")]}, AS_ANN)["memory_context"] == ""
        assert contents(memory) == ["The user likes tea"]

    def test_a_turn_that_was_missed_is_written_with_the_next(
        self, memory: LayeredMemory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from langchain_layered_memory.backends.sqlite import SqliteBackend

        def broken(*_: object) -> None:
            raise OSError("the disk is gone")

        graph = cycle(memory).compile(checkpointer=InMemorySaver())
        monkeypatch.setattr(SqliteBackend, "execute", broken)
        graph.invoke({"messages": [("user", "I like tea.")]}, AS_ANN)
        monkeypatch.undo()
        graph.invoke({"messages": [("user", "I live in Oslo.")]}, AS_ANN)
        assert sorted(contents(memory)) == ["The user likes tea", "The user lives in Oslo"]

    def test_failing_models_break_no_turn(self, tmp_path: Path) -> None:
        models = {"model": scripted(OSError("down")), "embeddings": FailingEmbeddings()}
        with open_memory(tmp_path, **models) as memory:
            graph = cycle(memory).compile()
            state = graph.invoke({"messages": [("user", "I like tea.")]}, AS_ANN)
            assert len(state["messages"]) == 2
            assert memory.stats()["jobs waiting"] == 1

    @pytest.mark.parametrize("text", ["I like tea \ud83d.", "I like tea \x00.", "\ud83d", ""])
    def test_a_message_that_no_database_holds_breaks_no_turn(
        self, memory: LayeredMemory, text: str
    ) -> None:
        state = cycle(memory).compile().invoke({"messages": [HumanMessage(text)]}, AS_ANN)
        assert len(state["messages"]) == 2

    @staticmethod
    def check(state: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
        assert (state["memory_context"], state["recalled"]) == ("", [])
        assert state["messages"][-1].content == "Reply 1."
        failed = [r for r in caplog.records if r.levelno >= logging.ERROR]
        assert {r.name for r in failed} == {"langchain_layered_memory"}
        assert any("recall" in r.getMessage() for r in failed)
        assert any("remember" in r.getMessage() for r in failed)


class OtherKeys(TypedDict, total=False):
    chat: Annotated[list[AnyMessage], add_messages]
    block: str
    found: list[dict[str, Any]]


class Extended(MemoryState, total=False):
    steps: Annotated[list[str], operator.add]


class TestState:
    def test_keys_may_have_other_names(self, memory: LayeredMemory) -> None:
        recall = memory.recall_node(messages_key="chat", context_key="block", recalled_key="found")
        remember = memory.remember_node(messages_key="chat")
        graph = chain(("recall", recall), ("remember", remember), state=OtherKeys).compile()
        graph.invoke({"chat": [("user", "I'm allergic to peanuts.")]}, AS_ANN)
        state = graph.invoke({"chat": [("user", "What am I allergic to?")]}, AS_ANN)
        assert set(state) == {"chat", "block", "found"}
        assert "peanuts" in state["block"]
        assert state["found"]

    def test_the_state_may_be_inherited(self, memory: LayeredMemory) -> None:
        def step(_: Extended) -> dict[str, Any]:
            return {"steps": ["one"]}

        nodes = ("recall", memory.recall_node()), ("step", step), ("write", memory.write_node())
        graph = chain(*nodes, state=Extended).compile()
        state = graph.invoke({"messages": [("user", "I like tea.")], "steps": ["zero"]}, AS_ANN)
        assert state["steps"] == ["zero", "one"]
        assert state["memory_context"] == ""
        assert contents(memory) == ["The user likes tea"]

    def test_a_state_without_messages(self, memory: LayeredMemory) -> None:
        state = cycle(memory).compile().invoke({"messages": []}, AS_ANN)
        assert (state["memory_context"], turns(memory)) == ("", ["Reply 0."])

    def test_the_question_is_what_the_user_said_last(self, memory: LayeredMemory) -> None:
        memory.write([said("I like green tea.", "m1"), said("I live in Oslo.", "m2")], ANN)
        messages = [
            ("user", "Is Oslo where I live?"),
            ("ai", "Yes."),
            ("user", [{"type": "text", "text": "Which tea do I like?"}]),
            ("ai", "Let me see about Oslo."),
        ]
        graph = chain(("recall", memory.recall_node())).compile()
        state = graph.invoke({"messages": messages}, AS_ANN)
        assert "green tea" in state["memory_context"]
        assert "Oslo" not in state["memory_context"]

    def test_a_stale_block_is_replaced(self, memory: LayeredMemory) -> None:
        memory.write([said("I like green tea.", "m1")], ANN)
        graph = chain(("recall", memory.recall_node())).compile(checkpointer=InMemorySaver())
        assert graph.invoke({"messages": [("user", "Which tea?")]}, AS_ANN)["memory_context"]
        state = graph.invoke({"messages": [("user", "Patch my bicycle tyre!")]}, AS_ANN)
        assert (state["memory_context"], state["recalled"]) == ("", [])

    def test_a_block_that_came_back_in_a_message_is_not_stored(self, memory: LayeredMemory) -> None:
        block = f"{OPEN}\n- The user likes durian\n{CLOSE}"
        graph = chain(("remember", memory.remember_node())).compile()
        graph.invoke({"messages": [said(f"{block}\nI like tea.", "m1")]}, AS_ANN)
        assert contents(memory) == ["The user likes tea"]
        assert turns(memory)[0].strip() == "I like tea."

    def test_index_and_forget_nodes(self, memory: LayeredMemory) -> None:
        memory.write([said("I like tea.", "m1")], ANN)
        nodes = ("index", memory.index_node()), ("forget", memory.forget_node(dry_run=True))
        state = chain(*nodes).compile().invoke({"messages": [("user", "hi")]})
        assert len(state["messages"]) == 1
        assert memory.stats()["vectors"] == 2
