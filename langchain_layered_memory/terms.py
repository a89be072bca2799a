"""Text as terms: what full-text search compares, the same for records and questions.

Words of alphabets are folded and stemmed (Snowball English, which leaves words of other languages
nearly as they are); Chinese, Japanese and Korean become overlapping pairs of characters, since
they are written without spaces. Numbers stay whole, so that "CA123" and "2026-03-14" are found.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import lru_cache

import snowballstemmer

# Han, kana and Hangul: scripts whose words a space does not part, or whose stems it would miss.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*")
_IS_CJK = re.compile(rf"[{_CJK}]")
_POSSESSIVE = re.compile("['’](?:s|re|ve|ll|d|m|t)$")

# Words that stand in any question, or in any memory ("the user …"), and so tell nothing apart.
# Negations are among them because they carry no topic; polarity is the stages' affair.
STOP_WORDS = frozenset(
    """
    user a about an and any are as at be been being but by can could did do does doing done for from
    get got had has have having he her hers him his how i if in into is it its just me my of on
    or our ours she should so some than that the their theirs them then there these they this
    those to too us very was we were what when where which who whom whose why will with would
    you your yours am not no yes ok okay please tell know
    don doesn didn isn wasn aren weren haven hasn hadn won wouldn couldn shouldn ain let
    """.split()
)
_CJK_STOP = frozenset("的了吗呢吧啊呀是我你他她它们在有和就也都很这那个么什请说")

_stemmer = snowballstemmer.stemmer("english")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a lower-case word."""
    return str(_stemmer.stemWord(word))


def fold(text: str) -> str:
    """Return `text` as comparisons use it: full-width made half, lower case, no accents."""
    # Twice, for mathematical capitals become plain ones only when they are decomposed.
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    if decomposed.isascii():
        return decomposed
    # Accents go, but Hangul syllables and kana marks must come together again.
    bare = "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", bare)


def analyze(text: str) -> tuple[str, ...]:
    """Return the terms of a record's text, in order, repeats kept; stop words left out."""
    terms: list[str] = []
    for token in _TOKEN.findall(fold(text)):
        terms.extend(_cjk_terms(token) if _IS_CJK.match(token) else _word_terms(token))
    return tuple(terms)


def _word_terms(token: str) -> tuple[str, ...]:
    word = _POSSESSIVE.sub("", token).replace("'", "").replace("’", "")
    return () if word in STOP_WORDS or token in STOP_WORDS else (stem(word),)


def _cjk_terms(run: str) -> list[str]:
    if len(run) == 1:
        return [] if run in _CJK_STOP else [run]
    return [a + b for a, b in itertools.pairwise(run) if not {a, b} <= _CJK_STOP]
