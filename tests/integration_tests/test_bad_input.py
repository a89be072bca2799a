"""Bad input, bad files: an error of our tree that says what to do, and what is stored stays."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from helpers import (
    ANN,
    EVERY_STATUS,
    NamedEmbeddings,
    change,
    contents,
    dump,
    file_url,
    in_child,
    only,
    open_memory,
    recalled_memories,
    rows,
    said,
)
from langchain_core.messages import HumanMessage

from langchain_layered_memory import LayeredMemory, LayeredStore, MemoryPolicy, Scope
from langchain_layered_memory.errors import (
    BackendError,
    BackendUnavailableError,
    CorruptStoreError,
    EmbeddingError,
    InvalidInputError,
    LayeredMemoryError,
    MissingExtraError,
    NotFoundError,
    PolicyError,
    ReadOnlyError,
    SchemaTooNewError,
    ScopeError,
    ValueNotStorableError,
)

NOBODY = 65534
MEGABYTES_10 = 10_000_000


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[LayeredMemory]:
    with open_memory(tmp_path) as memory:
        yield memory


@pytest.fixture
def unchanged(tmp_path: Path, memory: LayeredMemory) -> Iterator[LayeredMemory]:
    """A memory whose file must hold at the end what it held at the beginning."""
    memory.write([said("I like tea.", "m1")], ANN)
    before = dump(tmp_path / "memory.db")
    yield memory
    assert dump(tmp_path / "memory.db") == before


def turns(memory: LayeredMemory) -> list[str]:
    return [str(each.content) for each in memory.chat_history(ANN, max_messages=1000).messages]


class TestScopes:
    @pytest.mark.parametrize(
        "user", [None, "", "  ", "\n", True, 1.5, b"ann", [], "a\x00b", "\ud83d"]
    )
    def test_what_names_nobody_is_refused(self, user: Any) -> None:
        with pytest.raises(ScopeError, match="user_id"):
            Scope(user)

    @pytest.mark.parametrize("name", ["tenant_id", "session_id", "agent_id"])
    @pytest.mark.parametrize("value", ["", " ", False, 2.0, "a\x00"])
    def test_blank_or_odd_ids_are_refused(self, name: str, value: Any) -> None:
        with pytest.raises(ScopeError, match=name):
            Scope("ann", **{name: value})

    def test_a_user_id_is_not_optional(self) -> None:
        with pytest.raises(TypeError, match="user_id"):
            Scope()  # type: ignore[call-arg]

    @pytest.mark.parametrize(
        "user", ["ann@example.com", "a.b:c/d%e", "😀", "安", 7, UUID(int=5), "x" * 5000, "' --"]
    )
    def test_any_other_id_is_a_user(self, memory: LayeredMemory, user: str | int | UUID) -> None:
        memory.write([said("I like tea.", "m1")], Scope(user))
        assert contents(memory, Scope(str(user))) == ["The user likes tea"]

    def test_an_unknown_scope_is_empty(self, unchanged: LayeredMemory) -> None:
        nobody = Scope("nobody")
        assert unchanged.memories(nobody) == ()
        assert unchanged.recall("tea", nobody).items == ()
        assert unchanged.stats(nobody)["episodes"] == 0
        assert sum(unchanged.erase("nobody").values()) == 0

    def test_an_unknown_memory_is_not_found(self, unchanged: LayeredMemory) -> None:
        calls: list[Callable[[str], Any]] = [
            unchanged.history,
            unchanged.retract,
            unchanged.restore,
            lambda memory_id: unchanged.correct(memory_id, "The user likes mate"),
        ]
        for call in calls:
            for memory_id in ("nothing", "", "' OR 1=1 --"):
                with pytest.raises(NotFoundError, match="no memory"):
                    call(memory_id)

    def test_a_blank_correction_is_refused(self, unchanged: LayeredMemory) -> None:
        with pytest.raises(InvalidInputError, match="content"):
            unchanged.correct(only(unchanged).id, "  ")

    def test_a_chat_history_needs_a_session(self, unchanged: LayeredMemory) -> None:
        with pytest.raises(ScopeError, match="session_id"):
            unchanged.chat_history(Scope("ann"))


class TestMessages:
    def test_blank_messages_are_no_turns(self, unchanged: LayeredMemory) -> None:
        result = unchanged.write([("user", ""), ("user", " \n\t "), ("ai", "")], ANN)
        assert (result.turns, result.failures) == ([], [])
        assert unchanged.write([], ANN).turns == []

    def test_messages_without_ids_get_one(self, memory: LayeredMemory) -> None:
        result = memory.write([HumanMessage("I like tea."), HumanMessage("I like tea.")], ANN)
        assert len({turn.message_id for turn in result.turns}) == 2

    def test_nul_and_half_characters_are_replaced(self, memory: LayeredMemory) -> None:
        message = HumanMessage("I like t\x00ea and \ud83d.", id="m\x00\ud83d", name="An\x00n")
        memory.write([message], ANN)
        memory.write([message], ANN)
        assert turns(memory) == ["I like t\ufffdea and \ufffd."]
        assert memory.recall("t\x00ea \ud83d", ANN).items

    def test_a_whole_emoji_stays(self, memory: LayeredMemory) -> None:
        memory.write([said("I like 🍵 and 👩‍🚀.", "m1")], ANN)
        assert turns(memory) == ["I like 🍵 and 👩‍🚀."]

    def test_half_a_character_in_an_import_with_ids(self, memory: LayeredMemory) -> None:
        memory.import_history([{"text": "I like tea \ud83d.", "message_id": "m1"}], ANN)
        assert turns(memory) == ["I like tea \ufffd."]

    def test_half_a_character_in_an_import_without_ids(self, memory: LayeredMemory) -> None:
        memory.import_history([{"text": "I like tea \ud83d."}], ANN)
        assert turns(memory) == ["I like tea \ufffd."]

    @pytest.mark.parametrize(
        ("row", "said_about"),
        [
            ({"role": "user"}, "text"),
            ({"text": None}, "text"),
            ({"text": 7}, "text"),
            ({"text": "I like tea.", "ts": "yesterday"}, "ISO 8601"),
            ({"text": "I like tea.", "session_id": 1.5}, "session_id"),
        ],
    )
    def test_a_bad_row_of_an_import_is_named(
        self, unchanged: LayeredMemory, row: dict[str, Any], said_about: str
    ) -> None:
        with pytest.raises(InvalidInputError, match=said_about):
            unchanged.import_history([row], ANN)

    def test_ten_megabytes_said(self, memory: LayeredMemory, tmp_path: Path) -> None:
        text = "I like tea. " + "word " * (MEGABYTES_10 // 5)
        memory.write([said(text, "m1")], ANN)
        assert contents(memory) == ["The user likes tea"]
        assert rows(tmp_path / "memory.db", "SELECT length(text) FROM episodes") == [(len(text),)]
        found = memory.recall("Which tea?", ANN)
        assert found.items
        assert len(found.text) < 10_000

    def test_what_converts_to_no_message_is_refused(self, unchanged: LayeredMemory) -> None:
        for messages in ([("nobody", "x")], [object()], [{"text": "no role"}]):
            with pytest.raises((ValueError, NotImplementedError)):
                unchanged.write(messages, ANN)  # type: ignore[arg-type]


class TestStoreValues:
    def test_nul_and_half_characters_come_back(self, memory: LayeredMemory) -> None:
        value = {"nul": "a\x00b", "half": "a\ud83d", "key\x00": ["\udc00"]}
        memory.store.put(("notes",), "k\x00\ud83d", value)
        item = memory.store.get(("notes",), "k\x00\ud83d")
        assert item is not None
        assert item.value == value

    def test_ten_megabytes_come_back(self, memory: LayeredMemory) -> None:
        value = {"text": "x" * MEGABYTES_10}
        memory.store.put(("notes",), "large", value)
        item = memory.store.get(("notes",), "large")
        assert item is not None
        assert item.value == value

    @pytest.mark.parametrize(
        "value",
        [{"when": object()}, {"n": float("nan")}, {1: "key"}, {"b": b"bytes"}, {"s": {1, 2}}],
    )
    def test_what_json_cannot_hold_is_refused(
        self, unchanged: LayeredMemory, value: dict[Any, Any]
    ) -> None:
        with pytest.raises(ValueNotStorableError, match="value"):
            unchanged.store.put(("notes",), "k", value)


class TestEmbeddings:
    @pytest.mark.parametrize(
        "given",
        [[[1.0, 2.0]], [[1.0], [1.0, 2.0]], [[float("nan")], [1.0]], []],
        ids=["too-few", "ragged", "nan", "none"],
    )
    def test_what_is_not_one_vector_for_each_text_is_reported(
        self, tmp_path: Path, given: list[list[float]]
    ) -> None:
        class Odd(NamedEmbeddings):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return given if len(texts) > 1 else [[float("inf")]]

        with open_memory(tmp_path, embeddings=Odd("odd")) as memory:
            memory.write([said("I like tea.", "m1")], ANN)
            result = memory.index()
            assert (result.indexed, result.failed) == (0, 2)
            assert all(EmbeddingError.__name__ in error for error in result.errors)
            assert recalled_memories(memory, "Which tea?") == ["The user likes tea"]

    def test_a_store_with_vectors_of_another_length(self, tmp_path: Path) -> None:
        url = file_url(tmp_path)
        with LayeredStore(url, index={"embed": NamedEmbeddings("tiny", 32), "dims": 32}) as store:
            store.put(("notes",), "k", {"text": "tea"})
        before = dump(tmp_path / "memory.db")
        with (
            LayeredStore(url, index={"embed": NamedEmbeddings("tiny", 48), "dims": 48}) as store,
            pytest.raises(EmbeddingError, match=r"(?s)32.*48"),
        ):
            store.put(("notes",), "k2", {"text": "coffee"})
        assert dump(tmp_path / "memory.db") == before


class TestSettings:
    @pytest.mark.parametrize(
        "url", ["", "agent.db", "sqlite:", "sqlite://", "sqlite:///", "mongodb://x", "/tmp/x.db"]
    )
    def test_an_unknown_url_is_refused(self, url: str) -> None:
        with pytest.raises(InvalidInputError, match="sqlite:///"):
            LayeredMemory.open(url)

    def test_a_url_with_an_unknown_option_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInputError, match="synchronous"):
            LayeredMemory.open(f"{file_url(tmp_path)}?mode=ro")
        assert list(tmp_path.iterdir()) == []

    def test_a_database_that_needs_an_extra_names_it(self) -> None:
        with pytest.raises(MissingExtraError, match="postgres"):
            LayeredMemory.open("postgresql://localhost/x")

    @pytest.mark.parametrize(
        "figure", [{"verify_below": 1.5}, {"token_budget": 0}, {"embed_batch": 2.5}, {"k": 3}]
    )
    def test_a_figure_out_of_range_is_refused(self, figure: dict[str, Any]) -> None:
        with pytest.raises((PolicyError, TypeError), match=next(iter(figure))):
            MemoryPolicy(**figure)


class TestFiles:
    def test_a_folder_that_does_not_exist(self, tmp_path: Path) -> None:
        with pytest.raises(BackendUnavailableError, match="no folder"):
            LayeredMemory.open(file_url(tmp_path / "missing"))
        assert not (tmp_path / "missing").exists()

    def test_a_folder_in_place_of_a_file(self, tmp_path: Path) -> None:
        with pytest.raises(BackendUnavailableError, match=tmp_path.name):
            LayeredMemory.open(f"sqlite:///{tmp_path}")

    @pytest.mark.parametrize("held", [b"Dear diary, " * 1000, b"\x00" * 4096, os.urandom(8192)])
    def test_a_file_that_is_no_database(self, tmp_path: Path, held: bytes) -> None:
        path = tmp_path / "memory.db"
        path.write_bytes(held)
        with pytest.raises(CorruptStoreError, match="not a SQLite database"):
            LayeredMemory.open(file_url(tmp_path))
        assert path.read_bytes() == held

    def test_a_damaged_file(self, tmp_path: Path) -> None:
        with open_memory(tmp_path) as memory:
            messages = [said(f"I like thing{number}.", f"m{number}") for number in range(200)]
            memory.write(messages, ANN)
        path = tmp_path / "memory.db"
        held = path.read_bytes()
        damaged = held[:4096] + b"\xff" * (len(held) - 4096)
        path.write_bytes(damaged)
        with pytest.raises(CorruptStoreError, match="damaged"):
            LayeredMemory.open(file_url(tmp_path)).recall("Which thing?", ANN)
        assert path.read_bytes() == damaged

    def test_a_newer_schema(self, tmp_path: Path) -> None:
        with open_memory(tmp_path) as memory:
            memory.write([said("I like tea.", "m1")], ANN)
        path = tmp_path / "memory.db"
        change(path, "INSERT INTO layered_memory_schema VALUES (999, '0999_future.sql')")
        before = dump(path)
        with pytest.raises(SchemaTooNewError, match="upgrade"):
            LayeredMemory.open(file_url(tmp_path))
        assert dump(path) == before

    @pytest.mark.parametrize("table", ["episodes", "items", "vectors", "scopes"])
    def test_another_programs_tables(self, tmp_path: Path, table: str) -> None:
        path = tmp_path / "memory.db"
        change(path, f"CREATE TABLE {table} (title TEXT)")
        change(path, f"INSERT INTO {table} VALUES ('The pilot')")
        before = dump(path)
        with pytest.raises(BackendError, match="another program"):
            LayeredMemory.open(file_url(tmp_path))
        assert dump(path) == before

    def test_another_programs_other_tables_are_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        change(path, "CREATE TABLE invoices (total INTEGER)")
        change(path, "INSERT INTO invoices VALUES (7)")
        with open_memory(tmp_path) as memory:
            memory.write([said("I like tea.", "m1")], ANN)
            memory.erase("ann")
        assert rows(path, "SELECT total FROM invoices") == [(7,)]

    def test_a_file_that_another_process_keeps_locked(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from langchain_layered_memory.backends.sqlite import connections

        monkeypatch.setattr(connections, "BUSY_SECONDS", 0.05)
        with (
            open_memory(tmp_path) as memory,
            closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as other,
        ):
            memory.write([said("I like tea.", "m1")], ANN)
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(BackendUnavailableError, match="locked by another process"):
                memory.write([said("I live in Oslo.", "m2")], ANN)
            assert contents(memory) == ["The user likes tea"]
            other.execute("ROLLBACK")
            memory.write([said("I live in Oslo.", "m2")], ANN)
            assert len(contents(memory)) == 2


class TestReadOnly:
    """Permissions do not bind root, so root does this as nobody, in a child."""

    @pytest.fixture
    def folder(self) -> Iterator[Path]:
        """A folder outside of pytest's, which nobody else may enter."""
        folder = Path(tempfile.mkdtemp())
        with open_memory(folder) as memory:
            memory.write([said("I like tea.", "m1")], ANN)
        (folder / "memory.db").chmod(0o444)
        folder.chmod(0o777)
        yield folder
        shutil.rmtree(folder)

    @staticmethod
    def unprivileged(work: Callable[[], object]) -> int:
        return in_child(work, user=NOBODY if os.getuid() == 0 else None)

    def test_writing_says_that_it_is_read_only(self, folder: Path) -> None:
        before = dump(folder / "memory.db")

        def work() -> None:
            memory = open_memory(folder)
            with pytest.raises(ReadOnlyError, match="permissions"):
                memory.write([said("I live in Oslo.", "m2")], ANN)
            with pytest.raises(ReadOnlyError, match="permissions"):
                memory.store.put(("notes",), "k", {"v": 1})

        assert self.unprivileged(work) == 0
        assert dump(folder / "memory.db") == before

    def test_reading_works(self, folder: Path) -> None:
        def work() -> None:
            memory = open_memory(folder)
            assert contents(memory) == ["The user likes tea"]
            assert memory.stats()["episodes"] == 1
            assert memory.store.search(("notes",)) == []

        assert self.unprivileged(work) == 0

    def test_recalling_works(self, folder: Path) -> None:
        def work() -> None:
            assert recalled_memories(open_memory(folder), "Which tea?") == ["The user likes tea"]

        assert self.unprivileged(work) == 0

    def test_a_read_only_folder_says_so(self, folder: Path) -> None:
        (folder / "memory.db").chmod(0o644)
        folder.chmod(0o755)

        def work() -> None:
            with pytest.raises((ReadOnlyError, BackendUnavailableError), match=r"memory\.db"):
                open_memory(folder).write([said("I live in Oslo.", "m2")], ANN)

        if os.getuid() == 0:
            assert self.unprivileged(work) == 0

    @pytest.mark.parametrize(
        ("code", "ours"),
        [
            (sqlite3.SQLITE_READONLY, ReadOnlyError),
            (sqlite3.SQLITE_PERM, ReadOnlyError),
            (sqlite3.SQLITE_FULL, BackendUnavailableError),
            (sqlite3.SQLITE_NOTADB, CorruptStoreError),
            (sqlite3.SQLITE_IOERR, BackendError),
        ],
    )
    def test_sqlites_own_error_becomes_ours_with_its_cause(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, ours: type[BackendError]
    ) -> None:
        theirs = sqlite3.OperationalError("said by SQLite")
        theirs.sqlite_errorcode = code

        def refuse(*_: object, **__: object) -> None:
            raise theirs

        monkeypatch.setattr(sqlite3, "connect", refuse)
        with pytest.raises(ours, match=r"memory\.db") as caught:
            LayeredMemory.open(file_url(tmp_path))
        assert caught.value.__cause__ is theirs


def test_every_error_is_of_one_tree(unchanged: LayeredMemory) -> None:
    calls: list[Callable[[], object]] = [
        lambda: unchanged.recall("tea", ANN, k=0),
        lambda: unchanged.history("nothing"),
        lambda: unchanged.import_history([{}], ANN),
        lambda: unchanged.store.put(("layers", "x"), "k", {}),
        lambda: unchanged.store.search(("a",), filter={"n": {"$near": 1}}),
        lambda: LayeredMemory.open("sqlite:///x.db", cold_path="s3://x"),
    ]
    for call in calls:
        with pytest.raises(LayeredMemoryError):
            call()
    assert contents(unchanged, ANN, *EVERY_STATUS) == ["The user likes tea"]
