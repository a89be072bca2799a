"""How fast `LayeredStore` is beside LangGraph's own stores; prints a Markdown table.

    python tests/benchmarks/store_speed.py [--items 10000] [--repeat 200] [--json]

Two data sets: all items in one namespace, and users of 100 items each. Vectors are looked up, not
computed, so only the stores are measured. For each operation the stores take turns, repetition by
repetition, so that a busy moment of the machine meets all alike; in shuffled order, since a store
is slower just after one that waited for the disk or filled the processor's caches. Every answer is
compared with `InMemoryStore`'s; the script fails if `LayeredStore` gives another.

`SqliteStore` runs twice: on the connection that its `from_conn_string` opens, which keeps SQLite's
defaults (a rollback journal, flushed at each commit), and with the same journal and durability as
`LayeredStore` (WAL, synchronous=normal).
"""

from __future__ import annotations

import argparse
import functools
import gc
import json
import math
import os
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, PutOp, SearchItem
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from langchain_layered_memory.adapters.store import LayeredStore

DIMS = 384
SEED = 7
PER_USER = 100
BATCH = 100
LIMIT = 10
WARM_UP = 5
HEAVY_SHARE = 5  # a slow operation is repeated a fifth as often
TIE = 1e-5  # scores nearer than this may stand in either order
KINDS = ("food", "travel", "work", "music")

LAYERED, MEMORY = "LayeredStore", "InMemoryStore"
SQLITE_WAL, SQLITE = "SqliteStore (WAL)", "SqliteStore (defaults)"
OTHERS = (SQLITE_WAL, SQLITE, MEMORY)
STORES = (LAYERED, *OTHERS)

Namespace = tuple[str, ...]
Samples = dict[str, list[float]]


# ------------------------------------------------------------------ data


class LookUpEmbeddings(Embeddings):
    """Gives texts that end in a number the row of that number; no model, next to no cost."""

    model_name = "looked-up"

    def __init__(self, rows: int) -> None:
        made = np.random.default_rng(SEED).standard_normal((rows, DIMS)).astype(np.float32)
        self._matrix = made / np.linalg.norm(made, axis=1, keepdims=True)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of one text."""
        row: list[float] = self._matrix[int(text.rpartition(" ")[2])].tolist()
        return row

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vector of each text."""
        return [self.embed_query(text) for text in texts]


