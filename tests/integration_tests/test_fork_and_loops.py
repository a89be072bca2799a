"""One object for threads, for one event loop after another, and for a child after a fork."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from helpers import (
    ANN,
    NamedEmbeddings,
    contents,
    ended,
    in_child,
    only,
    open_memory,
    recalled_memories,
    rows,
    said,
    started,
)

from langchain_layered_memory import LayeredMemory
from langchain_layered_memory.backends.sqlite import codec, connections
from langchain_layered_memory.errors import BackendUnavailableError


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[LayeredMemory]:
    """A memory with ids that are random, so that a forked child gives others."""
    with open_memory(tmp_path, embeddings=NamedEmbeddings("tiny"), ids=None) as memory:
        yield memory


async def _use(memory: LayeredMemory, number: int) -> None:
    await memory.awrite([said(f"I like thing{number}.", f"m{number}")], ANN)
    await memory.aindex()
    assert f"thing{number}" in (await memory.arecall(f"Do I like thing{number}?", ANN)).text
    await memory.store.aput(("notes",), f"k{number}", {"n": number})


class TestLoops:
    def test_one_loop_after_another(self, memory: LayeredMemory) -> None:
        for number in range(3):
            asyncio.run(_use(memory, number))
        assert len(contents(memory)) == 3
        assert len(memory.store.search(("notes",))) == 3

    def test_loops_beside_each_other_in_threads(self, memory: LayeredMemory) -> None:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: asyncio.run(_use(memory, number)), range(8)))
        assert len(contents(memory)) == 8

    def test_loops_and_blocking_calls_by_turns(self, memory: LayeredMemory) -> None:
        asyncio.run(_use(memory, 1))
        memory.write([said("I live in Oslo.", "m")], ANN)
        asyncio.run(_use(memory, 2))
        assert len(contents(memory)) == 3

    async def test_a_blocking_call_inside_a_loop_does_not_hang(self, memory: LayeredMemory) -> None:
        async with asyncio.timeout(10):
            await _use(memory, 1)
            memory.write([said("I live in Oslo.", "m")], ANN)
            await _use(memory, 2)
        assert len(contents(memory)) == 3

    async def test_the_loop_is_not_blocked_by_a_slow_embedder(self, tmp_path: Path) -> None:
        entered, leave = threading.Event(), threading.Event()

        class Slow(NamedEmbeddings):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                entered.set()
                assert leave.wait(10)
                return super().embed_documents(texts)

        with open_memory(tmp_path, embeddings=Slow("slow")) as memory:
            await memory.awrite([said("I like tea.", "m1")], ANN)
            indexing = asyncio.create_task(memory.aindex())
            assert await asyncio.to_thread(entered.wait, 10)
            await memory.awrite([said("I live in Oslo.", "m2")], ANN)  # no lock is held meanwhile
            assert len(await memory.amemories(ANN)) == 2
            leave.set()
            assert (await indexing).indexed > 0

    def test_no_task_or_thread_is_left_over(self, tmp_path: Path) -> None:
        async def use() -> set[asyncio.Task[Any]]:
            async with open_memory(tmp_path) as memory:
                await _use(memory, 1)
            return asyncio.all_tasks() - {asyncio.current_task()}  # type: ignore[arg-type]

        assert asyncio.run(use()) == set()
        assert not [t for t in threading.enumerate() if t.name.startswith("layered-memory")]


class TestThreads:
    def test_many_threads_share_one_object(self, memory: LayeredMemory) -> None:
        def use(number: int) -> None:
            memory.write([said(f"I like thing{number}.", f"m{number}")], ANN)
            assert memory.recall(f"Do I like thing{number}?", ANN)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(use, range(40)))
        assert len(contents(memory)) == 40

    def test_a_database_in_memory_is_shared_by_threads(self) -> None:
        with LayeredMemory.open("sqlite:///:memory:") as memory, ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: memory.write([said(f"I like t{n}.", f"m{n}")], ANN), range(20)))
            assert len(contents(memory)) == 20


class TestFork:
    def test_a_child_writes_and_reads(self, memory: LayeredMemory) -> None:
        memory.write([said("I like tea.", "m1")], ANN)
        memory.index()
        memory.recall("Which tea?", ANN)

        def child() -> None:
            assert recalled_memories(memory, "Which tea?") == ["The user likes tea"]
            memory.write([said("I live in Oslo.", "m2")], ANN)

        assert in_child(child) == 0
        assert contents(memory) == ["The user likes tea", "The user lives in Oslo"]
        memory.write([said("I work at Lumen.", "m3")], ANN)
        assert len(contents(memory)) == 3

    def test_parent_and_children_write_at_once(self, memory: LayeredMemory, tmp_path: Path) -> None:
        memory.write([said("I like tea.", "m1")], ANN)

        def write(who: str) -> None:
            for number in range(20):
                memory.write([said(f"I like {who}{number}.", f"{who}{number}")], ANN)

        children = [started(lambda who=who: _fresh(tmp_path, who)) for who in "ab"]
        write("c")
        assert [ended(child) for child in children] == [0, 0]
        assert len(contents(memory)) == 61
        assert rows(tmp_path / "memory.db", "PRAGMA integrity_check") == [("ok",)]

    def test_a_child_awaits_where_the_parent_never_did(self, memory: LayeredMemory) -> None:
        memory.write([said("I like tea.", "parent")], ANN)
        assert in_child(lambda: asyncio.run(_use(memory, 1))) == 0
        assert len(contents(memory)) == 2

    def test_a_child_awaits_where_the_parent_did(self, memory: LayeredMemory) -> None:
        async def many() -> None:
            await asyncio.gather(*(memory.astats() for _ in range(8)))

        asyncio.run(many())
        assert in_child(lambda: asyncio.run(_use(memory, 1)), seconds=3) == 0

    def test_a_child_forked_while_a_thread_was_writing_says_that_it_cannot_write(
        self, memory: LayeredMemory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """SQLite inherits the lock for good; the child may read, and must not hang for ever."""
        monkeypatch.setattr(connections, "BUSY_SECONDS", 0.2)
        memory.write([said("I like tea.", "m0")], ANN)
        writing, go_on, columns = threading.Event(), threading.Event(), codec.memory_columns

        def held_up(*given: Any) -> Any:
            """Stop in the middle of the thread's transaction."""
            if threading.current_thread() is thread:
                writing.set()
                go_on.wait(20)
            return columns(*given)

        def child() -> None:
            assert contents(memory) == ["The user likes tea"]
            with pytest.raises(BackendUnavailableError, match="locked"):
                memory.write([said("I live in Oslo.", "m2")], ANN)

        thread = threading.Thread(target=memory.write, args=([said("I own a boat.", "m1")], ANN))
        monkeypatch.setattr(codec, "memory_columns", held_up)
        thread.start()
        try:
            assert writing.wait(10)
            assert in_child(child, seconds=5) == 0
        finally:
            go_on.set()
            thread.join()
        memory.write([said("I live in Oslo.", "m2")], ANN)
        assert "The user lives in Oslo" in contents(memory)


