"""What lies between a pattern and an operation: subjects, rules, and the grammar of a language.

The mechanism that reads a clause is the same for every language; a `Grammar` holds its tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from langchain_layered_memory.records import Kind

Flag = Literal["plain", "corrects", "hedged", "adds", "renewed", "ended", "greets"]

DELETED = "\0deleted"
"""As `Rule.after`: when the statement has ended, nothing takes its place."""

_NOTHING = re.compile(r"(?!)")
_ANYTHING = re.compile(r"")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a clause is about: the name for the slot, and how the content calls them."""

    name: str
    shown: str
    is_speaker: bool = False
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """Words around the statement that are taken off it, and what they say about it."""

    flag: Flag
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to divide a clause into its subject and what is said of it."""

    subject: Subject
    predicate: str
    possessive: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause freed of its lead-in, with what the lead-in said, and as a whole."""

    text: str
    whole: str
    flags: frozenset[Flag] = frozenset()


@dataclass(frozen=True, slots=True)
class Rule:
    """One predicate: what it looks like and which slot it fills.

    Args:
        pattern: Matched at the start of the predicate; the group `thing` is the object.
        kind: The kind of the memory.
        attribute: The slot; `{key}` is the normalised object, `{of}` the normalised group `of`.
        value: `{thing}` is the object in the user's words, `{key}` the normalised one, `{date}`
            the day named in the clause or "open".
        wants: Must match at the start of the object.
        refuses: Must not match at the start of the object.
        ends: Where the object stops, if before the usual words.
        says: The content's predicate if it is not the user's own; `{thing}` is the object.
        multiple: The slot holds many values.
        each: "A, B and C" are three objects.
        confidence: How surely the words mean it.
        after: The value once it is "no longer" so; `DELETED` to drop it, "" to say nothing.
        only_after: The rule says nothing while the statement holds ("I eat meat").
        speaker_only: Too loose for other people.
        needs: The clause must name a day, or show one of these flags.
        dated: A day named in the clause is added to the content: ahead or behind.
        possessive: The rule is about something that the subject has ("my birthday is …").
    """

    pattern: re.Pattern[str]
    kind: Kind
    attribute: str
    value: str = "{thing}"
    wants: re.Pattern[str] = _ANYTHING
    refuses: re.Pattern[str] = _NOTHING
    ends: re.Pattern[str] = _NOTHING
    says: str = ""
    multiple: bool = False
    each: bool = False
    confidence: float = 0.9
    after: str = ""
    only_after: bool = False
    speaker_only: bool = False
    needs: Literal["", "date", "greets", "adds", "renewed"] = ""
    dated: Literal["", "ahead", "behind"] = ""
    possessive: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """What a clause says, before it has its evidence."""

    subject: Subject
    rule: Rule
    thing: str
    content: str
    clause: str
    flags: frozenset[Flag]
    of: str = ""


@dataclass(slots=True)
class Heard:
    """What earlier clauses of the same turn leave open for the next ones.

    Attributes:
        speaker: The person who talks.
        person: The third person last spoken of, whom "she" means.
        age: How many sentences ago that was.
        subject: The subject of the clause just before, if that clause gave a statement.
        announced: What a lead-in that stood alone ("No, sorry.") says of the next clause.
    """

    speaker: Subject
    person: Subject | None = None
    age: int = 0
    subject: Subject | None = None
    announced: frozenset[Flag] = frozenset()

    def turn_page(self) -> None:
        """Begin a sentence: a person named two sentences ago is nobody's "she" any more."""
        self.age += 1
        self.subject = None
        self.announced &= {"corrects", "greets"}
        if self.age > 1:
            self.person = None

    def note(self, subject: Subject, *, gave: bool) -> None:
        """Remember `subject` for the pronouns and verbs that follow."""
        self.subject = subject if gave else None
        if not subject.is_speaker:
            self.person, self.age = subject, 0


@dataclass(frozen=True, slots=True)
class Grammar:
    """The tables of one language, and the few functions that differ by more than a table.

    Attributes:
        tidy: Spells a sentence one way: quotes, contractions, width.
        clauses: Cuts a sentence into clauses that each hold one statement.
        blocked_sentence: Nothing in such a sentence is claimed.
        blocked_clause: Nothing in such a clause is claimed.
        leads: Taken off the front of a clause as long as one matches.
        fillers: Taken off between subject and verb.
        endings: Taken off the end.
        candidates: The ways to divide a clause into subject and predicate.
        rules: What may be said of a subject, first match first.
        commands: What is said to the assistant, without a subject.
        cut: Ends an object where the next thought begins.
        items: Divides "A, B and C".
        key: Normalises an object so that the same thing has the same slot.
        tell: Puts subject, predicate and possessive into a sentence in the third person.
        negated: Turns "don't work at X" into "work at X", if it is negated.
        gone: How the content says that something is no longer so.
        user: How the content calls the person served.
    """

    tidy: Callable[[str], str]
    clauses: Callable[[str], list[str]]
    blocked_sentence: re.Pattern[str]
    blocked_clause: re.Pattern[str]
    leads: tuple[Mark, ...]
    fillers: tuple[Mark, ...]
    endings: tuple[Mark, ...]
    candidates: Callable[[str, Heard], Iterator[Candidate]]
    rules: tuple[Rule, ...]
    commands: tuple[Rule, ...]
    cut: Callable[[str], str]
    items: Callable[[str], list[str]]
    key: Callable[[str], str]
    tell: Callable[[Candidate, str, Heard], str]
    negated: re.Pattern[str]
    gone: str
    user: str
