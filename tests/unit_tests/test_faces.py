"""One step, two faces: each keeps its name, its docstring and its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from langchain_layered_memory.faces import awaitable, blocking
from langchain_layered_memory.requests import Complete, Request
from langchain_layered_memory.steps import Driver, Steps, T, arun, ask, run


class Echo:
    """A driver that answers each request with itself; it notes which face was used."""

    def __init__(self) -> None:
        self.used: list[str] = []

    def run(self, steps: Steps[T]) -> T:
        self.used.append("run")
        return run(steps, lambda request: request)

    async def arun(self, steps: Steps[T]) -> T:
        self.used.append("arun")

        async def answer(request: Request[Any]) -> Any:
            return request

        return await arun(steps, answer)


class Thing:
    def __init__(self) -> None:
        self.echo = Echo()

    @property
    def driver(self) -> Driver:
        return self.echo

    def _put(self, first: str, *rest: int, named: bool = False, **more: float) -> Steps[Any]:
        """Put something somewhere."""
        request = Complete(())
        answer = yield from ask(request)
        if first == "bad":
            raise ValueError(first)
        return answer is request, first, rest, named, more

    put, aput = blocking(_put), awaitable(_put)


GIVEN: tuple[tuple[Any, ...], dict[str, Any]] = (("a", 1, 2), {"named": True, "x": 0.5})
TAKEN = (True, "a", (1, 2), True, {"x": 0.5})


@pytest.mark.parametrize("face", [Thing.put, Thing.aput])
def test_face_keeps_name_docstring_and_parameters(face: Callable[..., Any]) -> None:
    assert face.__name__ == "_put"
    assert face.__doc__ == "Put something somewhere."
    assert inspect.signature(face) == inspect.signature(Thing._put)


def test_blocking_face_runs_the_step() -> None:
    thing = Thing()
    assert thing.put(*GIVEN[0], **GIVEN[1]) == TAKEN
    assert thing.echo.used == ["run"]
    assert not inspect.iscoroutinefunction(Thing.put)


async def test_awaitable_face_runs_the_same_step() -> None:
    thing = Thing()
    assert await thing.aput(*GIVEN[0], **GIVEN[1]) == TAKEN
    assert thing.echo.used == ["arun"]
    assert inspect.iscoroutinefunction(Thing.aput)


async def test_errors_of_the_step_come_out_of_both_faces() -> None:
    with pytest.raises(ValueError, match="bad"):
        Thing().put("bad")
    with pytest.raises(ValueError, match="bad"):
        await Thing().aput("bad")


async def test_wrong_arguments_are_refused_as_ever() -> None:
    with pytest.raises(TypeError):
        Thing().put()
    with pytest.raises(TypeError):
        await Thing().aput()