def _fresh(folder: Path, who: str) -> None:
    with open_memory(folder, ids=who) as memory:
        for number in range(20):
            memory.write([said(f"I like {who}{number}.", f"{who}{number}")], ANN)


class TestLife:
    def test_a_block_closes_it(self, tmp_path: Path) -> None:
        with open_memory(tmp_path) as memory:
            memory.write([said("I like tea.", "m1")], ANN)
        with pytest.raises(BackendUnavailableError):
            memory.stats()

    async def test_an_async_block_closes_it(self, tmp_path: Path) -> None:
        async with open_memory(tmp_path) as memory:
            await memory.awrite([said("I like tea.", "m1")], ANN)
        with pytest.raises(BackendUnavailableError):
            await memory.astats()

    CALLS: tuple[Callable[[LayeredMemory], object], ...] = (
        lambda memory: memory.write([said("I like tea.", "m9")], ANN),
        lambda memory: memory.recall("tea", ANN),
        lambda memory: memory.index(),
        lambda memory: memory.forget(),
        lambda memory: memory.memories(ANN),
        lambda memory: memory.erase("ann"),
        lambda memory: memory.store.get(("notes",), "k"),
        lambda memory: memory.store.put(("notes",), "k", {}),
        lambda memory: memory.chat_history(ANN).messages,
    )

    @pytest.mark.parametrize("call", CALLS)
    def test_after_close_it_is_unavailable(
        self, memory: LayeredMemory, call: Callable[[LayeredMemory], object]
    ) -> None:
        memory.write([said("I like tea.", "m1")], ANN)
        memory.close()
        with pytest.raises(BackendUnavailableError, match="closed"):
            call(memory)

    ACALLS: tuple[Callable[[LayeredMemory], Coroutine[Any, Any, object]], ...] = (
        lambda memory: memory.awrite([said("I like tea.", "m9")], ANN),
        lambda memory: memory.arecall("tea", ANN),
        lambda memory: memory.aindex(),
        lambda memory: memory.store.aget(("notes",), "k"),
        lambda memory: memory.store.aput(("notes",), "k", {}),
    )

    @pytest.mark.parametrize("call", ACALLS)
    async def test_after_close_it_is_unavailable_awaited(
        self, memory: LayeredMemory, call: Callable[[LayeredMemory], Coroutine[Any, Any, object]]
    ) -> None:
        await memory.awrite([said("I like tea.", "m1")], ANN)
        memory.close()
        with pytest.raises(BackendUnavailableError, match="closed"):
            await call(memory)

    def test_closing_twice_is_no_error(self, memory: LayeredMemory) -> None:
        memory.close()
        memory.close()

    def test_opened_again_all_is_there(self, tmp_path: Path) -> None:
        for number in range(3):
            with open_memory(tmp_path, ids=f"run{number}") as memory:
                memory.write([said(f"I like thing{number}.", f"m{number}")], ANN)
                assert len(contents(memory)) == number + 1


