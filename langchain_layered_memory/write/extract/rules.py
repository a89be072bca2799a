"""Extraction without a model: explicit statements in English and Chinese, by tables of patterns.

What is kept is what somebody claims, of themselves or of a person they name. Questions,
conditions, wishes, quotations, pasted text and small talk claim nothing. A rule that is unsure
says nothing: a missed fact can be said again, an invented one is believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from langchain_layered_memory.records import Episode, Kind, Operation, OperationType, Source
from langchain_layered_memory.write.extract.chinese import CHINESE
from langchain_layered_memory.write.extract.dates import end_of_day, find_day, without_days
from langchain_layered_memory.write.extract.english import ENGLISH
from langchain_layered_memory.write.extract.reading import statements
from langchain_layered_memory.write.extract.sentences import is_chinese, own_sentences
from langchain_layered_memory.write.extract.statement import (
    DELETED,
    Grammar,
    Heard,
    Statement,
    Subject,
)

RULES_VERSION = "rules-1"
"""Changes whenever the same turn may yield something else; part of the key of a finished job."""

MOST_OPERATIONS = 20
"""A turn with more is a document, and its rest is left to a model."""

HEDGED_CONFIDENCE = 0.6
"""Below what is believed without confirmation."""

_HEDGED_IMPORTANCE = 2
_IMPORTANCE: dict[Kind, int] = {"constraint": 5, "identity": 4, "commitment": 4}
_THE_USER = frozenset({"user", "human", "用户", "me"})


def extract_by_rules(episode: Episode) -> tuple[Operation, ...]:
    """Return what `episode` states about its speaker and the people the speaker names.

    Only a user's turn states anything. The subject is "user", or the speaker's name in an imported
    conversation of two people, or a third person's name or relation ("Mira", "friend").

    Args:
        episode: One turn. Dates are counted from its `said_at`, in that moment's own zone.

    Returns:
        At most `MOST_OPERATIONS` operations in the order in which they were said, each once.
    """
    if episode.role != "user":
        return ()
    found: dict[tuple[str, ...], Operation] = {}
    for operation in _operations(episode):
        found.setdefault(_identity(operation), operation)
        if len(found) == MOST_OPERATIONS:
            break
    return tuple(found.values())


def _identity(operation: Operation) -> tuple[str, ...]:
    value = operation.value.casefold()
    return operation.op, operation.subject.casefold(), operation.slot, value


def _operations(episode: Episode) -> Iterator[Operation]:
    heard = Heard(_speaker(episode, ENGLISH))
    for sentence in own_sentences(episode.text):
        grammar = CHINESE if is_chinese(sentence) else ENGLISH
        heard.speaker = _speaker(episode, grammar)
        # A sentence that was mended on the way (brackets, blanks) is quoted as the turn has it.
        quote = sentence if sentence in episode.text else episode.text
        source = replace(episode.source, quote=quote)
        for statement in statements(grammar, sentence, heard):
            if statement.rule.needs != "date" or _day(statement, source):
                yield _operation(grammar, statement, source)


def _speaker(episode: Episode, grammar: Grammar) -> Subject:
    name = episode.speaker.strip()
    if not name or name.casefold() in _THE_USER:
        return Subject("user", grammar.user, is_speaker=True)
    return Subject(name, name, is_speaker=True)


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a statement goes and what it puts there."""

    op: OperationType
    attribute: str
    value: str
    multiple: bool


def _operation(grammar: Grammar, statement: Statement, source: Source) -> Operation:
    rule, hedged = statement.rule, "hedged" in statement.flags
    day = _day(statement, source)
    slot = _slot(grammar, statement, day)
    until = end_of_day(day, source.said_at) if day and rule.dated == "ahead" else None
    return Operation(
        op=slot.op,
        kind=rule.kind,
        content=f"{statement.content} ({day})" if day else statement.content,
        subject=statement.subject.name,
        attribute=slot.attribute,
        value=slot.value,
        sources=(source,),
        importance=_HEDGED_IMPORTANCE if hedged else _IMPORTANCE.get(rule.kind, 3),
        confidence=HEDGED_CONFIDENCE if hedged else rule.confidence,
        multiple=slot.multiple,
        valid_until=until,
        tags=("correction",) if "corrects" in statement.flags else (),
    )


def _day(statement: Statement, source: Source) -> date | None:
    dated = statement.rule.dated
    day = find_day(statement.clause, source.said_at, dated) if dated else None
    over = day is not None and dated == "ahead" and day < source.said_at.date()
    return None if over else day


def _slot(grammar: Grammar, statement: Statement, day: date | None) -> _Slot:
    rule, thing = statement.rule, statement.thing
    bare = (without_days(thing) or thing) if rule.dated else thing
    words = {"thing": thing, "key": grammar.key(bare), "of": statement.of, "date": day or "open"}
    own = "{" in rule.attribute
    value = rule.value if "ended" not in statement.flags else _value_after(statement)
    return _Slot(
        _op(statement),
        rule.attribute.format(**words),
        value.format(**words),
        rule.multiple or ("adds" in statement.flags and not own),
    )


def _value_after(statement: Statement) -> str:
    after = statement.rule.after
    return statement.rule.value if after == DELETED else after


def _op(statement: Statement) -> OperationType:
    flags = statement.flags
    if "ended" in flags:
        return "delete" if statement.rule.after == DELETED else "update"
    return "update" if flags & {"corrects", "renewed"} else "create"
