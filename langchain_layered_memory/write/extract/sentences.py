"""The user's own sentences: what a turn holds besides pasted, quoted and machine-made text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import pairwise

LONGEST_SENTENCE = 600
"""A longer run without a full stop is not something a person says; it also bounds every pattern."""

LONGEST_FOREIGN_RUN = 1_500
"""So many characters without "I" or "my" are a pasted document."""

_NESTING = 4
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_FIRST_PERSON = re.compile(r"\b(?:I|i|my|My|me|we|We|our|Our)\b|[我俺咱]")

# Long runs of blanks say nothing and cost much.
_BLANKS = re.compile(r"[^\S\n]{3,}")
_BLANK_LINES = re.compile(r"\n{3,}")
# Memory that was recalled into the prompt must not be learnt again; an unclosed block runs on.
_RECALLED = re.compile(r"<recalled_memory\b.*?(?:</recalled_memory\s*>|\Z)", re.DOTALL | re.I)
# Code belongs to nobody; an unclosed fence runs to the end.
_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
# Innermost braces; nested ones are peeled from inside.
_BRACES = re.compile(r"[{\[][^{}\[\]]{0,4000}[}\]]")
# What makes a pair of braces data and not an aside.
_DATA = re.compile(r"[\"'][^\"'\n]{0,80}[\"']\s*:|^\W*\d")
# A line of JSON whose braces are elsewhere.
_JSON_LINE = re.compile(r'^\s*"[^"\n]{1,80}"\s*:.*$', re.MULTILINE)
# Mail and chat clients quote with ">"; song lines come with notes.
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|♪|♫|\|).*$", re.MULTILINE)
# A pasted transcript's other side.
_OTHER_SPEAKER = re.compile(
    r"^[ \t]*[*_]*(?:assistant|ai|bot|agent|system|chatgpt"
    r"|claude|tool|助手|助理|机器人|系统)[*_]*\s*[:：].*$",
    re.MULTILINE | re.I,
)  # fmt: skip
# A paragraph that tells a model what it is.
_PROMPT = re.compile(
    r"(?:^|(?<=\n))[ \t#*]*(?:<\|?(?:system|im_start)"
    r"|\[INST\]|system prompt\b"
    r"|you are (?:now )?[^\n.]{0,80}"
    r"\b(?:assistant|bot|chatbot|agent|ai|model|expert)\b"
    r"|as an ai\b|act as (?:an?|my)\b"
    r"|你(?:现在)?是[^\n。]{0,40}(?:助手|助理|机器人|模型"
    r"|专家))[^\n]*(?:\n[^\n]+)*",
    re.I,
)  # fmt: skip
# Quoted speech with a first person in it is somebody's words, perhaps not the user's.
_SPEECH = re.compile(r'"[^"\n]{1,600}"|“[^”\n]{1,600}”|「[^」\n]{1,600}」|『[^』\n]{1,600}』')
_SINGLE_SPEECH = re.compile(
    r"(?<=[\s:,(])'[^'\n]{1,40}(?:'\w{1,2}\b[^'\n]{0,80}){0,4}'(?=[\s.,!?)]|$)"
)  # fmt: skip
_SPEAKS_OF_SELF = re.compile(r"\b(?:I|i|my|My|me)\b|我")
# An ellipsis that ends nothing is a pause.
_END = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)|[。！？!?]+[”」』]?|\n+|…+")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e|No|approx|[A-Z])\.$")


def is_chinese(sentence: str) -> bool:
    """Return whether `sentence` is to be read as Chinese; English words in it change nothing."""
    return _CHINESE.search(sentence) is not None


def own_sentences(text: str) -> list[str]:
    """Return the sentences of `text` that its author says, each with its closing mark."""
    mine = _own(text)
    spans = list(_spans(mine))
    foreign = _foreign(mine)
    found = (mine[start:end].strip() for start, end in spans if not foreign(start, end))
    return [each for each in found if each and len(each) <= LONGEST_SENTENCE]


def _own(text: str) -> str:
    text = _BLANK_LINES.sub("\n\n", _BLANKS.sub("  ", text))
    text = _RECALLED.sub("\n", text)
    text = _FENCE.sub("\n", text)
    for _ in range(_NESTING):
        text = _BRACES.sub(_unless_data, text)
    for pattern in (_JSON_LINE, _QUOTED_LINE, _OTHER_SPEAKER, _PROMPT):
        text = pattern.sub("\n", text)
    return _SINGLE_SPEECH.sub(_unless_speech, _SPEECH.sub(_unless_speech, text))


def _unless_data(match: re.Match[str]) -> str:
    inner = match[0]
    return "\n" if _DATA.search(inner[1:]) else f"({inner[1:-1]})"


def _unless_speech(match: re.Match[str]) -> str:
    return " … " if _SPEAKS_OF_SELF.search(match[0]) else match[0]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for mark in _END.finditer(text):
        if mark[0] == "." and _ABBREVIATION.search(text, max(start, mark.start() - 8), mark.end()):
            continue
        yield start, mark.end()
        start = mark.end()
    yield start, len(text)


def _foreign(text: str) -> Callable[[int, int], bool]:
    """Return a test for spans that lie in a long run without a first person."""
    at = [match.start() for match in _FIRST_PERSON.finditer(text)]
    edges = [0, *at, len(text)]
    wide = [after - before > LONGEST_FOREIGN_RUN for before, after in pairwise(edges)]

    def test(start: int, end: int) -> bool:
        here = bisect_left(at, start)
        speaks = here < len(at) and at[here] < end
        return not speaks and wide[here]

    return test