class TestCancellation:
    async def test_a_cancelled_write_leaves_all_or_nothing_of_each_turn(
        self, memory: LayeredMemory, tmp_path: Path
    ) -> None:
        for number in range(60):
            message = said(f"I like thing{number}.", f"m{number}")
            task = asyncio.create_task(memory.awrite([message], ANN))
            for _ in range(number % 20):
                await asyncio.sleep(0)
            if number % 3 == 0:
                await asyncio.sleep(0.0005)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        async with asyncio.timeout(10):
            await memory.awrite([said("I live in Oslo.", "last")], ANN)
        assert "The user lives in Oslo" in contents(memory)
        await asyncio.to_thread(memory.close)
        path = tmp_path / "memory.db"
        assert rows(path, "PRAGMA integrity_check") == [("ok",)]
        done = rows(path, "SELECT count(*) FROM outbox WHERE state = 'done'")
        assert rows(path, "SELECT count(*) FROM memories") == done
        jobs = rows(path, "SELECT count(*) FROM outbox")
        assert rows(path, "SELECT count(*) FROM episodes") == jobs

    async def test_what_a_cancelled_write_left_is_done_by_the_next_handle(
        self, tmp_path: Path
    ) -> None:
        with open_memory(tmp_path) as memory:
            for number in range(20):
                message = said(f"I like thing{number}.", f"m{number}")
                task = asyncio.create_task(memory.awrite([message], ANN))
                await asyncio.sleep(0.0003 * (number % 7))
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        with open_memory(tmp_path, ids="next") as memory:
            stats = memory.stats()
            assert "jobs waiting" not in stats
            assert len(contents(memory)) == stats["episodes"]

    async def test_a_cancelled_write_may_be_written_again(self, memory: LayeredMemory) -> None:
        task = asyncio.create_task(memory.awrite([said("I like tea.", "m1")], ANN))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await memory.awrite([said("I like tea.", "m1")], ANN)
        assert memory.stats()["episodes"] == 1

    async def test_a_timed_out_index_run_leaves_the_next_to_finish(self, tmp_path: Path) -> None:
        class Hanging(NamedEmbeddings):
            hang = True

            async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
                if self.hang:
                    await asyncio.Event().wait()
                return self.embed_documents(texts)

        model = Hanging("tiny")
        with open_memory(tmp_path, embeddings=model) as memory:
            await memory.awrite([said("I like tea.", "m1")], ANN)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(memory.aindex(), 0.05)
            model.hang = False
            assert (await memory.aindex()).indexed == 2
            assert only(memory).content == "The user likes tea"
