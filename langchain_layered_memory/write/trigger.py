"""Whether a turn is worth a model's time at all: greetings and thanks never are."""

from __future__ import annotations

import re

from langchain_layered_memory.terms import fold

_SMALL_TALK = re.compile(
    r"(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|night|day)|bye|goodbye|"
    r"see you(?: later| soon| tomorrow)?|nice to meet you|you re welcome|"
    r"(?:thank (?:you|u)|thanks?)(?: so much| very much| a lot)?|thx|"
    r"ok(?:ay)?|yes|no|yep|nope|sure|great|cool|nice|lol|"
    r"how are you(?: today| doing)?|how s it going|"
    r"(?:你|您)好[啊呀]?|早上好|下午好|晚上好|早安|晚安|嗨|哈喽|再见|拜拜|多谢|感谢|谢谢(?:你|您)?|"
    r"好的?|嗯+|哦+|行|对|是的?|不是|可以|没事|哈+)(?:\s+(?:there|again|all|everyone))?",
    re.IGNORECASE,
)
# All that is no word; "how's" becomes "how s".
_BETWEEN = re.compile(r"[\W_]+")


def is_small_talk(text: str) -> bool:
    """Whether a turn is made of greetings, thanks and assent alone."""
    rest = _BETWEEN.sub(" ", fold(text)).strip()
    while rest:
        match = _SMALL_TALK.match(rest)
        if match is None or (rest[match.end() :][:1].isalnum() and rest[match.end() - 1].isascii()):
            return False
        rest = rest[match.end() :].strip()
    return True
