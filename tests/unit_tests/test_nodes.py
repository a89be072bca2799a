"""Whose memory a run means, and that a node works both ways and never breaks the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from langchain_core.runnables import RunnableConfig

from langchain_layered_memory import nodes
from langchain_layered_memory.errors import BackendError, InvalidInputError, ScopeError
from langchain_layered_memory.nodes import State, make_node, scope_from_run
from langchain_layered_memory.records import Scope
from langchain_layered_memory.requests import CountRecords, Request
from langchain_layered_memory.steps import Steps, T, arun, ask, run


@dataclass
class Context:
    user_id: str | None = None
    tenant_id: str | None = None
    session_id: str | None = None


RunAs = Callable[..., Scope]


@pytest.fixture
def run_as(monkeypatch: pytest.MonkeyPatch) -> RunAs:
    """Return what finds the scope of a run with this context, server user and configuration."""

    def find(context: object = None, server_user: str | None = None, **configurable: Any) -> Scope:
        user = server_user and SimpleNamespace(identity=server_user)
        server = SimpleNamespace(user=user) if server_user else None
        runtime = SimpleNamespace(context=context, server_info=server)
        monkeypatch.setattr(nodes, "get_runtime", lambda: runtime)
        return scope_from_run({}, {"configurable": configurable})

    return find


CONTEXTS = [{"user_id": "ann"}, Context("ann"), Scope("ann")]


@pytest.mark.parametrize("context", CONTEXTS, ids=["dict", "dataclass", "scope"])
def test_context_wins_over_server_and_configuration(run_as: RunAs, context: object) -> None:
    assert run_as(context, "sam", user_id="bob") == Scope("ann")


def test_server_user_wins_over_configuration(run_as: RunAs) -> None:
    assert run_as(None, "sam", user_id="bob") == Scope("sam")


def test_configuration_is_enough(run_as: RunAs) -> None:
    assert run_as(user_id=7, tenant_id="acme", agent_id="a") == Scope(7, "acme", agent_id="a")


def test_server_without_a_user_says_nothing(run_as: RunAs) -> None:
    assert run_as(None, None, user_id="bob") == Scope("bob")


@pytest.mark.parametrize("context", CONTEXTS, ids=["dict", "dataclass", "scope"])
def test_thread_is_the_session(run_as: RunAs, context: object) -> None:
    assert run_as(context, thread_id="t1").session_id == "t1"


def test_named_session_wins_over_the_thread(run_as: RunAs) -> None:
    assert run_as(user_id="bob", thread_id="t1", session_id="s1").session_id == "s1"
    assert run_as(Context("ann", session_id="s2"), thread_id="t1", session_id="s1").session_id == (
        "s2"
    )


def test_what_the_context_leaves_open_is_found_elsewhere(run_as: RunAs) -> None:
    assert run_as(Context(tenant_id="acme"), "sam", user_id="bob") == Scope("sam", "acme")


@pytest.mark.parametrize("context", [None, {}, Context(), object(), "ann"])
def test_nobody_named_is_an_error_that_says_what_to_do(run_as: RunAs, context: object) -> None:
    with pytest.raises(ScopeError, match="user_id"):
        run_as(context, thread_id="t1")


@pytest.mark.parametrize("user_id", ["", "  ", 1.5, True])
def test_user_who_cannot_be_is_an_error(run_as: RunAs, user_id: Any) -> None:
    with pytest.raises(ScopeError):
        run_as({"user_id": user_id}, user_id="bob")


def test_outside_of_a_graph_the_configuration_alone_is_read() -> None:
    assert scope_from_run({}, {"configurable": {"user_id": "ann"}}) == Scope("ann")
    with pytest.raises(ScopeError):
        scope_from_run({}, {})


# ------------------------------------------------------------ nodes


class Counting:
    """A driver over a database that counts seven records, or fails."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error
        self.used: list[str] = []

    def answer(self, request: Request[Any]) -> Any:
        if self.error is not None:
            raise self.error
        return 7

    def run(self, steps: Steps[T]) -> T:
        self.used.append("run")
        return run(steps, self.answer)

    async def arun(self, steps: Steps[T]) -> T:
        self.used.append("arun")

        async def answer(request: Request[Any]) -> Any:
            return self.answer(request)

        return await arun(steps, answer)


def count(state: State, config: RunnableConfig) -> Steps[int]:
    number = yield from ask(CountRecords(scope_from_run(state, config)))
    return number + int(state["more"])


def node(driver: Counting, prepare: Any = count, update: Any = lambda n: {"number": n}) -> Any:
    return make_node("counter", driver, prepare, update, lambda: {"number": -1})


ANN: RunnableConfig = {"configurable": {"user_id": "ann"}}


def test_node_works_with_invoke() -> None:
    driver = Counting()
    assert node(driver).invoke({"more": 1}, ANN) == {"number": 8}
    assert driver.used == ["run"]


async def test_node_works_with_ainvoke() -> None:
    driver = Counting()
    assert await node(driver).ainvoke({"more": 1}, ANN) == {"number": 8}
    assert driver.used == ["arun"]


def test_node_has_its_name() -> None:
    assert node(Counting()).get_name() == "counter"


@pytest.mark.parametrize(
    "error", [BackendError("locked"), TimeoutError("slow"), RuntimeError("odd"), MemoryError()]
)
async def test_node_fails_open_with_a_log_line(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    made = node(Counting(error))
    assert made.invoke({"more": 1}, ANN) == {"number": -1}
    assert await made.ainvoke({"more": 1}, ANN) == {"number": -1}
    lines = [each.getMessage() for each in caplog.records if each.levelname == "ERROR"]
    assert len(lines) == 2
    assert all(line.startswith("counter failed") and repr(error) in line for line in lines)


def broken(*_: Any) -> Any:
    raise KeyError("broken")


@pytest.mark.parametrize("parts", [{"prepare": broken}, {"update": broken}])
def test_failing_preparation_or_update_fails_open_too(parts: dict[str, Any]) -> None:
    assert node(Counting(), **parts).invoke({"more": 1}, ANN) == {"number": -1}


async def test_what_the_developer_must_mend_is_raised() -> None:
    for made, config in ((node(Counting()), {}), (node(Counting(InvalidInputError("no"))), ANN)):
        with pytest.raises(InvalidInputError):
            made.invoke({"more": 1}, config)
        with pytest.raises(InvalidInputError):
            await made.ainvoke({"more": 1}, config)


async def test_cancelling_is_not_swallowed() -> None:
    with pytest.raises(asyncio.CancelledError):
        await node(Counting(asyncio.CancelledError())).ainvoke({"more": 1}, ANN)


@pytest.mark.parametrize("config", [{}, {"configurable": None}, {"configurable": {}}], ids=repr)
def test_empty_configuration_is_an_error_that_says_what_to_do(config: Any) -> None:
    with pytest.raises(ScopeError, match="context=Scope"):
        scope_from_run({}, config)


def test_state_names_nobody(run_as: RunAs) -> None:
    with pytest.raises(ScopeError):
        scope_from_run({"user_id": "ann", "messages": []}, {})


def test_context_of_any_class_may_name_the_user(run_as: RunAs) -> None:
    context = SimpleNamespace(user_id=UUID(int=5), agent_id="a", anything="else")
    assert run_as(context) == Scope(UUID(int=5), agent_id="a")


def test_number_of_a_thread_is_a_session(run_as: RunAs) -> None:
    assert run_as(user_id="bob", thread_id=0).session_id == "0"
