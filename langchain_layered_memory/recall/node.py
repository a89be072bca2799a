"""The recall node: asks memory what the last user message is about, and writes the block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_layered_memory.nodes import ScopeSource, State, make_node
from langchain_layered_memory.recall.result import Recall
from langchain_layered_memory.records import Scope
from langchain_layered_memory.steps import Driver, Steps

AskMemory = Callable[[str, Scope], Steps[Recall]]


def make_recall_node(
    driver: Driver,
    recall: AskMemory,
    *,
    scope: ScopeSource,
    messages_key: str = "messages",
    context_key: str = "memory_context",
    recalled_key: str = "recalled",
    name: str = "recall_memory",
) -> Runnable[Any, dict[str, Any]]:
    """Return the node; it writes the block and its items, never into the messages."""

    def prepare(state: State, config: RunnableConfig) -> Steps[Recall]:
        return recall(_question(state.get(messages_key) or []), scope(state, config))

    def update(found: Recall) -> dict[str, Any]:
        return {context_key: found.text, recalled_key: [item.as_dict() for item in found.items]}

    return make_node(name, driver, prepare, update, lambda: update(Recall()))


def _question(messages: Sequence[BaseMessage]) -> str:
    last = next((m for m in reversed(messages) if isinstance(m, HumanMessage)), None)
    return "" if last is None else str(last.text)
