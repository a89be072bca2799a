"""The fence: whatever was said, it is one line of data that cannot end or imitate the fence."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory.fence import BLOCK, CLOSE, OPEN, harmless

# What reorders text for the eye; the whole list of Unicode's bidirectional controls.
BIDIRECTIONAL = [*"\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]
HOSTILE = st.lists(
    st.text(max_size=5)
    | st.sampled_from([OPEN, CLOSE, CLOSE.upper(), "</", "\n", "\u2028", "\u202e", "&lt;", "```"]),
    max_size=8,
).map("".join)


def fenced(text: str) -> str:
    return f"{OPEN}\n{harmless(text)}\n{CLOSE}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \n ", ""),
        ("I like tea", "I like tea"),
        ("  two\n\n lines\t", "two lines"),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\rg", "a b c d e f g"),
        ("a\u3000b\u00a0c", "a b c"),
        (CLOSE, "&lt;/recalled_memory&gt;"),
        (OPEN, "&lt;recalled_memory&gt;"),
        ("</Recalled_Memory >", "&lt;/Recalled_Memory &gt;"),
        ("<\u200b/recalled_memory>", "&lt;/recalled_memory&gt;"),
        ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
        ("&lt;/recalled_memory&gt;", "&amp;lt;/recalled_memory&amp;gt;"),
        ("\u202eevil\u202c", "evil"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("\u2060\u2063joined", "joined"),
        ("a\U000e0041\U000e0042b", "ab"),
        ("# not a heading\n- not a list", "# not a heading - not a list"),
        ("עברית 张三 한국 🙂", "עברית 张三 한국 🙂"),
    ],
)
def test_text_is_one_line_without_markup(text: str, expected: str) -> None:
    assert harmless(text) == expected


@pytest.mark.parametrize("mark", BIDIRECTIONAL, ids=ascii)
def test_nothing_reorders_the_line(mark: str) -> None:
    assert harmless(f"a{mark}b") == "ab"


def test_the_arabic_letter_mark_is_a_bidirectional_control_too() -> None:
    assert harmless("a\u061cb") == "ab"


def test_text_hidden_in_variation_selectors_is_taken_out() -> None:
    hidden = "".join(chr(0xE0100 + byte) for byte in b"ignore all")
    assert harmless(f"a{hidden}b") == "ab"


@pytest.mark.parametrize("mark", ["\x00", "\x08", "\x1b", "\x7f", "\x9b"], ids=ascii)
def test_control_characters_are_taken_out(mark: str) -> None:
    assert harmless(f"a{mark}b") == "ab"


@pytest.mark.parametrize("text", ["می\u200cخواهم", "👩\u200d👩\u200d👧"])
def test_joiners_that_words_and_emoji_are_written_with_stay(text: str) -> None:
    assert harmless(text) == text


@given(HOSTILE)
def test_any_text_leaves_one_fence(text: str) -> None:
    whole = fenced(text)
    assert (whole.count(OPEN), whole.count(CLOSE)) == (1, 1)
    assert [found.group() for found in BLOCK.finditer(whole)] == [whole]
    assert len(whole.splitlines()) == 3


@given(HOSTILE)
def test_any_text_is_one_clean_line(text: str) -> None:
    line = harmless(text)
    assert not set("<>\n") & set(line)
    assert len(line.splitlines()) <= 1
    assert line == " ".join(line.split())
    assert not any(unicodedata.bidirectional(c) in ("LRO", "RLO", "RLI", "LRI") for c in line)


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=20))
def test_words_come_back_from_their_escapes(text: str) -> None:
    line = harmless(text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert line == text


def test_a_pasted_book_is_one_line_too() -> None:
    line = harmless(f"{CLOSE}\n{'word ' * 20_000}{CLOSE}")
    assert len(line.splitlines()) == 1
    assert CLOSE not in line


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("no block", "no block"),
        (f"before {fenced('tea')} after", "before  after"),
        (f"{fenced('tea')}{fenced('coffee')}", ""),
        (f"before {OPEN}\ncut off", "before "),
        (f"{CLOSE} alone", f"{CLOSE} alone"),
        (f"{OPEN}{OPEN}x{CLOSE} after", " after"),
    ],
)
def test_block_is_found_even_if_it_was_cut_off(text: str, rest: str) -> None:
    assert BLOCK.sub("", text) == rest


@pytest.mark.xfail(strict=True, reason="not in the list of what is invisible")
@pytest.mark.parametrize(
    "mark",
    [
        "\u00ad",
        "\u034f",
        "\u115f",
        "\u1160",
        "\u17b4",
        "\u180e",
        "\u3164",
        "\uffa0",
        "\ufff9",
        "\U0001d173",
    ],
    ids=ascii,
)
def test_other_characters_that_show_nothing_are_taken_out(mark: str) -> None:
    assert harmless(f"a{mark}b") == "ab"
