"""Index: vectors are added in batches, whenever, by whichever model; words find meanwhile."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from helpers import (
    ANN,
    BOB,
    START,
    FailingEmbeddings,
    MovableClock,
    NamedEmbeddings,
    only,
    open_memory,
    recalled_memories,
    rows,
    said,
)

from langchain_layered_memory import LayeredMemory, MemoryPolicy
from langchain_layered_memory.errors import DimensionMismatchError

DAY = timedelta(days=1)


def fill(memory: LayeredMemory, count: int) -> None:
    """Write turns that no rule draws a memory from: each is one record to embed."""
    messages = [said(f"The museum ticket number {n} costs little.", f"m{n}") for n in range(count)]
    memory.write(messages, ANN)


def vectors(folder: Path) -> dict[str, int]:
    """Return how many vectors a file holds of each model."""
    found = rows(
        folder / "memory.db",
        "SELECT m.name, count(*) FROM vectors AS v JOIN models AS m ON m.id = v.model_id"
        " GROUP BY m.name",
    )
    return dict(found)


def test_unindexed_records_are_found_by_words(tmp_path: Path) -> None:
    with open_memory(tmp_path, embeddings=NamedEmbeddings("tiny")) as memory:
        memory.write([said("I like green tea.", "m1")], ANN)
        assert recalled_memories(memory, "Which tea?") == ["The user likes green tea"]
        assert vectors(tmp_path) == {}


def test_without_a_model_there_is_nothing_to_do(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        fill(memory, 3)
        assert memory.index().indexed == 0


def test_records_are_embedded_in_batches_and_once(tmp_path: Path) -> None:
    model, told = NamedEmbeddings("tiny"), []
    with open_memory(tmp_path, embeddings=model, policy=MemoryPolicy(embed_batch=4)) as memory:
        fill(memory, 10)
        result = memory.index(progress=told.append)
        assert (result.indexed, result.failed) == (10, 0)
        assert [len(batch) for batch in model.batches] == [4, 4, 2]
        assert told == [4, 4, 2]
        assert memory.index().indexed == 0
        assert len(model.batches) == 3
    assert vectors(tmp_path) == {"tiny": 10}


def test_an_index_run_that_was_broken_off_goes_on_where_it_stopped(tmp_path: Path) -> None:
    model = NamedEmbeddings("tiny")

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with open_memory(tmp_path, embeddings=model, policy=MemoryPolicy(embed_batch=4)) as memory:
        fill(memory, 10)
        with pytest.raises(KeyboardInterrupt):
            memory.index(progress=stop)
        assert vectors(tmp_path) == {"tiny": 4}
        assert memory.index().indexed == 6
    embedded = [text for batch in model.batches for text in batch]
    assert len(embedded) == len(set(embedded)) == 10


def test_another_handle_finishes_what_one_left(tmp_path: Path) -> None:
    with open_memory(tmp_path, embeddings=FailingEmbeddings()) as memory:
        fill(memory, 5)
        assert memory.index().failed > 0
    with open_memory(tmp_path, embeddings=NamedEmbeddings("tiny"), ids="other") as memory:
        assert memory.index().indexed == 5


def test_a_failing_model_leaves_the_work_for_the_next_run(tmp_path: Path) -> None:
    model = FailingEmbeddings()
    with open_memory(tmp_path, embeddings=model) as memory:
        fill(memory, 5)
        result = memory.index()
        assert (result.indexed, result.failed) == (0, 5)
        assert "the embedding service is down" in result.errors[0]
        assert vectors(tmp_path) == {}
        model.refused = None
        assert (memory.index().indexed, vectors(tmp_path)) == (5, {"tiny": 5})


def test_one_bad_text_costs_itself_only(tmp_path: Path) -> None:
    model = FailingEmbeddings(refused="number 1 ")
    with open_memory(tmp_path, embeddings=model) as memory:
        fill(memory, 3)
        result = memory.index()
        assert (result.indexed, result.failed) == (2, 1)
        assert vectors(tmp_path) == {"tiny": 2}
        model.refused = None
        assert memory.index().indexed == 1
        assert vectors(tmp_path) == {"tiny": 3}


def test_a_changed_memory_is_embedded_again(tmp_path: Path) -> None:
    model = NamedEmbeddings("tiny")
    with open_memory(tmp_path, embeddings=model) as memory:
        memory.write([said("I like sushi.", "m1")], ANN)
        memory.index()
        memory.write([said("Actually I can't stand sushi now.", "m2")], ANN, at=START + DAY)
        memory.index()
    assert "The user can't stand sushi" in model.batches[-1]
    assert "The user likes sushi" not in model.batches[-1]


class TestAnotherModel:
    def test_nothing_is_mixed_and_recall_works_meanwhile(self, tmp_path: Path) -> None:
        with open_memory(tmp_path, embeddings=NamedEmbeddings("old", 64)) as memory:
            memory.write([said("I like green tea.", "m1")], ANN)
            memory.index()
        with open_memory(tmp_path, embeddings=NamedEmbeddings("new", 32), ids="b") as memory:
            (item,) = memory.recall("Which tea?", ANN).items
            assert item.parts.get("similarity", 0.0) == 0.0
            assert vectors(tmp_path) == {"old": 2}
            assert memory.index().indexed == 2
            assert vectors(tmp_path)["new"] == 2
            (item,) = memory.recall("Which tea?", ANN).items
            assert item.record.sources[0].message_id == "m1"
        sizes = rows(
            tmp_path / "memory.db",
            "SELECT DISTINCT m.name, m.dims, length(v.vector) / 4"
            " FROM vectors AS v JOIN models AS m ON m.id = v.model_id",
        )
        assert all(dims == stored for _, dims, stored in sizes)

    def test_going_back_to_the_old_model_needs_no_work(self, tmp_path: Path) -> None:
        with open_memory(tmp_path, embeddings=NamedEmbeddings("old")) as memory:
            fill(memory, 3)
            memory.index()
        with open_memory(tmp_path, embeddings=NamedEmbeddings("new"), ids="b") as memory:
            memory.index()
        with open_memory(tmp_path, embeddings=NamedEmbeddings("old"), ids="c") as memory:
            assert memory.index().indexed == 0

    def test_one_name_with_other_dimensions_names_both(self, tmp_path: Path) -> None:
        with open_memory(tmp_path, embeddings=NamedEmbeddings("tiny", 64)) as memory:
            memory.write([said("I like green tea.", "m1")], ANN)
            memory.index()
        with open_memory(tmp_path, embeddings=NamedEmbeddings("tiny", 48), ids="b") as memory:
            memory.write([said("I live in Oslo.", "m2")], ANN)
            with pytest.raises(DimensionMismatchError, match=r"(?s)tiny.*64.*48"):
                memory.recall("Which tea?", ANN)
            with pytest.raises(DimensionMismatchError, match=r"(?s)tiny.*64.*48"):
                memory.index()
        assert vectors(tmp_path) == {"tiny": 2}


class TestVectorsGo:
    def test_with_an_erased_user(self, tmp_path: Path) -> None:
        with open_memory(tmp_path, embeddings=NamedEmbeddings("tiny")) as memory:
            memory.write([said("I like green tea.", "m1")], ANN)
            memory.write([said("I like green tea.", "m1")], BOB)
            memory.index()
            assert vectors(tmp_path) == {"tiny": 4}
            memory.recall("Which tea?", ANN)  # a copy of the vectors is held now
            memory.erase("ann")
            assert vectors(tmp_path) == {"tiny": 2}
            assert memory.recall("green tea", ANN).items == ()
            assert recalled_memories(memory, "green tea", BOB) == ["The user likes green tea"]

    def test_with_a_purged_memory(self, tmp_path: Path) -> None:
        clock = MovableClock()
        with open_memory(tmp_path, clock=clock, embeddings=NamedEmbeddings("tiny")) as memory:
            memory.write([said("I like green tea.", "m1")], ANN)
            memory.write([said("I live in Oslo.", "m2")], ANN)
            memory.index()
            memory.recall("Which tea?", ANN)
            assert vectors(tmp_path) == {"tiny": 4}
            tea = next(each for each in memory.memories(ANN) if "tea" in each.content)
            memory.retract(tea.id)
            clock.advance(days=91)
            assert memory.forget().count("purged") == 1
            assert vectors(tmp_path) == {"tiny": 3}
            assert only(memory).content == "The user lives in Oslo"
            assert recalled_memories(memory, "green tea") == []

    def test_with_a_cleared_conversation(self, tmp_path: Path) -> None:
        with open_memory(tmp_path, embeddings=NamedEmbeddings("tiny")) as memory:
            fill(memory, 3)
            memory.index()
            memory.chat_history(ANN).clear()
        assert vectors(tmp_path) == {}
