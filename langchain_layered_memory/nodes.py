"""What the nodes share: the state they read and write, whose memory it is, and both faces of one.

A node works under `invoke` and `ainvoke`, in subgraphs and beside a checkpointer. Its scope is
found in this order: a callable that the user gave, `Runtime.context`, the authenticated user of
LangGraph's server, and `config["configurable"]`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypedDict, TypeVar

from langchain_core.messages import AnyMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.graph.message import add_messages
from langgraph.runtime import get_runtime

from langchain_layered_memory.errors import InvalidInputError, ScopeError
from langchain_layered_memory.records import Scope
from langchain_layered_memory.steps import Driver, Steps

_log = logging.getLogger("langchain_layered_memory")

T = TypeVar("T")
State = Mapping[str, Any]
ScopeSource = Callable[[State, RunnableConfig], Scope]
_ID_NAMES = ("user_id", "tenant_id", "session_id", "agent_id")


class MemoryState(TypedDict, total=False):
    """State of a graph with memory; inherit it, or have the same keys.

    Attributes:
        messages: The conversation.
        memory_context: The recalled block, for the system prompt.
        recalled: What the block was made of: id, score and sources of each record.
    """

    messages: Annotated[list[AnyMessage], add_messages]
    memory_context: str
    recalled: list[dict[str, Any]]


def scope_from_run(_: State, config: RunnableConfig) -> Scope:
    """Return the scope that a run names.

    Raises:
        ScopeError: If nothing names a user.
    """
    ids: dict[str, Any] = {}
    configurable = config.get("configurable") or {}
    _add_ids(ids, configurable)
    if (thread := configurable.get("thread_id")) is not None:
        ids.setdefault("session_id", thread)
    runtime = _runtime()
    server = getattr(runtime, "server_info", None)
    if server is not None and server.user is not None:
        ids["user_id"] = server.user.identity
    _add_ids(ids, getattr(runtime, "context", None))
    if "user_id" not in ids:
        raise ScopeError(
            "memory needs to know whose it is: pass context=Scope(user_id=…) or "
            'config={"configurable": {"user_id": …}} to the graph, or scope= to the node'
        )
    return Scope(**ids)


def _add_ids(ids: dict[str, Any], given: object) -> None:
    for name in _ID_NAMES:
        value = given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)
        if value is not None:
            ids[name] = value


def _runtime() -> Any:
    try:
        return get_runtime()
    except (RuntimeError, KeyError):
        return None  # called outside a graph


def make_node(
    name: str,
    driver: Driver,
    prepare: Callable[[State, RunnableConfig], Steps[T]],
    update: Callable[[T], dict[str, Any]],
    on_failure: Callable[[], dict[str, Any]],
) -> Runnable[Any, dict[str, Any]]:
    """Return a node that runs a step and turns its result into a state update.

    A node fails open: whatever breaks below it (the database, a model) is logged, and the graph
    goes on with `on_failure()`. Only what the developer must mend, as a missing user id, is raised.
    """

    def guarded(state: State, config: RunnableConfig) -> Steps[dict[str, Any]]:
        try:
            return update((yield from prepare(state, config)))
        except InvalidInputError:
            raise
        except Exception as error:  # noqa: BLE001 - memory never breaks the agent's turn
            _log.error("%s failed, the turn goes on without it: %r", name, error)
            return on_failure()

    def node(state: State, config: RunnableConfig) -> dict[str, Any]:
        return driver.run(guarded(state, config))

    async def anode(state: State, config: RunnableConfig) -> dict[str, Any]:
        return await driver.arun(guarded(state, config))

    return RunnableLambda(node, afunc=anode, name=name)
