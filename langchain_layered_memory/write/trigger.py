"""Whether a turn is worth a model's time at all: greetings and thanks never are."""

from __future__ import annotations

import re

_SMALL_TALK = re.compile(
    r"(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|night)|bye|goodbye|see you|"
    r"thank you(?: so much| very much)?|thanks?|thx|"
    r"ok(?:ay)?|yes|no|yep|nope|sure|great|cool|nice|lol|"
    r"how are you(?: today| doing)?|你好|您好|早上好|晚上好|晚安|嗨|哈喽|再见|拜拜|谢谢(?:你|您)?|"
    r"好的?|嗯+|哦+|行|是的?|不是|可以|没事|哈+)(?:\s+(?:there|again|all|everyone))?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s,.!?;:~。,，！？；…👋🙂😊👍🙏]+")


def is_small_talk(text: str) -> bool:
    """Whether a turn is made of greetings, thanks and assent alone."""
    rest = _BETWEEN.sub(" ", text).strip()
    while rest:
        match = _SMALL_TALK.match(rest)
        if match is None or (rest[match.end() :][:1].isalnum() and rest[match.end() - 1].isascii()):
            return False
        rest = rest[match.end() :].strip()
    return True
