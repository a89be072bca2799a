"""What the store behaviours share: reading results, expecting refusals, bounding time."""

# ruff: noqa: S101
from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from langgraph.store.base import BaseStore, IndexConfig, Item, PutOp

from langchain_layered_memory.testing.embeddings import HashEmbeddings

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping

T = TypeVar("T")

Namespace = tuple[str, ...]

REFUSALS = (TypeError, ValueError)
"""How a store says that it cannot take something."""


def keys(items: Iterable[Item]) -> list[str]:
    """Return the keys of the items, sorted."""
    return sorted(item.key for item in items)


def namespaces(found: Iterable[Iterable[str]]) -> list[Namespace]:
    """Return listed namespaces as tuples, in the order given."""
    return [tuple(namespace) for namespace in found]


def value_at(store: BaseStore, namespace: Namespace, key: str) -> Any:
    """Return the stored value, failing the test where there is none."""
    item = store.get(namespace, key)
    assert item is not None, f"nothing stored at {namespace} {key!r}"
    return item.value


def put_all(store: BaseStore, namespace: Namespace, values: Mapping[str, Any]) -> None:
    """Store several values in one batch."""
    store.batch([PutOp(namespace, key, value) for key, value in values.items()])


def error_of(action: Callable[[], object]) -> Exception | None:
    """Return what the action raised, or None."""
    try:
        action()
    except Exception as error:  # noqa: BLE001 (the caller judges it)
        return error
    return None


def still_works(store: BaseStore) -> None:
    """Fail the test unless the store takes and returns another item."""
    store.put(("afterwards",), "ok", {"v": 1})
    assert value_at(store, ("afterwards",), "ok") == {"v": 1}
    store.delete(("afterwards",), "ok")


def pages(search: Callable[[int], Iterable[Item]], size: int, total: int) -> list[str]:
    """Return the keys of consecutive pages, in order, one page beyond the expected end.

    Args:
        search: Gives the page that begins at an offset.
        size: How many items a page has.
        total: How many items there should be.
    """
    return [item.key for offset in range(0, total + size, size) for item in search(offset)]


def index_on(*fields: str, embed: HashEmbeddings | None = None) -> IndexConfig:
    """Return an index over the fields; with none given, over LangGraph's default."""
    embed = embed or HashEmbeddings()
    index = IndexConfig(dims=embed.dims, embed=embed)
    if fields:
        index["fields"] = list(fields)
    return index


def bounded(action: Callable[[], T], seconds: float = 30.0) -> T:
    """Run the action in a thread of its own; if it hangs, the test fails and goes on.

    Args:
        action: What might never return.
        seconds: How long to wait for it.
    """
    outcome = _in_thread(action)
    try:
        return outcome.result(seconds)
    except TimeoutError:
        if outcome.done():
            raise
        pytest.fail(f"still blocked after {seconds} s")


def _in_thread(action: Callable[[], T]) -> Future[T]:
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(action())
        except BaseException as error:  # noqa: BLE001 (handed to the waiting thread)
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome


def in_loop(main: Callable[[], Coroutine[Any, Any, T]], seconds: float = 60.0) -> T:
    """Run a coroutine in a new event loop of a new thread, bounded in time.

    Args:
        main: Makes the coroutine.
        seconds: How long to wait for it.
    """
    return bounded(lambda: asyncio.run(main()), seconds)


def in_threads(count: int, work: Callable[[int], object], seconds: float = 60.0) -> None:
    """Run the work in several threads that start together; fail if any of them fails.

    Args:
        count: How many threads.
        work: Gets the number of its thread.
        seconds: How long to wait for all of them.
    """
    gate = threading.Barrier(count)

    def one(number: int) -> None:
        gate.wait()
        work(number)

    outcomes = [_in_thread(partial(one, number)) for number in range(count)]
    bounded(lambda: [outcome.exception() for outcome in outcomes], seconds)
    errors = [error for outcome in outcomes if (error := outcome.exception())]
    assert not errors, f"{len(errors)} of {count} threads failed; the first with {errors[0]!r}"
