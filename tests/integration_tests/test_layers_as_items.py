"""The layers as items of the store: read by any LangGraph tool, written by none."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from helpers import ANN, BOB, START, dump, only, open_memory, said
from langchain_core.messages import AIMessage
from langgraph.store.base import GetOp, PutOp, SearchOp

from langchain_layered_memory import LayeredMemory, Scope
from langchain_layered_memory.adapters.layer_items import layer_namespace
from langchain_layered_memory.errors import FilterError, ReservedNamespaceError

MEMORIES = ("layers", "default", "ann", "memories")
EPISODES = ("layers", "default", "ann", "episodes")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[LayeredMemory]:
    with open_memory(tmp_path) as memory:
        memory.write([said("I like green tea.", "m1"), AIMessage("Noted.", id="a1")], ANN)
        memory.write([said("I live in Oslo.", "m2")], ANN, at=START + timedelta(days=1))
        memory.write([said("I like black coffee.", "m1")], BOB)
        yield memory


def found(items: Any, field: str) -> list[str]:
    return sorted(item.value[field] for item in items)


class TestGet:
    def test_a_memory(self, memory: LayeredMemory) -> None:
        tea = memory.memories(ANN)[0]
        item = memory.store.get(MEMORIES, tea.id)
        assert item is not None
        assert (item.namespace, item.key) == (MEMORIES, tea.id)
        assert (item.created_at, item.updated_at) == (tea.created_at, tea.updated_at)
        assert item.value["content"] == "The user likes green tea"
        assert item.value["valid_from"] == START.isoformat()
        (source,) = item.value["sources"]
        assert (source["session_id"], source["message_id"]) == ("monday", "m1")

    def test_a_turn(self, memory: LayeredMemory) -> None:
        (turn, *_) = memory.store.search(EPISODES, filter={"message_id": "m1"})
        item = memory.store.get(EPISODES, turn.key)
        assert item is not None
        assert (item.value["text"], item.value["role"]) == ("I like green tea.", "user")

    def test_an_unknown_id_or_layer_gives_none(self, memory: LayeredMemory) -> None:
        tea = memory.memories(ANN)[0].id
        for namespace in (
            EPISODES,
            MEMORIES[:3],
            (*MEMORIES, "x"),
            ("layers", "default", "ann", "x"),
        ):
            assert memory.store.get(namespace, tea) is None
        assert memory.store.get(MEMORIES, "nothing") is None

    def test_another_users_record_gives_none(self, memory: LayeredMemory) -> None:
        for scope in (BOB, Scope("ann", "other"), Scope("nobody")):
            for layer in ("memories", "episodes"):
                namespace = layer_namespace(scope, layer)  # type: ignore[arg-type]
                for item in (*memory.store.search(MEMORIES), *memory.store.search(EPISODES)):
                    assert memory.store.get(namespace, item.key) is None

    async def test_awaited_and_in_a_batch(self, memory: LayeredMemory) -> None:
        tea = memory.memories(ANN)[0].id
        item = await memory.store.aget(MEMORIES, tea)
        assert item is not None
        memory.store.put(("notes",), "k", {"v": 1})
        answers = await memory.store.abatch(
            [GetOp(("notes",), "k"), GetOp(MEMORIES, tea), SearchOp(EPISODES)]
        )
        assert answers[0].value == {"v": 1}  # type: ignore[union-attr]
        assert answers[1].value == item.value  # type: ignore[union-attr]
        assert len(answers[2]) == 3  # type: ignore[arg-type]

    def test_a_retracted_memory_is_not_shown(self, memory: LayeredMemory) -> None:
        tea = memory.memories(ANN)[0].id
        memory.retract(tea)
        assert [item.key for item in memory.store.search(MEMORIES) if item.key == tea] == []
        assert memory.store.get(MEMORIES, tea) is None


class TestSearch:
    def test_a_layer_of_a_user(self, memory: LayeredMemory) -> None:
        memories = ["The user likes green tea", "The user lives in Oslo"]
        assert found(memory.store.search(MEMORIES), "content") == memories
        turns = ["I like green tea.", "I live in Oslo.", "Noted."]
        assert found(memory.store.search(EPISODES), "text") == turns

    def test_by_words(self, memory: LayeredMemory) -> None:
        items = memory.store.search(MEMORIES, query="Which tea?")
        assert found(items, "content") == ["The user likes green tea"]
        assert items[0].score is not None
        assert items[0].score > 0
        assert memory.store.search(MEMORIES, query="bicycle") == []

    def test_by_filter(self, memory: LayeredMemory) -> None:
        items = memory.store.search(MEMORIES, filter={"kind": "preference"})
        assert found(items, "content") == ["The user likes green tea"]
        later = {"valid_from": {"$gt": START.isoformat()}}
        assert found(memory.store.search(MEMORIES, filter=later), "value") == ["Oslo"]
        either = {"$or": [{"value": "Oslo"}, {"importance": {"$gt": 5}}]}
        assert found(memory.store.search(MEMORIES, filter=either), "value") == ["Oslo"]
        assert memory.store.search(MEMORIES, filter={"role": "user"}) == []
        with pytest.raises(FilterError):
            memory.store.search(MEMORIES, filter={"kind": {"$near": 1}})

    def test_by_filter_and_words(self, memory: LayeredMemory) -> None:
        items = memory.store.search(EPISODES, query="green tea Oslo", filter={"role": "user"})
        assert found(items, "text") == ["I like green tea.", "I live in Oslo."]

    def test_limit_and_offset_neither_repeat_nor_skip(self, memory: LayeredMemory) -> None:
        pages = [memory.store.search(EPISODES, limit=1, offset=page) for page in range(4)]
        keys = [item.key for page in pages for item in page]
        assert len(keys) == len(set(keys)) == 3

    def test_below_a_prefix(self, memory: LayeredMemory) -> None:
        anns = memory.store.search(("layers", "default", "ann"), limit=100)
        assert {item.namespace for item in anns} == {MEMORIES, EPISODES}
        every = memory.store.search(("layers",), limit=100)
        assert {item.namespace[2] for item in every} == {"ann", "bob"}
        assert memory.store.search(("layers", "default", "an")) == []

    def test_the_root_of_the_store_does_not_show_layers(self, memory: LayeredMemory) -> None:
        assert memory.store.search(()) == []
        memory.store.put(("notes",), "k", {"text": "tea"})
        assert [item.namespace for item in memory.store.search((), limit=100)] == [("notes",)]
        assert memory.store.list_namespaces() == [("notes",)]

    def test_reading_counts_no_access(self, memory: LayeredMemory, tmp_path: Path) -> None:
        before = dump(tmp_path / "memory.db")
        memory.store.search(MEMORIES, query="tea")
        memory.store.get(MEMORIES, memory.memories(ANN)[0].id)
        memory.store.list_namespaces(prefix=("layers",))
        assert dump(tmp_path / "memory.db") == before


class TestNamespaces:
    def test_below_the_root(self, memory: LayeredMemory) -> None:
        expected = [
            layer_namespace(who, layer) for who in (ANN, BOB) for layer in ("episodes", "memories")
        ]  # type: ignore[arg-type]
        assert memory.store.list_namespaces(prefix=("layers",)) == expected
        assert memory.store.list_namespaces(prefix=("layers",), suffix=("memories",)) == [
            each for each in expected if each[3] == "memories"
        ]
        assert memory.store.list_namespaces(prefix=("layers",), max_depth=3) == [
            ("layers", "default", "ann"),
            ("layers", "default", "bob"),
        ]
        assert memory.store.list_namespaces(prefix=MEMORIES[:3]) == [EPISODES, MEMORIES]

    @pytest.mark.parametrize(
        "user", ["ann.b@example.com", "50%", "%2E", "a%2Eb.c", "%25.", "..", "😀.x", "a/b:c"]
    )
    def test_ids_with_dots_and_percent_signs(self, memory: LayeredMemory, user: str) -> None:
        scope = Scope(user, "a.cme%")
        memory.write([said("I like mate.", "m1")], scope)
        namespace = layer_namespace(scope, "memories")
        assert not any("." in label for label in namespace)
        assert namespace in memory.store.list_namespaces(prefix=("layers",), limit=100)
        (item,) = memory.store.search(namespace)
        assert (item.namespace, item.key) == (namespace, only(memory, scope).id)
        assert memory.store.get(namespace, item.key) is not None
        assert memory.store.search(namespace, query="mate")[0].key == item.key

    def test_ids_that_look_alike_are_apart(self, memory: LayeredMemory) -> None:
        users = ("a.b", "a%2Eb", "a%252Eb")
        for user in users:
            memory.write([said("I like mate.", "m1")], Scope(user))
        keys = {
            item.key
            for user in users
            for item in memory.store.search(layer_namespace(Scope(user), "memories"))
        }
        assert len(keys) == len(users)


class TestWritesAreRefused:
    @pytest.mark.parametrize(
        "namespace", [("layers",), MEMORIES, EPISODES, ("layers", "x", "y", "z")]
    )
    def test_put_and_delete(
        self, memory: LayeredMemory, tmp_path: Path, namespace: tuple[str, ...]
    ) -> None:
        before = dump(tmp_path / "memory.db")
        key = memory.memories(ANN)[0].id
        with pytest.raises(ReservedNamespaceError, match="LayeredMemory"):
            memory.store.put(namespace, key, {"content": "forged"})
        with pytest.raises(ReservedNamespaceError, match="LayeredMemory"):
            memory.store.delete(namespace, key)
        assert dump(tmp_path / "memory.db") == before

    async def test_awaited_in_a_batch_nothing_of_the_batch_is_written(
        self, memory: LayeredMemory, tmp_path: Path
    ) -> None:
        before = dump(tmp_path / "memory.db")
        with pytest.raises(ReservedNamespaceError):
            await memory.store.abatch(
                [PutOp(("notes",), "k", {"v": 1}), PutOp(MEMORIES, "k", {"content": "forged"})]
            )
        assert dump(tmp_path / "memory.db") == before

    def test_a_namespace_that_only_begins_alike_is_free(self, memory: LayeredMemory) -> None:
        memory.store.put(("layers2", "x"), "k", {"v": 1})
        memory.store.put(("x", "layers"), "k", {"v": 1})
        assert len(memory.store.search((), limit=10)) == 2
