"""The forget node: for a graph that runs on a schedule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig

from langchain_layered_memory.forget.step import ForgetResult
from langchain_layered_memory.nodes import State, make_node
from langchain_layered_memory.steps import Driver, Steps


def make_forget_node(
    driver: Driver, forget: Callable[[], Steps[ForgetResult]], *, name: str = "forget_memory"
) -> Runnable[Any, dict[str, Any]]:
    """Return the node; it changes nothing in the state."""

    def prepare(_: State, __: RunnableConfig) -> Steps[ForgetResult]:
        return forget()

    return make_node(name, driver, prepare, lambda _: {}, dict)
