"""Behaviour under concurrency: threads, event loops, and several handles on one database."""

# ruff: noqa: S101
from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from langchain_layered_memory.testing.store_harness import StoreHarness, StorePair
from langchain_layered_memory.testing.store_helpers import (
    bounded,
    error_of,
    in_loop,
    in_threads,
    keys,
    namespaces,
    still_works,
    value_at,
)

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

NAMESPACE = ("crowded",)


async def _avalue(store: BaseStore, key: str = "k") -> Any:
    item = await store.aget(NAMESPACE, key)
    return item and item.value


def _churn(store: BaseStore, number: int, until: float) -> None:
    step = 0
    while time.monotonic() < until:
        step += 1
        namespace = (*NAMESPACE, str(number), str(step % 200))
        store.put(namespace, f"k{step % 7}", {"n": step})
        if step % 5 == 0:
            store.delete(namespace, f"k{step % 7}")


def _browse(store: BaseStore, until: float) -> None:
    while time.monotonic() < until:
        store.search(NAMESPACE, limit=1000, filter={"n": {"$gte": 0}})
        store.list_namespaces(prefix=NAMESPACE, max_depth=2)
        store.get((*NAMESPACE, "1", "1"), "k1")


def _put_number(handles: StorePair, number: int) -> None:
    handles[number % 2].put(NAMESPACE, f"k{number}", {"n": number})


class ThreadBehaviour(StoreHarness):
    """Threads may share a store."""

    group: ClassVar[str] = "Threads and handles"

    def test_threads_write_distinct_keys(self, store: BaseStore) -> None:
        """Otherwise memories of users served at the same time are lost."""

        def write(number: int) -> None:
            for step in range(25):
                store.put(NAMESPACE, f"{number}-{step}", {"n": step})

        in_threads(16, write)
        assert len(store.search(NAMESPACE, limit=1000)) == 400

    def test_threads_write_one_key(self, store: BaseStore) -> None:
        """Otherwise an item is stored twice, or mixed from two writers."""

        def write(number: int) -> None:
            for _ in range(10):
                store.put(NAMESPACE, "k", {"n": number, "copies": [number] * 50})

        in_threads(16, write)
        (item,) = store.search(NAMESPACE)
        assert item.value["copies"] == [item.value["n"]] * 50

    def test_threads_read_while_others_write(self, store: BaseStore) -> None:
        """Otherwise a search fails now and then, in production only."""
        until = time.monotonic() + 1.0

        def work(number: int) -> None:
            if number % 2:
                _churn(store, number, until)
            else:
                _browse(store, until)

        in_threads(8, work)

    def test_two_handles_write_at_once(self, two_handles: StorePair) -> None:
        """Otherwise two processes cannot share a database without "database is locked"."""

        def write(number: int) -> None:
            for step in range(40):
                two_handles[number % 2].put(NAMESPACE, f"{number}-{step}", {"n": step})

        in_threads(8, write)
        assert [len(handle.search(NAMESPACE, limit=1000)) for handle in two_handles] == [320, 320]

    def test_two_handles_are_first_used_at_once(self) -> None:
        """Otherwise workers that start together fail now and then on a new database."""
        self.require("supports_two_handles")
        for _ in range(20):
            with self.make_pair() as handles:
                in_threads(8, partial(_put_number, handles))
                assert [len(handle.search(NAMESPACE)) for handle in handles] == [8, 8]

    def test_two_handles_see_each_other(self, two_handles: StorePair) -> None:
        """Otherwise one process answers from what another has already corrected."""
        one, other = two_handles
        one.put(NAMESPACE, "k", {"v": 1})
        assert value_at(other, NAMESPACE, "k") == {"v": 1}
        other.put(NAMESPACE, "k", {"v": 2})
        assert value_at(one, NAMESPACE, "k") == {"v": 2}
        one.delete(NAMESPACE, "k")
        assert other.get(NAMESPACE, "k") is None
        assert other.list_namespaces() == []


class AsyncBehaviour(StoreHarness):
    """Event loops may share a store."""

    group: ClassVar[str] = "Event loops"

    def test_asynchronous_methods_answer_as_the_others_do(self, async_store: BaseStore) -> None:
        """Otherwise moving an agent to async changes what it remembers."""
        store = async_store

        async def main() -> tuple[Any, ...]:
            for key in ("k", "gone"):
                await store.aput(NAMESPACE, key, {"v": key})
            await store.adelete(NAMESPACE, "gone")
            found = await store.asearch(NAMESPACE, filter={"v": "k"})
            listed = await store.alist_namespaces(prefix=NAMESPACE)
            return await _avalue(store), keys(found), namespaces(listed), await store.abatch([])

        assert in_loop(main) == ({"v": "k"}, ["k"], [NAMESPACE], [])
        assert value_at(store, NAMESPACE, "k") == {"v": "k"}
        assert store.get(NAMESPACE, "gone") is None

    def test_many_tasks_write_and_read_at_once(self, async_store: BaseStore) -> None:
        """Otherwise a busy server loses writes."""

        async def main() -> list[Any]:
            numbers = range(200)
            await asyncio.gather(*(async_store.aput(NAMESPACE, f"k{n}", {"n": n}) for n in numbers))
            return await asyncio.gather(*(_avalue(async_store, f"k{n}") for n in numbers))

        assert in_loop(main) == [{"n": number} for number in range(200)]

    def test_call_inside_a_running_loop_never_hangs(self, store: BaseStore) -> None:
        """Otherwise one forgotten "a" before a method's name stops the whole server."""

        async def main() -> Any:
            store.put(NAMESPACE, "k", {"v": 1})
            return value_at(store, NAMESPACE, "k")

        results: list[Any] = []
        error = error_of(lambda: results.append(in_loop(main, 20)))
        assert isinstance(error, RuntimeError | asyncio.InvalidStateError) or results == [{"v": 1}]

    def test_cancelled_reads_leave_the_store_usable(self, async_store: BaseStore) -> None:
        """Otherwise a client that hangs up blocks everybody after it."""

        async def main() -> Any:
            await async_store.aput(NAMESPACE, "k", {"v": 1})
            for _ in range(20):
                reads = [asyncio.create_task(_avalue(async_store)) for _ in range(5)]
                await asyncio.sleep(0)
                for read in reads[:3]:
                    read.cancel()
                await asyncio.gather(*reads, return_exceptions=True)
            return await asyncio.wait_for(_avalue(async_store), 10)

        assert in_loop(main) == {"v": 1}
        bounded(lambda: still_works(async_store))

    def test_second_event_loop_may_use_the_store(self, async_store: BaseStore) -> None:
        """Otherwise a store made at start-up works in one thread only."""

        async def add_one() -> Any:
            found = await _avalue(async_store)
            await async_store.aput(NAMESPACE, "k", {"v": (found or {"v": 0})["v"] + 1})
            return await _avalue(async_store)

        async def beside_another() -> Any:
            await asyncio.to_thread(in_loop, add_one)
            return await add_one()

        assert in_loop(add_one) == {"v": 1}
        assert in_loop(beside_another) == {"v": 3}
