"""What a turn does not bear out is doubtful; what it says, and days worked out, is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from langchain_layered_memory.records import Episode, Operation, Scope
from langchain_layered_memory.write.verify import DOUBTFUL, verify

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def checked(
    content: str, said: str, *, subject: str = "user", confidence: float = 0.9
) -> Operation:
    turn = Episode("e1", Scope("ann"), "m1", "user", "user", said, MONDAY, MONDAY)
    operation = Operation(
        op="create",
        kind="fact",
        content=content,
        subject=subject,
        attribute="fact",
        value=content,
        sources=(turn.source,),
        confidence=confidence,
    )
    return verify(operation, turn)


BORNE_OUT = [
    ("The user has 3 cats", "I have 3 cats."),
    ("The user earns 1,000 a month", "My pay is 1,000 a month, for 20 hours."),
    ("The user weighs 71.5 kg", "I weigh 71.5 kg"),
    ("The user lives in Oslo", "We moved to Oslo"),
    ("The user lives in Oslo", "I'm from Oslo"),
    ("The user lives in Oslo", "I’m from Oslo"),
    ("The user's name is Ann", "MY NAME IS ANN"),
    ("The user wants no calls", "Please do not ring."),
    ("The user wants no calls", "Never call on Sundays."),
    ("用户住在上海", "我住在上海"),
    ("用户今年30岁", "我今年30岁"),
    ("用户的名字是李雷", "请叫李雷"),
    ("用户不吃肉", "别放肉"),
    ("The user flies to Rome (2026-03-06)", "I fly to Rome on Friday"),
    ("The user flies to Rome with 2 bags (2026-03-06)", "I fly to Rome on Friday with 2 bags"),
    ("用户去罗马 (2026-03-06)", "我周五去罗马"),
]
NOT_BORNE_OUT = [
    ("The user has 3 cats", "I have cats."),
    ("The user has 3 cats", "I have 13 cats."),
    ("The user has 13 cats", "I have 3 cats."),
    ("The user earns 1,000 a month", "My pay is 1,100 a month."),
    ("The user flies on 2026-03-06 to Rome", "I fly to Rome on Friday"),
    ("The user flies (2026-03-06) to Rome", "I fly to Rome on Friday"),
    ("The user has 3 cats (2026-03-06)", "I have cats since Friday"),
    ("The user likes tea", "Mira likes tea."),
    ("The user lives in Oslo", "Oslo is in Norway"),
    ("用户住在上海", "李雷住在上海"),
    ("用户今年30岁", "我今年20岁"),
]


@pytest.mark.parametrize(("content", "said"), BORNE_OUT)
def test_what_the_turn_says_keeps_its_confidence(content: str, said: str) -> None:
    assert checked(content, said).confidence == 0.9


@pytest.mark.parametrize(("content", "said"), NOT_BORNE_OUT)
def test_what_the_turn_does_not_say_is_doubtful(content: str, said: str) -> None:
    assert checked(content, said).confidence == DOUBTFUL < 0.7


@pytest.mark.parametrize(
    "content", ["The user has a job (5000 a month)", "The user lives in Oslo (house 12)"]
)
def test_number_in_brackets_that_is_no_date_must_have_been_said(content: str) -> None:
    assert checked(content, "I have a job and a house in Oslo").confidence == DOUBTFUL


@pytest.mark.parametrize("subject", ["mira", "friend", "李雷"])
def test_statement_about_others_needs_no_first_person(subject: str) -> None:
    assert checked("Mira likes tea", "Mira likes tea.", subject=subject).confidence == 0.9


def test_statement_about_others_needs_its_numbers_too() -> None:
    assert checked("Mira has 3 cats", "Mira has cats.", subject="mira").confidence == DOUBTFUL


def test_doubt_never_raises_the_confidence() -> None:
    assert checked("The user has 3 cats", "I have cats", confidence=0.2).confidence == 0.2


def test_nothing_but_the_confidence_is_changed() -> None:
    doubted = checked("The user likes tea", "Tea!")
    sure = checked("The user likes tea", "I like tea!")
    assert replace(doubted, confidence=0.9, sources=sure.sources) == sure


# ------------------------------------------------------------ what else must be borne out


@pytest.mark.xfail(strict=True, reason="negation is not compared")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("The user likes spicy food", "I don't like spicy food"),
        ("The user likes spicy food", "I don't eat spicy food, but my friend does"),
        ("The user eats meat", "I never eat meat."),
        ("The user does not like tea", "I like tea."),
        ("用户喜欢吃辣", "我不喜欢吃辣"),
        ("用户不喝咖啡", "我喝咖啡"),
    ],
)
def test_statement_is_doubtful_if_it_turns_what_was_said(content: str, said: str) -> None:
    assert checked(content, said).confidence == DOUBTFUL


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("The user dislikes spicy food", "I don't like spicy food"),
        ("The user doesn't eat meat", "I do not eat meat"),
        ("The user can't stand sushi", "I can't stand sushi"),
        ("The user avoids milk", "I never drink milk"),
        ("用户不吃辣", "我不吃辣"),
    ],
)
def test_statement_that_is_negated_as_it_was_said_is_believed(content: str, said: str) -> None:
    assert checked(content, said).confidence == 0.9


@pytest.mark.xfail(strict=True, reason="a day in brackets is believed, whichever it is")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("The user flies to Rome (2027-01-01)", "I fly to Rome on Friday"),
        ("The user flies to Rome (2026-03-06)", "I fly to Rome"),
        ("用户去罗马 (2027-01-01)", "我周五去罗马"),
    ],
)
def test_day_that_the_turn_does_not_mean_is_doubtful(content: str, said: str) -> None:
    assert checked(content, said).confidence == DOUBTFUL


@pytest.mark.xfail(strict=True, reason="it is not asked whether the turn speaks of that person")
@pytest.mark.parametrize(
    ("content", "said", "subject"),
    [
        ("Mira likes tea", "I like tea.", "Mira"),
        ("Mira lives in Oslo", "Tarn lives in Oslo", "mira"),
        ("李雷喜欢喝茶", "我喜欢喝茶", "李雷"),
    ],
)
def test_statement_about_somebody_whom_the_turn_does_not_name_is_doubtful(
    content: str, said: str, subject: str
) -> None:
    assert checked(content, said, subject=subject).confidence == DOUBTFUL
