"""Text as terms, in any script."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory.terms import analyze, fold


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("She was running and runs", ("run", "run")),
        ("Caroline's favourite café", ("carolin", "favourit", "cafe")),
        ("Caroline’s cafe\u0301", ("carolin", "cafe")),
        ("Flight CA123 on 2026-03-14", ("flight", "ca123", "2026", "03", "14")),
        ("ＡＢＣ１２３", ("abc123",)),
        ("咖啡店", ("咖啡", "啡店")),
        ("我在Oslo喝咖啡", ("oslo", "喝咖", "咖啡")),
        ("茶", ("茶",)),
        ("我", ()),
        ("テスト", ("テス", "スト")),
        ("한국어", ("한국", "국어")),
        ("Мой дом", ("мои", "дом")),
        ("what is it to me?", ()),
        ("", ()),
        ("... !!! 🦉", ()),
        ("rock'n'roll", ("rocknrol",)),
    ],
)
def test_terms_of_a_text(text: str, terms: tuple[str, ...]) -> None:
    assert analyze(text) == terms


@pytest.mark.parametrize(
    ("one", "other"),
    [("I like teas", "liking tea"), ("ＴＥＡ", "tea"), ("naïve", "naive"), ("HE'S", "he’s")],
)
def test_forms_of_one_word_have_one_term(one: str, other: str) -> None:
    assert set(analyze(one)) == set(analyze(other))


def test_a_long_text_is_read_whole() -> None:
    assert len(analyze("tea " * 25_000)) == 25_000


@given(st.text())
def test_terms_are_safe_in_a_full_text_query(text: str) -> None:
    special = set(string.punctuation + string.whitespace + string.ascii_uppercase)
    assert all(term and not special & set(term) for term in analyze(text))


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)
