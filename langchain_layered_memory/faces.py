"""Two public faces of one step: `write = blocking(_write)`, `awrite = awaitable(_write)`.

The step is a method that returns `Steps`; the faces have its parameters and its docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from langchain_layered_memory.steps import Driver, Steps


class _HasDriver(Protocol):
    @property
    def driver(self) -> Driver: ...


S = TypeVar("S", bound=_HasDriver)
P = ParamSpec("P")
T = TypeVar("T")


def blocking(method: Callable[Concatenate[S, P], Steps[T]]) -> Callable[Concatenate[S, P], T]:
    """Return the method as one that runs its step and returns the result."""

    @wraps(method)
    def face(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.driver.run(method(self, *args, **kwargs))

    return face


def awaitable(
    method: Callable[Concatenate[S, P], Steps[T]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Return the method as a coroutine function; the event loop is never blocked."""

    @wraps(method)
    async def face(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.driver.arun(method(self, *args, **kwargs))

    return face
