"""One generator, run with and without an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from langchain_layered_memory.requests import Request
from langchain_layered_memory.steps import Steps, arun, ask, run


@dataclass(frozen=True)
class Number(Request[int]):
    value: int


def double(request: Request[Any]) -> int:
    assert isinstance(request, Number)
    if request.value < 0:
        raise ValueError("negative")
    return 2 * request.value


async def adouble(request: Request[Any]) -> int:
    await asyncio.sleep(0)
    return double(request)


def both(make: Callable[[], Steps[Any]]) -> list[Any]:
    return [run(make(), double), asyncio.run(arun(make(), adouble))]


def total(values: list[int]) -> Steps[int]:
    found = 0
    for value in values:
        found += yield from ask(Number(value))
    return found


def test_answers_are_sent_back_in_order() -> None:
    assert both(lambda: total([1, 2, 3])) == [12, 12]


def test_a_step_that_asks_nothing_still_answers() -> None:
    assert both(lambda: total([])) == [0, 0]


def test_steps_nest() -> None:
    def outer() -> Steps[int]:
        return (yield from total([1])) + (yield from total([2, 3]))

    assert both(outer) == [12, 12]


def test_a_failed_request_can_be_handled_by_the_step() -> None:
    def careful() -> Steps[str]:
        try:
            yield from ask(Number(-1))
        except ValueError as error:
            answer = yield from ask(Number(4))
            return f"{error} {answer}"
        return "none"

    assert both(careful) == ["negative 8", "negative 8"]


def test_an_unhandled_failure_comes_out_after_the_steps_own_clean_up() -> None:
    cleaned = []

    def careless() -> Steps[None]:
        try:
            yield from ask(Number(-1))
        finally:
            cleaned.append(True)

    with pytest.raises(ValueError, match="negative"):
        run(careless(), double)
    with pytest.raises(ValueError, match="negative"):
        asyncio.run(arun(careless(), adouble))
    assert cleaned == [True, True]


def test_a_cancelled_task_closes_its_step() -> None:
    cleaned = asyncio.Event()

    def waiting() -> Steps[None]:
        try:
            yield from ask(Number(1))
        finally:
            cleaned.set()

    async def never(_: Request[Any]) -> None:
        await asyncio.sleep(60)

    async def cancel() -> None:
        task = asyncio.create_task(arun(waiting(), never))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert cleaned.is_set()


def test_the_blocking_driver_works_inside_a_running_loop() -> None:
    async def inside() -> int:
        return run(total([1, 2]), double)

    assert asyncio.run(inside()) == 6
