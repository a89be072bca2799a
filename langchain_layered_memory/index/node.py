"""The index node: embeds what the write node stored, in the same graph or in one of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig

from langchain_layered_memory.index.step import IndexResult
from langchain_layered_memory.nodes import State, make_node
from langchain_layered_memory.steps import Driver, Steps


def make_index_node(
    driver: Driver, index: Callable[[], Steps[IndexResult]], *, name: str = "index_memory"
) -> Runnable[Any, dict[str, Any]]:
    """Return the node; it changes nothing in the state, and what fails is embedded next time."""

    def prepare(_: State, __: RunnableConfig) -> Steps[IndexResult]:
        return index()

    return make_node(name, driver, prepare, lambda _: {}, dict)
