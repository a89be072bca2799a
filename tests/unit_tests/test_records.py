"""Whose memory it is, and what a record may hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest

from langchain_layered_memory import Scope
from langchain_layered_memory.errors import InvalidInputError, ScopeError
from langchain_layered_memory.records import (
    Episode,
    Operation,
    Source,
    aware,
    clean_text,
    slot_of,
)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SOURCE = Source("s", "m", NOON, "I like tea.")


def episode(text: str = "I like tea.", speaker: str = "user") -> Episode:
    return Episode(
        id="e",
        scope=Scope("ann", session_id="s"),
        message_id="m",
        role="user",
        speaker=speaker,
        text=text,
        said_at=NOON,
        created_at=NOON,
    )


@pytest.mark.parametrize("given", [7, "7"])
def test_number_and_its_text_are_one_person(given: Any) -> None:
    assert Scope(given) == Scope("7")


@pytest.mark.parametrize(
    "given", ["ann@example.com", "a.b", "a:b", "🦉", "名前", "a b", UUID(int=5), "../x", "'; --"]
)
def test_any_text_number_or_uuid_names_somebody(given: Any) -> None:
    assert Scope(given).user_id == str(given)


@pytest.mark.parametrize("given", [None, "", "  ", "\n", True, 1.5, b"ann", ["ann"]])
def test_nobody_is_refused(given: Any) -> None:
    with pytest.raises(ScopeError, match="user_id"):
        Scope(given)


@pytest.mark.parametrize("name", ["user_id", "tenant_id", "session_id", "agent_id"])
@pytest.mark.parametrize("given", ["a\0b", "half \ud83d"])
def test_what_no_database_keeps_is_refused(name: str, given: str) -> None:
    with pytest.raises(ScopeError, match=name):
        Scope(**{"user_id": "ann", name: given})


def test_ids_are_never_joined() -> None:
    assert Scope("c", "a:b").owner != Scope("b:c", "a").owner


def test_session_and_agent_may_be_left_out() -> None:
    assert Scope("ann").session_id is None
    assert Scope("ann").tenant_id == "default"


def test_text_is_cleaned_of_what_no_database_takes() -> None:
    assert clean_text("a\0b\ud83dc🦉") == "a\ufffdb\ufffdc🦉"
    assert episode("I like\0 tea").text == "I like\ufffd tea"


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_blank_turn_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="blank"):
        episode(text)


def test_a_name_is_indexed_and_a_role_is_not() -> None:
    assert episode(speaker="Caroline").indexed_text == "Caroline: I like tea."
    assert episode(speaker="user").indexed_text == "I like tea."


def test_a_many_valued_attribute_has_a_slot_for_each_value() -> None:
    assert slot_of("pet", "Rex", multiple=True) == "pet=rex"
    assert slot_of("lives_in", "Oslo", multiple=False) == "lives_in"


@pytest.mark.parametrize(
    "wrong", [{"importance": 0}, {"importance": 6}, {"confidence": 1.1}, {"content": " "}]
)
def test_operation_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {"content": "The user likes tea", "importance": 3, "confidence": 0.9}
    with pytest.raises(InvalidInputError):
        Operation(
            op="create",
            kind="preference",
            subject="user",
            attribute="preference:tea",
            value="like",
            sources=(SOURCE,),
            **{**right, **wrong},
        )


def test_a_time_without_zone_is_local_and_others_keep_their_moment() -> None:
    tokyo = timezone(timedelta(hours=9))
    naive = datetime(2026, 3, 2, 9)
    assert aware(naive, tokyo) == datetime(2026, 3, 2, 0, tzinfo=UTC)
    assert aware(naive.replace(tzinfo=tokyo)) == datetime(2026, 3, 2, 0, tzinfo=UTC)
    assert aware(datetime.fromisoformat("2026-03-02T00:00:00Z")).tzinfo is UTC
