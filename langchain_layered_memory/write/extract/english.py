"""How English is taken apart: clauses, subjects and predicates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from langchain_layered_memory.write.extract.english_rules import COMMANDS, RULES
from langchain_layered_memory.write.extract.english_telling import (
    called,
    cut,
    items,
    key,
    possessive,
    tell,
    third_person,
)
from langchain_layered_memory.write.extract.english_words import (
    ANY_CASE,
    BREAK,
    CONTINUES,
    ENDINGS,
    FILLERS,
    JOB_AT,
    LEADS,
    NEGATED,
    NO_CLAIM,
    NOT_BUT,
    QUESTION_START,
    SPELLINGS,
    TIME_LEAD,
    UNREAL,
    USED_TO,
)
from langchain_layered_memory.write.extract.statement import Candidate, Grammar, Heard, Subject

_RELATIONS = (
    r"(?:mother|father|brother|sister|son|daughter)-in-law"
    r"|(?:girl|boy)?friends?|wife|husband|spouse|partner"
    r"|fianc[eé]e?|sons?|daughters?"
    r"|mother|mom|mum|mommy|father|dad|daddy|parents?"
    r"|(?:step|grand|god)?(?:mother|father|son|daughter"
    r"|sister|brother|parents?)"
    r"|sisters?|brothers?|siblings?|twin|aunt|uncle|cousins?"
    r"|grand(?:ma|pa|dad|mum|child|children|kids?)|nephew"
    r"|niece|kids?|child(?:ren)?|baby"
    r"|family|boss|manager|colleagues?|co-?workers?"
    r"|neighbou?rs?|room-?mates?|flat-?mates?|housemates?"
    r"|teacher|assistant|mentor|doctor"
    r"|dogs?|cats?|puppy|puppies|kittens?|horse|parrot"
    r"|rabbit|hamster|turtle|pets?"
)  # fmt: skip

_RELATED = re.compile(
    r"(?:my|our) (?P<adjective>(?:(?:best|good|close|old|older|oldest|elder|eldest|younger"
    r"|youngest|little|big|late|new|dear|twin) )*)"
    rf"(?P<relation>{_RELATIONS})(?: (?P<name>(?-i:[A-Z][a-z]+))(?= "
    r"|'s))?(?P<possessive>'s?)? (?P<rest>.+)",
    ANY_CASE,
)  # fmt: skip

# Capitals begin sentences too, so a name is none of these; a rule must match as well.
_NOT_NAMES = frozenset(
    """
    I The This That These Those There Here He She It They We You My Your His Her Its Our Their
    What Who Where When Why How Which A An And But So Or If In On At For From To Of With As By
    Is Are Was Do Does Did Can Could Will Would Should Not No Yes Please Thanks Thank Let Just
    Also Now Then Today Tomorrow Yesterday Everyone Everybody Someone Somebody Nobody Anyone
    One Some All Many Most Each Every Both Other Another Such Never Always Only Maybe Perhaps
    Having Being Remind Dear Hello Hey Hi Great Good Nice Cool Sorry Monday Tuesday Wednesday
    Thursday Friday Saturday Sunday Work Life Music Food God Mom Mum Dad Call Email Reply
    Answer Say Tell Send Book People Nothing Something Everything Anything Neither Either
    Whoever Because While Since After Before Although Though Wow Oh Well Ok Okay Sure Yeah
    Time Love Home
    """.split(
    ),
)  # fmt: skip

_NAMED = re.compile(r"(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?)(?P<possessive>'s)? (?P<rest>\S.*)")

# "Sounds like fun" has no verb after its capital; of a person something is said with one.
_THIRD = re.compile(
    r"(?:is|was|has|had|does|doesn't|can|can't|will|never|also|now|no longer|really|just"
    r"|went|bought|got|won|grew|met|ran|\w+s|\w+ed)\b"
    r"|(?:birthday|favou?rite|hometown|job|dog|cat|phone|e-?mail|diet|height|age|allergic"
    r"|name|vegan|vegetarian)\b"
)  # fmt: skip

_PRONOUN = re.compile(r"(?P<word>he|she|his|her) (?P<rest>.+)", ANY_CASE)

_MINE = re.compile(r"(?:my|our) (?P<rest>.+)", ANY_CASE)

_FIRST = re.compile(r"(?:I|[Ww]e)(?: myself)? (?P<rest>.+)")


def _tidy(sentence: str) -> str:
    for pattern, new in SPELLINGS:
        sentence = pattern.sub(new, sentence)
    sentence = JOB_AT.sub(r"\1, I work at ", TIME_LEAD.sub(r"\1 ", sentence.strip()))
    sentence, corrected = NOT_BUT.subn(_what_holds, sentence)
    return USED_TO.sub(_what_holds_now, f"actually, {sentence}" if corrected else sentence)


def _what_holds(match: re.Match[str]) -> str:
    return f"{match['verb']} " if match["verb"] else ""


def _what_holds_now(match: re.Match[str]) -> str:
    who, verb = match["who"], match["verb"]
    verb = verb if who.casefold() in {"i", "we"} else third_person(verb)
    return f"now {who} {verb} {match['prep']} "


def _clauses(sentence: str) -> list[str]:
    found = [part for part in BREAK.split(sentence) if part and part.strip()]
    if not sentence.rstrip("\"') ").endswith("?"):
        return found
    asks = [place for place, part in enumerate(found) if QUESTION_START.match(part.strip())]
    return found[: asks[0]] if asks else []


def _candidates(text: str, heard: Heard) -> Iterator[Candidate]:
    for reader in (_first_person, _related, _mine, _pronoun, _named, _continued):
        if found := list(reader(text, heard)):
            yield from found
            return


def _first_person(text: str, heard: Heard) -> Iterator[Candidate]:
    if match := _FIRST.fullmatch(text):
        yield Candidate(heard.speaker, match["rest"])


def _related(text: str, heard: Heard) -> Iterator[Candidate]:
    if not (match := _RELATED.fullmatch(text)):
        return
    relation = f"{match['adjective']}{match['relation']}".casefold()
    name = match["name"] or ""
    shown = f"{possessive(called(heard.speaker))} {relation}"
    subject = Subject(name or relation, f"{shown} {name}".rstrip())
    yield from _either(subject, match["rest"], possessive=bool(match["possessive"]))


def _either(subject: Subject, rest: str, *, possessive: bool) -> Iterator[Candidate]:
    """Read "'s" as a possessive, and as "is"."""
    if possessive:
        yield Candidate(subject, rest, possessive=True)
    yield Candidate(subject, f"is {rest}" if possessive else rest)


def _mine(text: str, heard: Heard) -> Iterator[Candidate]:
    if match := _MINE.fullmatch(text):
        yield Candidate(heard.speaker, match["rest"], possessive=True)


def _pronoun(text: str, heard: Heard) -> Iterator[Candidate]:
    match = _PRONOUN.fullmatch(text)
    if match and heard.person:
        possessive = match["word"].casefold() in {"his", "her"}
        yield Candidate(heard.person, match["rest"], possessive=possessive)


def _named(text: str, _: Heard) -> Iterator[Candidate]:
    match = _NAMED.fullmatch(text)
    if match and _THIRD.match(match["rest"]) and _NOT_NAMES.isdisjoint(match["name"].split()):
        subject = Subject(match["name"], match["name"], is_named=True)
        yield from _either(subject, match["rest"], possessive=bool(match["possessive"]))


def _continued(text: str, heard: Heard) -> Iterator[Candidate]:
    if heard.subject and CONTINUES.match(text):
        yield Candidate(heard.subject, text)


ENGLISH = Grammar(
    tidy=_tidy,
    clauses=_clauses,
    blocked_sentence=NO_CLAIM,
    blocked_clause=UNREAL,
    leads=LEADS,
    fillers=FILLERS,
    endings=ENDINGS,
    candidates=_candidates,
    rules=RULES,
    commands=COMMANDS,
    cut=cut,
    items=items,
    key=key,
    tell=tell,
    negated=NEGATED,
    gone="no longer ",
    user="the user",
)
