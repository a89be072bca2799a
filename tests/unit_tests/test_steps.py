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


def failing(error: BaseException) -> Callable[[Request[Any]], Any]:
    def answer(_: Request[Any]) -> Any:
        raise error

    return answer


def afailing(error: BaseException) -> Callable[[Request[Any]], Any]:
    async def answer(_: Request[Any]) -> Any:
        raise error

    return answer


@pytest.mark.parametrize("error", [StopIteration(7), StopAsyncIteration(7), GeneratorExit()])
def test_errors_that_end_generators_are_never_taken_for_a_result(error: BaseException) -> None:
    with pytest.raises((RuntimeError, GeneratorExit, StopAsyncIteration)):
        run(total([1]), failing(error))
    with pytest.raises((RuntimeError, GeneratorExit, StopAsyncIteration)):
        asyncio.run(arun(total([1]), afailing(error)))


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_being_stopped_closes_the_step_and_is_not_its_affair(error: type[BaseException]) -> None:
    seen: list[type[BaseException]] = []

    def waiting() -> Steps[None]:
        try:
            yield from ask(Number(1))
        except Exception as caught:  # noqa: BLE001 - what a step may handle
            seen.append(type(caught))
        finally:
            seen.append(GeneratorExit)

    with pytest.raises(error):
        run(waiting(), failing(error()))
    assert seen == [GeneratorExit]


def test_step_may_turn_a_failure_into_its_own_error() -> None:
    def translating() -> Steps[None]:
        try:
            yield from ask(Number(-1))
        except ValueError as error:
            raise LookupError("own") from error

    for drive in (
        lambda: run(translating(), double),
        lambda: asyncio.run(arun(translating(), adouble)),
    ):
        with pytest.raises(LookupError, match="own") as raised:
            drive()
        assert isinstance(raised.value.__cause__, ValueError)


def test_failure_in_a_nested_step_can_be_handled_by_the_outer_one() -> None:
    def outer() -> Steps[int]:
        try:
            found = yield from total([1, -1])
        except ValueError:
            found = yield from total([5])
        return found

    assert both(outer) == [10, 10]


def test_error_before_the_first_request_comes_out() -> None:
    def broken() -> Steps[None]:
        raise LookupError("early")
        yield  # type: ignore[unreachable]

    with pytest.raises(LookupError, match="early"):
        run(broken(), double)
    with pytest.raises(LookupError, match="early"):
        asyncio.run(arun(broken(), adouble))


def test_answers_none_and_false_are_answers() -> None:
    def asking() -> Steps[list[Any]]:
        return [(yield Number(1)), (yield Number(2))]

    replies = iter([None, False])
    assert run(asking(), lambda _: next(replies)) == [None, False]


def test_many_requests_need_no_deep_stack() -> None:
    assert both(lambda: total([1] * 20_000)) == [40_000, 40_000]


def test_many_steps_run_side_by_side() -> None:
    async def together() -> list[int]:
        return await asyncio.gather(*(arun(total([n, n]), adouble) for n in range(100)))

    assert asyncio.run(together()) == [4 * n for n in range(100)]


def test_cancelled_wait_reaches_no_handler_of_failures() -> None:
    handled = []

    def careful() -> Steps[str]:
        try:
            yield from ask(Number(1))
        except Exception as error:  # noqa: BLE001 - what a step may handle
            handled.append(error)
        return "went on"

    async def never(_: Request[Any]) -> None:
        await asyncio.sleep(60)

    async def limited() -> None:
        await asyncio.wait_for(arun(careful(), never), timeout=0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(limited())
    assert handled == []
