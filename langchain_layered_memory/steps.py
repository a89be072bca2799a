"""How logic is written once for sync and async, and the two drivers that run it.

A step is a generator: it yields a `Request` and is sent the answer, so it holds no I/O and a test
can feed it canned answers. `arun` holds the only loop, and `run` is the same loop without
suspension. A failed request is thrown back into the step, so its own `try/finally` runs; a
cancelled task closes it.

    def greet(scope: Scope) -> Steps[str]:
        turns = yield from ask(RecentTurns(scope, limit=1))
        return turns[0].text if turns else "hello"
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Generator, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from langchain_core.messages import BaseMessage

from langchain_layered_memory.requests import Complete, Embed, Request, Vectors

T = TypeVar("T")
Steps = Generator[Request[Any], Any, T]
Clock = Callable[[], datetime]
NewId = Callable[[], str]


class Driver(Protocol):
    """Runs steps to their end; what the nodes are given, so that they know no backend."""

    def run(self, steps: Steps[T]) -> T:
        """Run a step, blocking."""

    async def arun(self, steps: Steps[T]) -> T:
        """Run a step on the event loop."""


def utc_now() -> datetime:
    """Return the time of day, aware, in UTC; the default wherever a clock is injected."""
    return datetime.now(UTC)


def new_id() -> str:
    """Return a fresh random id; the default wherever ids are injected."""
    return uuid.uuid4().hex


def ask(request: Request[T]) -> Steps[T]:
    """Yield one request and return its answer, typed."""
    answer: T = yield request
    return answer


def embed_documents(texts: Sequence[str]) -> Steps[Vectors]:
    """Return one unit vector for each text, as rows."""
    return (yield from ask(Embed(tuple(texts), "document")))


def embed_query(text: str) -> Steps[Vectors]:
    """Return the unit vector of a question, as the only row."""
    return (yield from ask(Embed((text,), "query")))


def complete(messages: Sequence[BaseMessage]) -> Steps[BaseMessage]:
    """Return a chat model's answer."""
    return (yield from ask(Complete(tuple(messages))))


async def arun(steps: Steps[T], answer: Callable[[Request[Any]], Awaitable[Any]]) -> T:
    """Run a step to its end on the event loop, each request answered by awaiting `answer`."""
    try:
        request = next(steps)
        while True:
            try:
                reply = await answer(request)
            except Exception as error:  # noqa: BLE001 - the step decides what a failure means
                request = steps.throw(error)
            else:
                request = steps.send(reply)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()


def run(steps: Steps[T], answer: Callable[[Request[Any]], Any]) -> T:
    """Run a step to its end without an event loop, each request answered by `answer`.

    It is `arun` with an answer that never suspends, so the coroutine ends at its first `send`.
    """

    async def reply(request: Request[Any]) -> Any:
        return answer(request)

    coroutine = arun(steps, reply)
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        coroutine.close()
    raise AssertionError("a synchronous answer cannot suspend")