@dataclass(frozen=True)
class DataSet:
    """Where items lie and what they hold.

    Attributes:
        root: The prefix that all of them are below.
        users: How many namespaces they are spread over; 0 puts them all at the root.
        rows: How many different texts there are; the last of them are no item's at first.
    """

    name: str
    root: Namespace
    items: int
    users: int
    rows: int

    def namespace(self, number: int) -> Namespace:
        """Return where an item lies."""
        return (*self.root, f"user-{number % self.users:03}") if self.users else self.root

    def value(self, number: int, text: int | None = None) -> dict[str, Any]:
        """Return an item's value, if asked for with the text of another."""
        words = f"A note of some length, as people write them, is note {text or number}"
        kind = KINDS[number // max(self.users, 1) % len(KINDS)]
        return {"text": words, "kind": kind, "number": number}

    def put(self, number: int, text: int | None = None, key: str = "") -> PutOp:
        """Return what stores an item."""
        return PutOp(self.namespace(number), key or f"item-{number}", self.value(number, text))

    def spare_text(self, turn: int) -> int:
        """Return the number of a text; another for each turn, and no item's at first."""
        return self.items + turn % (self.rows - self.items)

    def question(self, turn: int) -> str:
        """Return a question; another for each turn."""
        return f"What about {self.spare_text(turn * 31)}"


# ------------------------------------------------------------------ stores


@dataclass(frozen=True)
class Contestant:
    """A store under its name in the table."""

    name: str
    store: BaseStore
    has_vectors: bool = True


def loads_extensions() -> bool:
    """Whether this Python lets SQLite load the extension that `SqliteStore` needs for vectors."""
    return hasattr(sqlite3.Connection, "enable_load_extension")


@contextmanager
def open_stores(folder: Path, embeddings: Embeddings) -> Iterator[list[Contestant]]:
    """Open an empty store of each kind."""
    index: Any = {"dims": DIMS, "embed": embeddings, "fields": ["text"]}
    with ExitStack() as stack:
        layered = LayeredStore(f"sqlite:///{folder / 'layered.db'}", index=index)
        yield [
            Contestant(LAYERED, stack.enter_context(layered)),
            _sqlite(stack, SQLITE_WAL, folder / "wal.db", index),
            _sqlite(stack, SQLITE, folder / "defaults.db", index),
            Contestant(MEMORY, InMemoryStore(index=index)),
        ]


def _sqlite(stack: ExitStack, name: str, path: Path, index: dict[str, Any]) -> Contestant:
    # It reads the fields under a name of its own; by the documented one it indexes whole values.
    own: Any = {**index, "text_fields": index["fields"]} if loads_extensions() else None
    store = stack.enter_context(SqliteStore.from_conn_string(str(path), index=own))
    if name == SQLITE_WAL:
        store.conn.execute("PRAGMA journal_mode = WAL")
        store.conn.execute("PRAGMA synchronous = NORMAL")
    store.setup()
    return Contestant(name, store, has_vectors=own is not None)


def load(contestants: Sequence[Contestant], data: DataSet) -> Iterator[None]:
    """Store every item, batch by batch; yields after each batch."""
    for start in range(0, data.items, BATCH):
        puts = [data.put(number) for number in range(start, min(start + BATCH, data.items))]
        for each in contestants:
            each.store.batch(puts)
        yield


# ------------------------------------------------------------------ operations

Action = Callable[[BaseStore, int], Any]


def nothing(store: BaseStore, turn: int) -> None:
    """Do nothing before or after an operation."""


@dataclass(frozen=True)
class Operation:
    """What is timed, and what is done around it untimed.

    Attributes:
        run: Given the store and the number of the repetition; its answer is compared.
        key: Makes two answers comparable; None where nothing is to compare.
        heavy: Whether to repeat it less often.
        vectors: Whether it needs a store with vectors.
    """

    name: str
    run: Action
    key: Callable[[Any], Any] | None = None
    before: Action = nothing
    after: Action = nothing
    heavy: bool = False
    vectors: bool = False


def as_ranked(found: list[SearchItem]) -> list[tuple[Namespace, str, float]]:
    """Return what must agree between two ranked answers."""
    return [(each.namespace, each.key, math.nan if each.score is None else each.score)
            for each in found]  # fmt: skip


def as_listed(found: list[SearchItem]) -> tuple[int, list[Namespace]]:
    """Return what must agree without a query, where each store has an order of its own."""
    return len(found), sorted({each.namespace for each in found})


def operations(data: DataSet) -> list[Operation]:
    """Return the operations on a data set: reads first, since writes leave traces behind."""
    return [*_reads(data), *_searches(data), *_writes(data)]


def _reads(data: DataSet) -> list[Operation]:
    def get(store: BaseStore, turn: int) -> Any:
        number = turn * 37 % data.items
        item = store.get(data.namespace(number), f"item-{number}")
        return item and item.value

    def listed(store: BaseStore, turn: int) -> list[SearchItem]:
        return store.search(data.namespace(turn), limit=LIMIT)

    def namespaces(store: BaseStore, turn: int) -> list[Namespace]:
        return store.list_namespaces(prefix=data.root, limit=1000)

    return [
        Operation("get", get, lambda value: value),
        Operation("search, no query", listed, as_listed),
        Operation("list_namespaces", namespaces, lambda found: found),
    ]


def _searches(data: DataSet) -> list[Operation]:
    def search(prefix: Namespace, turn: int, store: BaseStore, **options: Any) -> list[SearchItem]:
        return store.search(prefix, query=data.question(turn), limit=LIMIT, **options)

    def overwrite(store: BaseStore, turn: int) -> None:
        store.batch([data.put(turn % data.items, data.spare_text(turn))])

    def restore(store: BaseStore, turn: int) -> None:
        store.batch([data.put(turn % data.items)])

    ranked = functools.partial(Operation, key=as_ranked, vectors=True)
    found = [
        ranked("search all, query", lambda s, t: search(data.root, t, s), heavy=True),
        ranked("search all (empty prefix), query", lambda s, t: search((), t, s), heavy=True),
        ranked(
            "search all, query, just after a put",
            lambda s, t: search(data.root, t, s),
            before=overwrite,
            after=restore,
            heavy=True,
        ),
    ]
    if data.users:
        found[:0] = [
            ranked("search a user, query", lambda s, t: search(data.namespace(t), t, s)),
            ranked(
                "search a user, query and filter",
                lambda s, t: search(data.namespace(t), t, s, filter={"kind": KINDS[t % 4]}),
            ),
        ]
    return found


def _writes(data: DataSet) -> list[Operation]:
    def new(turn: int, each: int) -> PutOp:
        return data.put(turn + each, data.spare_text(turn + each), key=f"new-{turn}-{each}")

    def delete(store: BaseStore, turn: int, count: int = 1) -> None:
        made = (new(turn, each) for each in range(count))
        store.batch([PutOp(put.namespace, put.key, None) for put in made])

    def put(store: BaseStore, turn: int) -> None:
        op = new(turn, 0)
        assert op.value is not None
        store.put(op.namespace, op.key, op.value)

    def overwrite(store: BaseStore, turn: int) -> None:
        op = data.put(turn % data.items, data.spare_text(turn))
        assert op.value is not None
        store.put(op.namespace, op.key, op.value)

    def batch(store: BaseStore, turn: int) -> None:
        store.batch([new(turn, each) for each in range(BATCH)])

    delete_batch = functools.partial(delete, count=BATCH)
    return [
        Operation("put, new", put, after=delete, vectors=True),
        Operation("put, overwriting", overwrite, vectors=True),
        Operation(f"put, {BATCH} in a batch", batch, after=delete_batch, heavy=True, vectors=True),
    ]


# ------------------------------------------------------------------ measuring


@dataclass
class Comparison:
    """How many answers were compared, and how many differed from `InMemoryStore`'s, by store."""

    compared: dict[str, int] = field(default_factory=dict)
    differed: dict[str, list[str]] = field(default_factory=dict)

    def add(self, operation: Operation, answers: dict[str, Any]) -> None:
        """Compare the answers of one repetition."""
        if operation.key is None:
            return
        expected = operation.key(answers[MEMORY])
        for name, answer in answers.items():
            self.compared[name] = self.compared.get(name, 0) + 1
            if not agree(operation.key(answer), expected):
                self.differed.setdefault(name, []).append(operation.name)


def agree(answer: Any, expected: Any) -> bool:
    """Whether two answers are the same; ranked ones may order ties either way."""
    if not (isinstance(expected, list) and expected and isinstance(expected[0][-1], float)):
        return bool(answer == expected)
    scores, others = [each[-1] for each in answer], [each[-1] for each in expected]
    if len(scores) != len(others) or not np.allclose(scores, others, rtol=0.0, atol=TIE):
        return False
    return all(
        mine[:2] == theirs[:2] or _tied(others, place)
        for place, (mine, theirs) in enumerate(zip(answer, expected, strict=True))
    )


def _tied(scores: list[float], place: int) -> bool:
    """Whether a score ties with a neighbour's; of the last, the next neighbour is not known."""
    near = (scores[place - 1 : place] if place else []) + scores[place + 1 : place + 2]
    return place == len(scores) - 1 or any(abs(each - scores[place]) < TIE for each in near)


def measure(
    operation: Operation,
    contestants: Sequence[Contestant],
    repeat: int,
    comparison: Comparison,
    step: Callable[[], None],
) -> Samples:
    """Return each store's times in milliseconds, the stores taking turns."""
    able = [each for each in contestants if each.has_vectors or not operation.vectors]
    samples: Samples = {each.name: [] for each in able}
    shuffle = random.Random(SEED)
    for turn in range(-WARM_UP, repeat):
        answers: dict[str, Any] = {}
        for each in shuffle.sample(able, len(able)):
            operation.before(each.store, turn + WARM_UP)
            spent, answers[each.name] = _timed(operation, each.store, turn + WARM_UP)
            operation.after(each.store, turn + WARM_UP)
            if turn >= 0:
                samples[each.name].append(spent)
        comparison.add(operation, answers)
        step()
    return samples


def _timed(operation: Operation, store: BaseStore, turn: int) -> tuple[float, Any]:
    start = time.perf_counter_ns()
    answer = operation.run(store, turn)
    return (time.perf_counter_ns() - start) / 1e6, answer


def repetitions(operation: Operation, repeat: int) -> int:
    """Return how often to repeat an operation."""
    return max(repeat // HEAVY_SHARE, 5) if operation.heavy else repeat


def run(data: DataSet, embeddings: Embeddings, repeat: int, comparison: Comparison) -> list[Row]:
    """Fill a store of each kind and measure every operation on it."""
    wanted = operations(data)
    total = sum(repetitions(each, repeat) + WARM_UP for each in wanted)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_stores(Path(folder), embeddings) as contestants,
        progress_bar() as bar,
    ):
        task = bar.add_task(f"{data.name}: load", total=total + math.ceil(data.items / BATCH))
        step = functools.partial(_advance, bar, task)
        for _ in load(contestants, data):
            step()
        _settle()
        rows: list[Row] = []
        for each in wanted:
            bar.update(task, description=f"{data.name}: {each.name}")
            count = repetitions(each, repeat)
            rows += table_rows(data, each, measure(each, contestants, count, comparison, step))
        bar.refresh()
        return rows


def _settle() -> None:
    """Keep what was loaded out of the garbage collector's rounds while the clock runs."""
    gc.collect()
    gc.freeze()


def progress_bar() -> Progress:
    """Return a bar on stderr that draws only when told to: no thread of it runs meanwhile."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), auto_refresh=False)


def _advance(bar: Progress, task: Any) -> None:
    bar.advance(task)
    if int(bar.tasks[0].completed) % 10 == 0:
        bar.refresh()


# ------------------------------------------------------------------ reporting


@dataclass(frozen=True)
class Row:
    """One line of the table: milliseconds by store; a store that cannot is left out."""

    data: str
    operation: str
    times: dict[str, float]

    def ratio(self, other: str) -> float | None:
        """Return `LayeredStore`'s time over another's; below 1 it is the faster."""
        return self.times[LAYERED] / self.times[other] if other in self.times else None

    def as_dict(self) -> dict[str, Any]:
        """Return the row for JSON."""
        times = {name: self.times.get(name) for name in STORES}
        ratios = {name: self.ratio(name) for name in OTHERS}
        return {"data": self.data, "operation": self.operation, "ms": times, "ratio": ratios}

    def as_markdown(self) -> str:
        """Return the row for the table."""
        times = [_figure(self.times.get(name)) for name in STORES]
        ratios = [_figure(self.ratio(name), 2) for name in OTHERS]
        return f"| {' | '.join([self.data, self.operation, *times, *ratios])} |"


def table_rows(data: DataSet, operation: Operation, samples: Samples) -> list[Row]:
    """Return the medians of an operation, and of a single put the 95th percentile too."""
    row = {name: statistics.median(times) for name, times in samples.items()}
    rows = [Row(data.name, operation.name, row)]
    if operation.name.startswith("put") and not operation.heavy:
        slow = {name: float(np.percentile(times, 95)) for name, times in samples.items()}
        rows.append(Row(data.name, f"{operation.name} (p95)", slow))
    return rows


def _figure(number: float | None, decimals: int = 3) -> str:
    return "n/a" if number is None else f"{number:.{decimals}f}"


def markdown(rows: Sequence[Row]) -> str:
    """Return the table."""
    titles = ["data", "operation", *(f"{name}, ms" for name in STORES)]
    titles += [f"ratio to {name}" for name in OTHERS]
    rule = "|".join(["---", "---", *["---:"] * (len(titles) - 2)])
    head = f"| {' | '.join(titles)} |\n|{rule}|"
    return "\n".join([head, *(row.as_markdown() for row in rows)])


def notes(comparison: Comparison) -> list[str]:
    """Return what to know of the figures."""
    said = [
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"numpy {np.__version__}, {platform.machine()}; {DIMS} dimensions.",
        f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f} at the end; much "
        "above 1, the machine had other work too and the figures are too high.",
        "Medians; a ratio below 1 means that LayeredStore is the faster.",
        "Without a query each store has an order of its own (InMemoryStore oldest first, "
        "SqliteStore newest first to the second, LayeredStore newest first), so only the number "
        "of items and their namespaces are compared.",
    ]
    if not loads_extensions():
        said.append(
            "This Python's sqlite3 cannot load extensions, so SqliteStore has no vectors here: "
            "what needs them is n/a."
        )
    for name, count in sorted(comparison.compared.items()):
        wrong = comparison.differed.get(name, [])
        where = f" (in {', '.join(sorted(set(wrong)))})" if wrong else ""
        said.append(f"{name}: {len(wrong)} of {count} answers differ from InMemoryStore's{where}.")
    return said


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--items", type=int, default=10_000, help="items in each data set")
    parser.add_argument("--repeat", type=int, default=200, help="repetitions of quick operations")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    options = parser.parse_args(arguments)
    if options.items < PER_USER or options.repeat < 1:
        parser.error(f"--items is at least {PER_USER}, --repeat at least 1")
    return options


def main() -> int:
    """Measure, print, and return 1 if `LayeredStore` gave other answers than `InMemoryStore`."""
    options = parse_arguments()
    rows_of_text = options.items + 5003
    embeddings, comparison = LookUpEmbeddings(rows_of_text), Comparison()
    users = options.items // PER_USER
    sets = (
        DataSet(f"{options.items:,} items", ("notes",), options.items, 0, rows_of_text),
        DataSet(f"{users} × {PER_USER}", ("users",), users * PER_USER, users, rows_of_text),
    )
    rows = [row for each in sets for row in run(each, embeddings, options.repeat, comparison)]
    if options.json:
        found = {"rows": [row.as_dict() for row in rows], "notes": notes(comparison)}
        print(json.dumps(found, indent=2))
    else:
        print(markdown(rows), *(f"- {note}" for note in notes(comparison)), sep="\n")
    return 1 if LAYERED in comparison.differed else 0


if __name__ == "__main__":
    sys.exit(main())
