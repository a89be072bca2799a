"""The embedded default: one SQLite file, by the standard library and numpy alone.

Each request of `requests.py` has one handler here; `SqliteBackend` gives it a transaction.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

from langchain_layered_memory import requests
from langchain_layered_memory.backends.sqlite import (
    administration,
    items,
    ledger,
    memories,
    schema,
    search,
)
from langchain_layered_memory.backends.sqlite.connections import Connections
from langchain_layered_memory.backends.sqlite.session import Session
from langchain_layered_memory.backends.sqlite.vectors import DEFAULT_CACHE_BYTES, VectorCache
from langchain_layered_memory.errors import BackendUnavailableError
from langchain_layered_memory.item_requests import ItemBatch, ItemGet, SweepItems
from langchain_layered_memory.requests import EraseOwner, StorageRequest

__all__ = ["SqliteBackend"]

T = TypeVar("T")
Handler = Callable[[Session, Any], Any]

_READS: dict[type[StorageRequest[Any]], Handler] = {
    requests.ArchivedMemories: memories.archived_memories,
    requests.CountRecords: administration.count_records,
    requests.ExpiredMemories: memories.expired_memories,
    requests.GetMemory: memories.get_memory,
    requests.IdleMemories: memories.idle_memories,
    requests.ListEpisodes: ledger.list_episodes,
    requests.ListMemories: memories.list_memories,
    requests.ListOwners: administration.list_owners,
    requests.LiveMemories: memories.live_memories,
    requests.LoadEpisodes: ledger.load_episodes,
    requests.LoadHistories: memories.load_histories,
    requests.MemoryHistory: memories.memory_history,
    requests.MissingMessages: ledger.missing_messages,
    requests.OutdatedTurns: memories.outdated_turns,
    requests.PendingVectors: search.pending_vectors,
    requests.PrecedingTurn: ledger.preceding_turn,
    requests.SearchTerms: search.search_terms,
    requests.SearchVectors: search.search_vectors,
    requests.Statistics: administration.statistics,
}
_WRITES: dict[type[StorageRequest[Any]], Handler] = {
    requests.AppendTurns: ledger.append_turns,
    requests.ApplyChanges: memories.apply_changes,
    requests.ClaimJobs: ledger.claim_jobs,
    requests.EraseOwner: administration.erase_owner,
    requests.EraseSession: administration.erase_session,
    requests.FailJob: ledger.fail_job,
    requests.FinishJob: ledger.finish_job,
    requests.PurgeMemories: memories.purge_memories,
    requests.SaveVectors: search.save_vectors,
    requests.SetStatus: memories.set_status,
    SweepItems: items.sweep_items,
    requests.TouchMemories: memories.touch_memories,
}
# SQLite's calls block; a few threads keep the event loop free and readers beside the writer.
_ASYNC_THREADS = 4


class SqliteBackend:
    """Answers storage requests from one SQLite file, for any number of threads and event loops.

    Args:
        url: `sqlite:///relative.db`, `sqlite:////absolute.db` or `sqlite:///:memory:`, with
            `?synchronous=full` to make every commit survive a power cut.
        cache_bytes: At most so much memory for the vectors searched last.

    Raises:
        InvalidInputError: If the URL is not of that form.
    """

    def __init__(self, url: str, *, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self.url = url
        self._cache_bytes = cache_bytes
        self._inherited: list[Connections] = []
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._connections = Connections(self.url, schema.prepare)
        self._vectors = VectorCache(self._cache_bytes)
        self._threads = ThreadPoolExecutor(_ASYNC_THREADS, thread_name_prefix="layered-memory")

    def _start_anew_after_fork(self) -> None:
        """Leave the parent's connections, locks and threads alone; in a child they are of no use.

        The connections are kept, unused: to close them here would drop the parent's file locks.
        """
        if self._pid != os.getpid():
            if self._connections.shared:
                raise BackendUnavailableError(
                    "a :memory: database does not cross a fork; open a file, or open after forking"
                )
            self._inherited.append(self._connections)
            self._start()

    def execute(self, request: StorageRequest[T]) -> T:
        """Answer one request, as one transaction."""
        self._start_anew_after_fork()
        if isinstance(request, ItemBatch):
            return cast(T, self._item_batch(request))
        handler = _READS.get(type(request))
        if handler is not None:
            with self._connections.reading() as connection:
                return cast(T, handler(Session(connection, self._vectors), request))
        handler = _WRITES[type(request)]
        with self._connections.writing() as connection:
            answer = cast(T, handler(Session(connection, self._vectors), request))
        if isinstance(request, EraseOwner):
            self._connections.forget_log()
        return answer

    async def aexecute(self, request: StorageRequest[T]) -> T:
        """Answer one request in a thread; a cancelled call's transaction still ends by itself."""
        self._start_anew_after_fork()
        try:
            work = asyncio.get_running_loop().run_in_executor(self._threads, self.execute, request)
        except RuntimeError as error:
            raise BackendUnavailableError(f"{self.url} was closed; open it again") from error
        return await work

    def _item_batch(self, batch: ItemBatch) -> tuple[Any, ...]:
        """Read and write in one transaction; a batch that only reads does not wait for writers."""
        if batch.writes:
            with self._connections.writing() as connection:
                session = Session(connection, self._vectors)
                answers, refresh = items.read_items(session, batch)
                items.write_items(session, batch, refresh)
                return answers
        single = len(batch.reads) == 1 and isinstance(batch.reads[0], ItemGet)
        with self._connections.reading(one_statement=single) as connection:
            answers, refresh = items.read_items(Session(connection, self._vectors), batch)
        if refresh:
            with self._connections.writing() as connection:
                items.write_items(Session(connection, self._vectors), batch, refresh)
        return answers

    def setup(self) -> None:
        """Create or upgrade the schema now instead of at the first request."""
        with self._connections.reading():
            pass

    def close(self) -> None:
        """Close the connections and threads; a later request raises `BackendUnavailableError`."""
        self._threads.shutdown(wait=True)
        self._connections.close()
