"""Text as terms, in any script."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory.terms import STOP_WORDS, analyze, fold


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


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("I don't, you won't, he's", ()),
        ("o'clock", ("oclock",)),
        ("the user's children's books", ("children", "book")),
        ("①②", ("12",)),
        ("m²", ("m2",)),
        ("ﬁne", ("fine",)),
        ("snake_case", ("snake", "case")),
        ("ann@example.com", ("ann", "exampl", "com")),
        ("ORD-2026/0001", ("ord", "2026", "0001")),
        ("３月２日", ("3", "月", "2", "日")),
        ("ｶﾞﾗｽ", ("ガラ", "ラス")),
        ("ﾃｽﾄ テスト", ("テス", "スト", "テス", "スト")),
        ("カフェで東京タワー", ("カフ", "フェ", "ェで", "で東", "東京", "京タ", "タワ", "ワー")),
        ("한국어 공부", ("한국", "국어", "공부")),
        ("𠮷野家", ("𠮷野", "野家")),
        ("tea茶tea", ("tea", "茶", "tea")),
        ("我的", ()),
        ("İstanbul", ("istanbul",)),
        ("tea\u200btea", ("tea", "tea")),
        ("\ud83d\0", ()),
    ],
    ids=ascii,
)
def test_terms_of_odd_texts(text: str, terms: tuple[str, ...]) -> None:
    assert analyze(text) == terms


@pytest.mark.xfail(strict=True, reason="the signs of repetition and of zero stand before the kana")
@pytest.mark.parametrize(
    ("text", "terms"), [("佐々木", ("佐々", "々木")), ("二〇二六", ("二〇", "〇二", "二六"))]
)
def test_signs_written_among_han_characters_are_some_of_them(
    text: str, terms: tuple[str, ...]
) -> None:
    assert analyze(text) == terms


@pytest.mark.xfail(strict=True, reason="vowel signs end a word")
@pytest.mark.parametrize("text", ["हिन्दी", "தமிழ்", "বাংলা"])
def test_word_with_vowel_signs_is_one_term(text: str) -> None:
    assert len(analyze(text)) == 1


@pytest.mark.xfail(strict=True, reason="only Latin accents are taken off")
@pytest.mark.parametrize(("one", "other"), [("عَرَبِيّ", "عربي"), ("שָׁלוֹם", "שלום")])
def test_word_is_the_same_with_and_without_its_vowel_points(one: str, other: str) -> None:
    assert analyze(one) == analyze(other) != ()


FULL = {code: code + 0xFEE0 for code in range(0x21, 0x7F)} | {0x20: 0x3000}


@given(st.text(st.characters(max_codepoint=0x7E, min_codepoint=0x20)))
def test_full_width_is_the_same_as_half_width(text: str) -> None:
    assert analyze(text.translate(FULL)) == analyze(text)


@given(st.text(), st.text())
def test_terms_of_two_texts_are_those_of_each(one: str, other: str) -> None:
    assert analyze(f"{one}\n{other}") == analyze(one) + analyze(other)


@pytest.mark.parametrize(
    "text", ["茶" * 100_000, "a" * 100_000, "a'" * 50_000, "e\u0301" * 50_000, "_" * 100_000]
)
def test_long_run_without_a_space_is_read_to_its_end(text: str) -> None:
    assert len(analyze(text)) <= len(text)


@pytest.mark.parametrize("word", sorted(STOP_WORDS))
def test_stop_words_are_left_out_in_any_case(word: str) -> None:
    assert analyze(word) == analyze(word.upper()) == analyze(f"{word}, {word}!") == ()
