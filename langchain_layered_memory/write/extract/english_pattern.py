"""The pieces that the English patterns are made of."""

from __future__ import annotations

import re

ANY_CASE = re.IGNORECASE

# A capital that a pattern asks for is a capital, whatever the case of the rest.
_CAPITAL = re.compile(r"\[A-Z[^\]]*\]")


def predicate(pattern: str, thing: str = ".+") -> re.Pattern[str]:
    """Compile a predicate whose object follows; "<>" stands for the object inside it."""
    group = f"(?P<thing>{thing})"
    whole = pattern.replace("<>", group) if "<>" in pattern else f"{pattern} {group}"
    return re.compile(_CAPITAL.sub(lambda found: f"(?-i:{found[0]})", whole), ANY_CASE)


def starts_with(words: str) -> re.Pattern[str]:
    """Compile alternatives that begin an object and end with a whole word."""
    return re.compile(rf"(?:{words})(?![\w'-])", ANY_CASE)


BE = r"(?:am|is|are)"

COUNT = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|some|several|twin)"

# What is liked is not said here: it, that one, your answer, what you wrote.
POINTING = (
    r"(?:it|that|this|them|these|those|you|him|her|us|me|one|ones|both|so|when|how|what|where"
    r"|why|who|whatever|everything|anything|nothing|none|everywhere"
    r"|all (?:of )?(?:it|that|this|these|those|them|the)|the (?:first|second|third|last|other"
    r"|idea|sound|look|way|fact|one|thought)|their|his|its"
    r"|to (?:say|bother|ask|think|hear|see|know|admit|tell|interrupt|complain|be|have|do)"
    r"|the \w+ ones?$|being able|hearing|seeing (?:you|that|your|them)|having them"
    r"|a lot|much|very much|the most|best|least|for|as|at|in|on|if|and|or|too|with|about|like"
    r"|mine|yours|nor|well|lots|plenty|your|each other|someone"
    r"|anyone|thats|not|option|the (?:colou?rs?|texture|vibes?|views?|photos?|pictures?|pics?"
    r"|design|suggestions?|tips?|details?|plan|place|name|song)$"
    r"|the$|the .{0,40}\b(?:idea|suggestions?|breakdown|approach|plan|direction|term|word|draft"
    r"|version|options?|tips|refinement|answer|response|feature)\b)(?!\w)"
    r"|.*\b(?:like (?:this|that)|\w+ing (?:it|them|that)|your|you|yours|u|please)\b"
)  # fmt: skip

EMPTY = re.compile(POINTING, ANY_CASE)

PLACE_ENDS = re.compile(
    r"\s+(?:with|for|and|near|by|right|now|after|where|since|until|till|at|on|from|when|to"
    r"|about|during|last|this|next|as|then|before|together|alone|all|my|ago|again|these"
    r"|most|area\b.*|but|or|that|a|an|the|is|was|if|while|so|too|two|three|four|five"
    r"|\d+)\b.*"
    r"|\s+in (?!.*\b[A-Z]).*"
)  # fmt: skip

WORK_ENDS = re.compile(
    r"\s+(?:as|and|for|since|in (?!.*[A-Z])|where|while|now|on|with|to|during|when"
    r"|part[- ]time|full[- ]time|right|every|until|these|that|doing|a few|most|from|after"
    r"|but|\d+)\b.*|\s+in\b(?=.*)"
    r".*"
)  # fmt: skip

MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"

LANGUAGE = (
    r"(?:english|french|german|spanish|italian|portuguese|dutch|norwegian|swedish|danish"
    r"|finnish|polish|russian|ukrainian|czech|greek|turkish|arabic|hebrew|hindi|urdu|bengali"
    r"|tamil|punjabi|persian|farsi|chinese|"
    r"mandarin|cantonese|japanese|korean|vietnamese|thai|indonesian|malay|tagalog|swahili|latin"
    r"|esperanto|welsh|irish|hungarian|romanian|catalan|sign language)"
)  # fmt: skip

APPOINTMENT = (
    r"(?:(?:\w+['\w-]*) ){0,3}(?:appointment|meeting|exam|interview|flight|deadline|test"
    r"|check-?up|surgery|wedding|party|presentation|class|conference|trip|dinner|lunch|game"
    r"|match|concert|recital|competition|tournament|audition|date|doctor's appointment)"
)  # fmt: skip
