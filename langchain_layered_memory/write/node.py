"""The write node: stores the new messages of the state and works out what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_layered_memory.nodes import ScopeSource, State, make_node
from langchain_layered_memory.records import Scope
from langchain_layered_memory.steps import Driver, Steps
from langchain_layered_memory.write.step import WriteResult

WriteMessages = Callable[[Sequence[BaseMessage], Scope], Steps[WriteResult]]


def make_write_node(
    driver: Driver,
    write: WriteMessages,
    *,
    scope: ScopeSource,
    messages_key: str = "messages",
    name: str = "write_memory",
) -> Runnable[Any, dict[str, Any]]:
    """Return the node; it changes nothing in the state, and a failure leaves the turn for later."""

    def prepare(state: State, config: RunnableConfig) -> Steps[WriteResult]:
        return write(state.get(messages_key) or [], scope(state, config))

    return make_node(name, driver, prepare, lambda _: {}, dict)
