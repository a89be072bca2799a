"""Messages and imported rows as turns: what counts, under which id, from which time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

from langchain_layered_memory.errors import InvalidInputError, ScopeError
from langchain_layered_memory.fence import CLOSE, OPEN
from langchain_layered_memory.records import Episode, Scope
from langchain_layered_memory.requests import NewTurn
from langchain_layered_memory.terms import analyze
from langchain_layered_memory.write.turns import (
    new_turn,
    turns_of_dicts,
    turns_of_messages,
    without_recalled,
)

ANN = Scope("ann", "acme", "s1", "helper")
SAID = datetime(2026, 3, 2, 12, tzinfo=UTC)
NOW = SAID + timedelta(hours=1)
BLOCK = f"{OPEN}\nFacts:\n- The user likes tea\n{CLOSE}"
COMMANDS = '{"ops": [{"op": "create", "content": "The user likes tea"}]}'


def counting() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"id{next(numbers)}"


def messages(*given: BaseMessage, index_chars: int = 1000) -> list[NewTurn]:
    return turns_of_messages(
        given, ANN, said_at=SAID, now=NOW, new_id=counting(), index_chars=index_chars
    )


def rows(*given: dict[str, Any], zone: tzinfo = UTC) -> list[NewTurn]:
    return turns_of_dicts(given, ANN, now=NOW, new_id=counting(), index_chars=1000, zone=zone)


def ids(turns: Sequence[NewTurn]) -> list[str]:
    return [turn.episode.message_id for turn in turns]


def texts(turns: Sequence[NewTurn]) -> list[str]:
    return [turn.episode.text for turn in turns]


# ------------------------------------------------------------ messages


def test_message_becomes_a_turn() -> None:
    (turn,) = messages(HumanMessage("I like tea.", id="m1", name="Ann"))
    assert turn == NewTurn(
        Episode("id1", ANN, "m1", "user", "Ann", "I like tea.", SAID, NOW),
        analyze("Ann: I like tea."),
        "",
    )


@pytest.mark.parametrize(
    ("message", "role", "work"),
    [
        (HumanMessage("I like tea."), "user", ""),
        (AIMessage("Noted."), "assistant", None),
        (ToolMessage("22 degrees", tool_call_id="t1"), "tool", None),
    ],
)
def test_extraction_reads_what_the_user_says_alone(
    message: BaseMessage, role: str, work: str | None
) -> None:
    (turn,) = messages(message)
    assert (turn.episode.role, turn.episode.speaker, turn.work) == (role, role, work)


def test_tool_turn_is_kept_and_not_found_by_words() -> None:
    (turn,) = messages(ToolMessage("I like tea", tool_call_id="t1"))
    assert (turn.episode.text, turn.terms) == ("I like tea", ())


@pytest.mark.parametrize(
    "message",
    [
        SystemMessage("You are helpful."),
        RemoveMessage(id="m1"),
        HumanMessage(""),
        HumanMessage(" \n\t "),
        HumanMessage([]),
        HumanMessage([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]),
        AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "t1"}]),
        HumanMessage(BLOCK),
        ToolMessage("", tool_call_id="t1"),
    ],
)
def test_what_is_blank_or_from_the_system_is_no_turn(message: BaseMessage) -> None:
    assert texts(messages(message, HumanMessage("I like tea."))) == ["I like tea."]


def test_text_is_read_out_of_a_list_of_content() -> None:
    content: list[str | dict[str, Any]] = [
        {"type": "text", "text": "I like "},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
        {"type": "text", "text": "this tea."},
    ]
    assert texts(messages(HumanMessage(content))) == ["I like this tea."]


def test_text_is_made_storable() -> None:
    assert texts(messages(HumanMessage("tea\x00 \ud83d."))) == ["tea\ufffd \ufffd."]


def test_only_the_beginning_of_a_long_text_is_indexed() -> None:
    (turn,) = messages(HumanMessage("tea " * 10 + "coffee"), index_chars=40)
    assert turn.terms == ("tea",) * 10
    assert turn.episode.text.endswith("coffee")


# ------------------------------------------------------------ ids


def test_messages_without_ids_get_the_same_ids_on_a_replay() -> None:
    given = [HumanMessage("hello"), AIMessage("hello"), HumanMessage("I like tea.")]
    first, replayed = ids(messages(*given)), ids(messages(*given, HumanMessage("Bye.")))
    assert replayed[:3] == first
    assert len(set(replayed)) == 4


def test_same_words_said_twice_are_two_turns() -> None:
    twice = [HumanMessage("yes"), AIMessage("Sure?"), HumanMessage("yes")]
    first = ids(messages(*twice))
    assert len(set(first)) == 3
    assert ids(messages(*twice)) == first


def test_id_of_the_message_is_kept() -> None:
    assert ids(messages(HumanMessage("a tea", id="x"), AIMessage("b", id="run-1"))) == [
        "x",
        "run-1",
    ]


def test_recalled_block_does_not_change_the_id() -> None:
    plain, with_block = HumanMessage("I like tea."), HumanMessage(f"{BLOCK}I like tea.")
    assert ids(messages(plain)) == ids(messages(with_block))


# ------------------------------------------------------------ recalled blocks


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I like tea.", "I like tea."),
        (f"{BLOCK}\n\nI like coffee.", "I like coffee."),
        (f"I like coffee.\n\n{BLOCK}", "I like coffee."),
        (f"I like\n\n{BLOCK}\n\ncoffee.", "I like\n\ncoffee."),
        (f"{BLOCK}{BLOCK}I like coffee.{BLOCK}", "I like coffee."),
        (f"I like coffee. {OPEN}\n- The user likes tea", "I like coffee."),
        ("a\n\n\n\nb", "a\n\n\n\nb"),
    ],
)
def test_recalled_block_is_cut_out(text: str, left: str) -> None:
    assert without_recalled(text).strip() == left


def test_memory_never_feeds_on_itself() -> None:
    (turn,) = messages(HumanMessage(f"{BLOCK}\nI like coffee."))
    assert "tea" not in turn.episode.text
    assert "tea" not in turn.terms


# ------------------------------------------------------------ commands


def test_commands_of_a_reply_are_its_work_and_not_its_text() -> None:
    (turn,) = messages(AIMessage(f"Noted.\n```memory_commands\n{COMMANDS}\n```"))
    assert (turn.episode.text, turn.work) == ("Noted.", COMMANDS)
    assert turn.terms == analyze("Noted.")


def test_user_commands_nothing() -> None:
    text = f"<memory_commands>{COMMANDS}</memory_commands>"
    (turn,) = messages(HumanMessage(text))
    assert (turn.episode.text, turn.work) == (text, "")


def test_commands_of_a_tool_are_no_work() -> None:
    text = f"<memory_commands>{COMMANDS}</memory_commands>"
    (turn,) = messages(ToolMessage(text, tool_call_id="t1"))
    assert turn.work is None


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_work_is_commands_or_the_words_of_the_user(role: Any) -> None:
    episode = Episode("e1", ANN, "m1", role, role, "I like tea.", SAID, NOW)
    assert new_turn(episode, "", 100).work == {"user": ""}.get(role)


# ------------------------------------------------------------ size


@pytest.mark.parametrize(
    "piece",
    ["I like tea. ", "a", "茶", "\n", "``` memory_commands ", f"{OPEN} ", "<memory_commands>x"],
)
@pytest.mark.parametrize("kind", [HumanMessage, AIMessage])
def test_text_of_10_megabytes_is_done_in_seconds(piece: str, kind: type[BaseMessage]) -> None:
    started = time.perf_counter()
    turns = messages(kind("start " + piece * (10_000_000 // len(piece.encode()))))
    assert time.perf_counter() - started < 5
    assert turns[0].episode.text.startswith("start")
    assert len(turns[0].terms) < 1001


# ------------------------------------------------------------ imports


def test_row_becomes_a_turn() -> None:
    row = {
        "session_id": "monday",
        "message_id": "m1",
        "role": "user",
        "speaker": "Caroline",
        "ts": "2026-03-01T08:00:00Z",
        "text": "I like tea.",
    }
    (turn,) = rows(row)
    monday = Scope("ann", "acme", "monday", "helper")
    said_at = datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert turn == NewTurn(
        Episode("id1", monday, "m1", "user", "Caroline", "I like tea.", said_at, NOW),
        analyze("Caroline: I like tea."),
        "",
    )


def test_row_needs_only_its_text() -> None:
    (turn,) = rows({"text": "I like tea."})
    assert (turn.episode.scope, turn.episode.role, turn.episode.speaker) == (ANN, "user", "user")
    assert (turn.episode.said_at, turn.work) == (NOW, "")


@pytest.mark.parametrize(
    ("row", "role", "speaker"),
    [
        ({"role": "assistant"}, "assistant", "assistant"),
        ({"role": "AI"}, "assistant", "AI"),
        ({"speaker": "助手"}, "assistant", "助手"),
        ({"speaker": "用户"}, "user", "用户"),
        ({"role": "human", "speaker": "Melanie"}, "user", "Melanie"),
        ({"role": "bot", "speaker": "Melanie"}, "assistant", "Melanie"),
        ({"role": "tool"}, "tool", "tool"),
        ({"role": "system"}, "assistant", "system"),
        ({"speaker": "Caroline"}, "user", "Caroline"),
        ({"role": None, "speaker": None}, "user", "user"),
    ],
)
def test_role_follows_from_role_or_speaker(row: dict[str, Any], role: str, speaker: str) -> None:
    (turn,) = rows({**row, "text": "I like tea."})
    assert (turn.episode.role, turn.episode.speaker) == (role, speaker)


@pytest.mark.parametrize(
    ("ts", "zone", "said_at"),
    [
        ("2026-03-01T08:00:00", UTC, datetime(2026, 3, 1, 8, tzinfo=UTC)),
        ("2026-03-01T08:00:00+08:00", UTC, datetime(2026, 3, 1, 0, tzinfo=UTC)),
        ("2026-03-01 08:00", ZoneInfo("Asia/Shanghai"), datetime(2026, 3, 1, 0, tzinfo=UTC)),
        ("2026-07-01 08:00", ZoneInfo("Europe/London"), datetime(2026, 7, 1, 7, tzinfo=UTC)),
        ("2026-01-01 08:00", ZoneInfo("Europe/London"), datetime(2026, 1, 1, 8, tzinfo=UTC)),
        ("2026-03-01T08:00Z", ZoneInfo("Asia/Shanghai"), datetime(2026, 3, 1, 8, tzinfo=UTC)),
        ("2026-03-01", timezone(timedelta(hours=-5)), datetime(2026, 3, 1, 5, tzinfo=UTC)),
        (datetime(2026, 3, 1, 8, tzinfo=UTC), UTC, datetime(2026, 3, 1, 8, tzinfo=UTC)),
        (None, UTC, NOW),
        ("", UTC, NOW),
    ],
)
def test_time_without_a_zone_is_local_and_all_are_kept_in_utc(
    ts: Any, zone: tzinfo, said_at: datetime
) -> None:
    (turn,) = rows({"ts": ts, "text": "tea"}, zone=zone)
    assert turn.episode.said_at == said_at
    assert turn.episode.said_at.utcoffset() == timedelta(0)


@pytest.mark.parametrize("ts", ["yesterday", "02/03/2026", "1700000000", 1_700_000_000.5, "nan"])
def test_time_that_is_not_iso_is_refused(ts: Any) -> None:
    with pytest.raises(InvalidInputError, match="ISO 8601"):
        rows({"ts": ts, "text": "tea"})


@pytest.mark.parametrize("ts", ["0001-01-01T00:00:00+08:00", "9999-12-31T23:59:59-05:00"])
def test_time_that_utc_cannot_hold_is_refused(ts: str) -> None:
    with pytest.raises(InvalidInputError):
        rows({"ts": ts, "text": "tea"})


@pytest.mark.parametrize("row", [{}, {"text": None}, {"text": 7}, {"content": "tea"}])
def test_row_without_text_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="`text`"):
        rows(row)


def test_session_that_is_no_id_is_refused() -> None:
    with pytest.raises(ScopeError):
        rows({"text": "tea", "session_id": ["s"]})


@pytest.mark.parametrize("text", ["", " \n "])
def test_blank_row_is_no_turn(text: str) -> None:
    assert texts(rows({"text": text}, {"text": "tea"})) == ["tea"]


def test_turn_id_is_a_name_for_the_message_id() -> None:
    assert ids(rows({"text": "tea", "turn_id": 7}, {"text": "tea", "message_id": "x"})) == [
        "7",
        "x",
    ]


def test_rows_without_ids_get_the_same_ids_on_a_replay() -> None:
    given = ({"text": "yes"}, {"text": "yes"}, {"text": "yes", "role": "assistant"})
    assert ids(rows(*given)) == ids(rows(*given))
    assert len(set(ids(rows(*given)))) == 3


def test_0_is_an_id_like_any_other() -> None:
    (turn,) = rows({"text": "tea", "message_id": 0, "session_id": 0})
    assert (turn.episode.message_id, turn.episode.session_id) == ("0", "0")


# ------------------------------------------------------------ nothing is lost


@pytest.mark.xfail(strict=True, reason="a reply without other words is dropped with its commands")
def test_reply_that_is_commands_alone_keeps_its_work() -> None:
    found = messages(AIMessage(f"<memory_commands>{COMMANDS}</memory_commands>", id="m1"))
    assert [(turn.episode.message_id, turn.work) for turn in found] == [("m1", COMMANDS)]


@pytest.mark.xfail(strict=True, reason="messages of these classes are dropped")
@pytest.mark.parametrize(
    ("message", "role"),
    [
        (ChatMessage("I like tea.", role="user"), "user"),
        (ChatMessage("I like tea.", role="assistant"), "assistant"),
        (FunctionMessage("I like tea.", name="look"), "tool"),
    ],
    ids=["chat of a user", "chat of an assistant", "function"],
)
def test_messages_of_other_classes_are_turns_of_their_role(message: BaseMessage, role: str) -> None:
    assert [(turn.episode.role, turn.episode.text) for turn in messages(message)] == [
        (role, "I like tea.")
    ]


def test_system_prompt_in_a_chat_message_is_no_turn() -> None:
    assert messages(ChatMessage("You are Kiwi.", role="system")) == []


@pytest.mark.parametrize("chunk", [HumanMessageChunk("I like tea."), AIMessageChunk("Noted.")])
def test_streamed_message_is_a_turn(chunk: BaseMessage) -> None:
    assert texts(messages(chunk)) == [chunk.content]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_recalled_block_is_cut_out_of_an_import_too(role: str) -> None:
    assert texts(rows({"text": f"{BLOCK}\n\nI like coffee.", "role": role})) == ["I like coffee."]


def test_commands_are_no_part_of_an_imported_reply() -> None:
    text = f"Noted.\n<memory_commands>{COMMANDS}</memory_commands>"
    assert texts(rows({"text": text, "role": "assistant"})) == ["Noted."]


@given(st.lists(st.tuples(st.sampled_from([HumanMessage, AIMessage]), st.text()), max_size=6))
def test_ids_are_distinct_and_stable_whatever_is_said(
    said: list[tuple[type[BaseMessage], str]],
) -> None:
    given = [kind(text) for kind, text in said]
    first = messages(*given)
    assert len(set(ids(first))) == len(first)
    assert ids(messages(*given, HumanMessage("more")))[: len(first)] == ids(first)
    assert all(turn.episode.text.strip() for turn in first)
