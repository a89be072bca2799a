"""The whole recall, fed by hand: what is shown, what is left out, and what never breaks it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from langchain_layered_memory.errors import BackendError, BackendUnavailableError, ReadOnlyError
from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.recall.result import Recall
from langchain_layered_memory.recall.step import Question, recall
from langchain_layered_memory.records import Episode, Memory, Scope, Source, Version
from langchain_layered_memory.requests import (
    CountRecords,
    Embed,
    Hit,
    LoadEpisodes,
    LoadHistories,
    OutdatedTurns,
    Request,
    SearchTerms,
    SearchVectors,
    TouchMemories,
)
from langchain_layered_memory.steps import run

ANN = Scope("ann", session_id="s1")
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
LIKES = "The user likes tea"


def turn(name: str, text: str = "I like tea") -> Episode:
    return Episode(name, ANN, name, "user", "user", text, NOW - DAY, NOW)


def memory(name: str, content: str = LIKES, *, at: datetime = NOW - DAY, **more: Any) -> Memory:
    defaults: dict[str, Any] = {
        "id": name,
        "scope": ANN,
        "kind": "fact",
        "content": content,
        "subject": "user",
        "attribute": name,
        "value": content,
        "slot": name,
        "importance": 3,
        "confidence": 0.9,
        "valid_from": at,
        "created_at": at,
        "updated_at": at,
        "sources": (Source("s1", f"of-{name}", at, "words"),),
    }
    return Memory(**{**defaults, **more})


class Table:
    """Records by id with the score that words give them; what is asked is noted."""

    def __init__(self, *found: tuple[Episode | Memory, float], stored: int = 0) -> None:
        self.found, self.stored = found, stored
        self.former: dict[str, tuple[Version, ...]] = {}
        self.outdated: Mapping[tuple[str, str], str] = {}
        self.failing: dict[type[Request[Any]], Exception] = {}
        self.requests: list[Request[Any]] = []

    def __call__(self, request: Request[Any]) -> Any:
        self.requests.append(request)
        if type(request) in self.failing:
            raise self.failing[type(request)]
        records = {record.id: record for record, _ in self.found}
        match request:
            case SearchTerms():
                return tuple(self.hit(record, score) for record, score in self.found)
            case SearchVectors():
                return ()
            case Embed():
                return np.ones((1, 2), dtype=np.float32)
            case CountRecords():
                return self.stored
            case LoadEpisodes(_, ids):
                return tuple(r for n in ids if isinstance(r := records.get(n), Episode))
            case LoadHistories(_, ids):
                return {n: self.history(r) for n in ids if isinstance(r := records[n], Memory)}
            case OutdatedTurns():
                return self.outdated
            case TouchMemories():
                return None
        raise AssertionError(f"unexpected: {request!r}")

    def hit(self, record: Episode | Memory, score: float) -> Hit:
        if isinstance(record, Memory):
            return Hit("memories", record.id, score)
        return Hit("episodes", record.id, score, record.session_id, 2 * len(self.requests))

    def history(self, record: Memory) -> tuple[Version, ...]:
        now = Version(record, record.valid_from, None, "created")
        return (*self.former.get(record.id, ()), now)

    def ask(self, policy: MemoryPolicy | None = None, **more: Any) -> Recall:
        return run(recall(Question("Which tea?", ANN, NOW, **more), policy or MemoryPolicy()), self)

    def touched(self) -> list[str]:
        return [n for each in self.requests if isinstance(each, TouchMemories) for n in each.ids]


def names(found: Recall) -> list[str]:
    return [item.record.id for item in found.items]


def test_what_is_found_is_ranked_shown_and_counted() -> None:
    table = Table((memory("m1"), 0.3), (turn("t1", "Tea on Sunday with Mira, and cake"), 0.6))
    found = table.ask()
    assert names(found) == ["t1", "m1"]
    assert LIKES in found.text
    assert "cake" in found.text
    assert (found.notes, found.left_out) == ((), ())
    assert table.touched() == ["m1"]


def test_nothing_relevant_is_an_empty_answer_that_says_so() -> None:
    found = Table((memory("m1"), 0.01), stored=9).ask()
    assert (found.text, found.items, bool(found)) == ("", (), False)
    assert found.notes == ("nothing stored has to do with the question",)


def test_unknown_user_is_told_apart_from_an_unanswered_question() -> None:
    (note,) = Table().ask().notes
    assert "'ann'" in note
    assert "no records" in note


def test_failing_embedder_leaves_what_words_find_and_a_note() -> None:
    table = Table((memory("m1"), 0.5))
    table.failing[Embed] = TimeoutError("slow")
    found = table.ask(model="tiny")
    assert names(found) == ["m1"]
    assert ["embedding model failed" in note for note in found.notes] == [True]


def test_note_about_the_embedder_is_kept_when_nothing_is_found() -> None:
    table = Table(stored=1)
    table.failing[Embed] = TimeoutError("slow")
    assert len(table.ask(model="tiny").notes) == 2


@pytest.mark.parametrize(
    "error", [ReadOnlyError("read-only"), BackendUnavailableError("locked"), BackendError("no")]
)
def test_access_that_cannot_be_counted_is_ignored(error: Exception) -> None:
    table = Table((memory("m1"), 0.5))
    table.failing[TouchMemories] = error
    assert names(table.ask()) == ["m1"]


@pytest.mark.parametrize("failing", [SearchTerms, LoadHistories, OutdatedTurns])
def test_failing_search_is_not_hidden(failing: type[Request[Any]]) -> None:
    table = Table((memory("m1"), 0.5))
    table.failing[failing] = BackendError("gone")
    with pytest.raises(BackendError):
        table.ask()


@pytest.mark.parametrize("k", [1, 2, 5, 50])
def test_at_most_k_records_are_recalled_best_first(k: int) -> None:
    table = Table(*((memory(f"m{i}", f"{LIKES} {i}"), 0.1 * i) for i in range(1, 6)))
    found = table.ask(k=k, explain=True)
    assert names(found) == ["m5", "m4", "m3", "m2", "m1"][:k]
    assert len(found.items) + len(found.left_out) <= 5
    assert table.touched() == names(found)


def test_what_was_left_out_is_explained_if_asked() -> None:
    table = Table((memory("m1"), 0.5), (memory("m2"), 0.4))
    (left,) = table.ask(k=1, explain=True).left_out
    assert (left.record_id, left.why) == ("m2", "beyond the first 1")
    assert table.ask(k=1).left_out == ()


@pytest.mark.parametrize(
    ("until", "shown"), [(None, True), (NOW + DAY, True), (NOW, False), (NOW - DAY, False)]
)
def test_expired_memory_is_left_out(until: datetime | None, shown: bool) -> None:
    table = Table((memory("m1", valid_until=until), 0.5), (memory("m2"), 0.4))
    assert names(table.ask()) == (["m1", "m2"] if shown else ["m2"])


def test_record_that_vanished_meanwhile_is_left_out() -> None:
    table = Table((turn("t1"), 0.5), (memory("m1"), 0.4))
    found = run(
        recall(Question("Which tea?", ANN, NOW), MemoryPolicy()),
        lambda request: () if isinstance(request, LoadEpisodes) else table(request),
    )
    assert names(found) == ["m1"]


def test_turn_and_the_memory_of_it_are_one() -> None:
    said = turn("t1")
    rests = memory("m1", sources=(said.source, Source("s1", "t0", NOW - 9 * DAY, "tea!")))
    (item,) = Table((said, 0.9), (rests, 0.2)).ask().items
    assert (item.record.id, item.parts["meaning"]) == ("m1", pytest.approx(0.9))
    assert {each.message_id for each in item.sources} == {"t0", "t1"}


def test_outdated_turn_is_marked_and_ranked_down() -> None:
    table = Table((turn("t1", "Only coffee for me"), 0.6), (memory("m1"), 0.4))
    table.outdated = {("s1", "t1"): "m1"}
    found = table.ask()
    assert names(found) == ["m1", "t1"]
    assert found.items[1].outdated_by == "m1"
    assert "has changed since" in found.text


def corrected() -> Table:
    """Return a memory that said coffee until yesterday and says tea since."""
    coffee = memory("m1", "The user likes coffee", at=NOW - 9 * DAY)
    table = Table((memory("m1"), 0.5))
    table.former["m1"] = (Version(coffee, NOW - 9 * DAY, NOW - DAY, "superseded"),)
    return table


def test_former_values_are_shown_as_such() -> None:
    found = corrected().ask()
    assert [each.memory.content for each in found.items[0].earlier] == ["The user likes coffee"]
    assert "Now: The user likes tea" in found.text


@pytest.mark.parametrize(
    ("days", "content"), [(10, None), (9, "The user likes coffee"), (2, "The user likes coffee")]
)
def test_answer_as_of_a_time_knows_what_was_known_then(days: float, content: str | None) -> None:
    table = corrected()
    found = table.ask(as_of=NOW - days * DAY)
    shown = [each.record.content for each in found.items if isinstance(each.record, Memory)]
    assert shown == ([content] if content else [])
    assert not found.items or found.items[0].earlier == ()


def test_answer_as_of_a_time_is_no_access_and_reads_the_archive() -> None:
    table = corrected()
    table.ask(as_of=NOW - 2 * DAY)
    assert table.touched() == []
    assert not [each for each in table.requests if isinstance(each, OutdatedTurns)]
    assert [each.archived for each in table.requests if isinstance(each, LoadHistories)] == [True]


def test_expiry_is_judged_at_the_time_asked_for() -> None:
    table = Table((memory("m1", at=NOW - 9 * DAY, valid_until=NOW - DAY), 0.5))
    assert names(table.ask(as_of=NOW - 2 * DAY)) == ["m1"]
    assert names(table.ask(as_of=NOW)) == []
