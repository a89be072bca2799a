"""How English objects are cut, listed and named, and how a statement is retold."""

from __future__ import annotations

import re

from langchain_layered_memory.write.extract.dates import without_days
from langchain_layered_memory.write.extract.english_words import ANY_CASE
from langchain_layered_memory.write.extract.statement import Candidate, Heard, Subject

# Where the object of a verb ends and a reason, an aside or the next thought begins.
_CUT = re.compile(
    r"\s*,?\s+\b(?:because|since|so (?:that|i|we|please"
    r"|can)|whenever|who|although|though|as (?:i|it|they"
    r"|we|my)|but|and (?:i|we|my|it|they|he|she|you|that"
    r"|this|then)"
    r"|however|which|where|especially|so|lol|haha"
    r"|and (?:find|only|strongly|prefer|avoid|always"
    r"|usually))\b.*|,\s+(?:not|the|it|they|there|as)\b.*"
    r"|\s*[;(…\"].*|\s[-–—].*|,\s*(?:too|please|and"
    r"|you know|right|thanks|then)\s*$"
    r"|\s+(?:in order )?to be honest.*",
    ANY_CASE,
)  # fmt: skip

_TRAILING = re.compile(
    r"[\s,]+(?:please|thanks|too|now|a lot|very much|so much|as well|also|though|these days"
    r"|at the moment|currently|instead|again|right now|lately|recently)$",
    ANY_CASE,
)  # fmt: skip

# Pairs that are one thing.
_ONE_THING = re.compile(
    r"\b(?:mac(?:aroni)?|fish|rock|arts|salt|peanut butter|bed|black|dungeons|bread|bacon"
    r"|research|trial|pros|law|wine|gin|drum|"
    r"science|track|hide|ham|sweet|meat|r|r&b|rhythm|pen|friends|family|up|hot|mix"
    r"|peace) (?:and|n|&) \w+",
    ANY_CASE,
)  # fmt: skip

_LIST = re.compile(r",\s*(?:and|or)?\s+|\s+(?:and|or|&)\s+")

_LONGEST_ITEM = 3
_SHORTEST_LIST = 2


def cut(thing: str) -> str:
    """Return `thing` up to where the next thought begins, without trailing courtesies."""
    thing = _CUT.sub("", thing, count=1)
    while (shorter := _TRAILING.sub("", thing)) != thing:
        thing = shorter
    return thing


def items(thing: str) -> list[str]:
    """Divide a list, unless its parts may share a word ("red and white wine")."""
    parts = [part for part in _LIST.split(thing) if part]
    if len(parts) < _SHORTEST_LIST:
        return [thing]
    sizes = [len(part.split()) for part in parts]
    shared = sizes[-1] > sizes[0] or max(sizes) > _LONGEST_ITEM or thing.startswith("to ")
    return [thing] if shared or _ONE_THING.search(thing) else parts


_DROPPED = re.compile(
    r"^(?:(?:the|a|an|some|any|all|my|our|to|really|very|both|these|those|most|having"
    r"|eating|drinking|listening to|watching) )+",
    ANY_CASE,
)  # fmt: skip

_MARKS = re.compile(r"[^\w\s'&+#/@.-]|\.(?=\s|$)")


def key(thing: str) -> str:
    """Return `thing` as part of a slot: no articles, no case, no punctuation, eight words."""
    plain = _MARKS.sub(" ", (without_days(thing) or thing).casefold())
    return " ".join(_DROPPED.sub("", " ".join(plain.split())).split()[:8])


_FORMS = {
    "am": "is",
    "are": "is",
    "have": "has",
    "do": "does",
    "don't": "doesn't",
    "go": "goes",
    "was": "was",
    "were": "was",
}

# Modal and past forms have no -s.
_SAME = re.compile(
    r"(?:can|can't|cannot|will|must|may|never|had|went|bought|got|moved|grew|did|didn't"
    r"|made|took|met|lost|won|saw|found|came|ran|sold"
    r"|has|is|was|does|doesn't|quit|told|gave|became|began|left|wrote|built|taught|read"
    r"|brought|broke|drove|flew|hurt|kept|paid|rode|sent"
    r"|spent|swam|threw|caught|drew|held|chose|sang|felt|heard|\w+(?<!ne|fe|ee)ed)$"
)  # fmt: skip

_ES = re.compile(r"(?:s|x|z|ch|sh|o)$")


def third_person(predicate: str) -> str:
    """Return "like sushi" as "likes sushi"."""
    for lead in ("no longer ", "never ", "really ", "also "):
        if predicate.startswith(lead):
            return lead + third_person(predicate.removeprefix(lead))
    verb, space, rest = predicate.partition(" ")
    return _inflected(verb) + space + rest


def _inflected(verb: str) -> str:
    if verb.casefold() in _FORMS:
        return _FORMS[verb.casefold()]
    if _SAME.match(verb):
        return verb
    if _ES.search(verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


_OWN_WORDS = re.compile(
    r"\b(?:I am|I have|I|me|my|mine|myself|we|us|our|ours|ourselves)\b(?!')", ANY_CASE,
)  # fmt: skip

_THEIRS = {
    "i am": "they are",
    "i have": "they have",
    "i": "they",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
    "we": "they",
    "us": "them",
    "our": "their",
    "ours": "theirs",
    "ourselves": "themselves",
}


def tell(candidate: Candidate, said: str, heard: Heard) -> str:
    """Return the statement as a sentence of its own, in the third person."""
    subject, owner = candidate.subject, called(heard.speaker)
    shown = owner if subject.is_speaker else subject.shown
    if subject.is_speaker:
        said = said if candidate.possessive else third_person(said)
        said = _OWN_WORDS.sub(lambda word: _THEIRS[word[0].casefold()], said)
    else:
        said = _OWN_WORDS.sub(lambda word: _outsider(word[0], owner), said)
    sentence = f"{possessive(shown) if candidate.possessive else shown} {said}"
    return sentence[0].upper() + sentence[1:]


def _outsider(word: str, owner: str) -> str:
    return possessive(owner) if word.casefold() in {"my", "our", "mine", "ours"} else owner


def called(speaker: Subject) -> str:
    """Return how the content calls the person who speaks."""
    return "the user" if speaker.name == "user" else speaker.shown


def possessive(shown: str) -> str:
    """Return the possessive of how somebody is called."""
    return f"{shown}'s"
