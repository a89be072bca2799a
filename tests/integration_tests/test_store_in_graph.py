"""`LayeredStore` as a graph's store: with and without a `with` block, sync and async."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore

from langchain_layered_memory import LayeredMemory, LayeredStore, Scope

ASK = {"messages": [("user", "hello")]}


def graph(store: BaseStore) -> CompiledStateGraph[Any, Any, Any, Any]:
    def count(state: MessagesState, *, store: BaseStore) -> dict[str, Any]:
        item = store.get(("counts", "ann"), "visits")
        visits = (item.value["visits"] if item else 0) + 1
        store.put(("counts", "ann"), "visits", {"visits": visits})
        return {"messages": [("ai", str(visits))]}

    builder = StateGraph(MessagesState)
    builder.add_node("count", count)
    builder.add_edge(START, "count")
    builder.add_edge("count", END)
    return builder.compile(store=store)


def test_a_store_works_without_a_with_block(memory_url: str) -> None:
    compiled = graph(LayeredStore.from_conn_string(memory_url))
    assert compiled.invoke(ASK)["messages"][-1].content == "1"
    assert compiled.invoke(ASK)["messages"][-1].content == "2"


def test_sync_nodes_of_an_async_run_use_it_too(memory_url: str) -> None:
    compiled = graph(LayeredStore.from_conn_string(memory_url))
    assert asyncio.run(compiled.ainvoke(ASK))["messages"][-1].content == "1"


def test_what_one_graph_stored_another_process_finds(memory_url: str) -> None:
    with LayeredStore.from_conn_string(memory_url) as store:
        graph(store).invoke(ASK)
    with LayeredStore.from_conn_string(memory_url) as store:
        assert graph(store).invoke(ASK)["messages"][-1].content == "2"


def test_a_record_of_a_kind_that_is_no_longer_known_is_left_alone(
    memory_url: str, tmp_path: Path
) -> None:
    ann = Scope("ann")
    with LayeredMemory.open(memory_url) as memory:
        memory.write([("user", "I like tea.")], ann)
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        connection.execute("UPDATE memories SET kind = 'superstition'")
    with LayeredMemory.open(memory_url) as memory:
        memory.write([("user", "I live in Oslo.")], ann)
        assert "The user likes tea" in memory.recall("Which tea?", ann).text
        kinds = {each.content: each.kind for each in memory.memories(ann)}
    assert kinds == {"The user likes tea": "superstition", "The user lives in Oslo": "identity"}
