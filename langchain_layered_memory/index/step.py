"""The index step: embed what has no vector of the present model yet.

It is safe to stop anywhere and run again, on any machine: what is done is done, and what is left
is asked of the database. Terms need no step, for they are stored with the record itself. Another
model starts a space of its own; vectors of two models are never compared.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from langchain_layered_memory.errors import DimensionMismatchError
from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.requests import PendingEntry, PendingVectors, SaveVectors
from langchain_layered_memory.steps import Steps, ask, embed_documents

_log = logging.getLogger("langchain_layered_memory")
# A service that failed for this many texts in a row is down; asking on would not help.
_FAILURES_IN_A_ROW = 3
Progress = Callable[[int], None]


@dataclass
class IndexResult:
    """What an index run did; `errors` says why what failed did. What failed stays to be done."""

    indexed: int = 0
    failed: int = 0
    errors: list[str] = field(default_factory=list)


def _silent(_: int) -> None:
    pass


def index_pending(
    model: str, policy: MemoryPolicy, progress: Progress = _silent
) -> Steps[IndexResult]:
    """Embed all that the model has not embedded, batch by batch.

    Args:
        model: The name that its vectors are kept under.
        policy: Gives the size of a batch and how much of a text is embedded.
        progress: Told after each batch how many were done in it.

    Raises:
        DimensionMismatchError: If the model's stored vectors have another length.
    """
    result, after, in_a_row = IndexResult(), 0, 0
    while in_a_row < _FAILURES_IN_A_ROW:
        pending = yield from ask(PendingVectors(model, policy.embed_batch, after))
        if not pending:
            break
        after = pending[-1].entry_id
        done = yield from _embed(pending, model, policy, result)
        in_a_row = 0 if done else in_a_row + 1
        progress(done)
    return result


def _embed(
    pending: tuple[PendingEntry, ...], model: str, policy: MemoryPolicy, result: IndexResult
) -> Steps[int]:
    """Embed a batch; if that fails, each text alone, so that one bad text costs itself only."""
    try:
        done = yield from _embed_batch(pending, model, policy)
    except DimensionMismatchError:
        raise  # no text is at fault: another model has this name
    except Exception as error:  # noqa: BLE001 - whatever a model raises, the text is kept
        if len(pending) > 1:
            return (yield from _embed_singly(pending, model, policy, result))
        result.failed += 1
        result.errors.append(f"{type(error).__name__}: {error}")
        _log.warning("embedding failed, the record is found by its words: %r", error)
        return 0
    result.indexed += done
    return done


def _embed_singly(
    pending: tuple[PendingEntry, ...], model: str, policy: MemoryPolicy, result: IndexResult
) -> Steps[int]:
    done = in_a_row = 0
    for each in pending:
        if in_a_row == _FAILURES_IN_A_ROW:
            result.failed += 1
            continue
        one = yield from _embed((each,), model, policy, result)
        in_a_row = 0 if one else in_a_row + 1
        done += one
    return done


def _embed_batch(pending: tuple[PendingEntry, ...], model: str, policy: MemoryPolicy) -> Steps[int]:
    texts = [each.text[: policy.index_chars] for each in pending]
    vectors = yield from embed_documents(texts)
    ids = tuple(each.entry_id for each in pending)
    return (yield from ask(SaveVectors(model, ids, vectors)))
