"""How a sentence is read, in any language: clause, lead-in, subject, predicate, rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from langchain_layered_memory.write.extract.statement import (
    Candidate,
    Clause,
    Flag,
    Grammar,
    Heard,
    Mark,
    Rule,
    Statement,
)

LONGEST_THING = 120
"""Beyond this many characters an object is a story, not a value."""

_EDGES = " \t,.;:!?…~*_()[]，。；：！？、～（）-–—"


def statements(grammar: Grammar, sentence: str, heard: Heard) -> Iterator[Statement]:
    """Yield what `sentence` claims about the speaker and the people the speaker knows."""
    heard.turn_page()
    sentence = grammar.tidy(sentence)
    if grammar.blocked_sentence.search(sentence):
        return
    for text in grammar.clauses(sentence):
        yield from _read(grammar, _announced(_led(grammar.leads, text), heard), heard)


def _led(leads: tuple[Mark, ...], text: str) -> Clause:
    """Take the lead-ins off the front."""
    whole = text.strip(_EDGES)
    text, flags = _strip(leads, whole)
    return Clause(text.strip(_EDGES), whole, flags)


def _strip(marks: tuple[Mark, ...], text: str) -> tuple[str, frozenset[Flag]]:
    flags: set[Flag] = set()
    while text and (hit := _first(marks, text)):
        mark, match = hit
        flags.add(mark.flag)
        text = text[match.end() :] if match.start() == 0 else text[: match.start()]
    return text, frozenset(flags)


def _first(marks: tuple[Mark, ...], text: str) -> tuple[Mark, re.Match[str]] | None:
    for mark in marks:
        match = mark.pattern.search(text)
        if match and match[0]:
            return mark, match
    return None


def _announced(clause: Clause, heard: Heard) -> Clause:
    """Carry over what a clause said that was nothing but a lead-in ("No, sorry.")."""
    clause = replace(clause, flags=clause.flags | heard.announced)
    heard.announced = frozenset() if clause.text else clause.flags
    return clause


def _read(grammar: Grammar, clause: Clause, heard: Heard) -> tuple[Statement, ...]:
    if not clause.text or grammar.blocked_clause.search(clause.text):
        heard.subject = None
        return ()
    candidates = list(grammar.candidates(clause.text, heard))
    for candidate in candidates:
        bared, freed = _bared(grammar, candidate, clause)
        if found := _said_of(grammar, grammar.rules, bared, freed, heard):
            heard.note(candidate.subject, gave=True)
            return found
    if candidates and not candidates[0].subject.is_named:
        heard.note(candidates[0].subject, gave=False)
        return ()
    heard.subject = None
    return _said_of(grammar, grammar.commands, *_spoken(grammar, clause, heard), heard)


def _spoken(grammar: Grammar, clause: Clause, heard: Heard) -> tuple[Candidate, Clause]:
    """Read a clause without a subject as said to the assistant."""
    text, flags = _strip(grammar.endings, clause.text)
    flags = (clause.flags | flags) - {"ended"}
    return Candidate(heard.speaker, text), replace(clause, flags=flags)


def _said_of(
    grammar: Grammar, rules: tuple[Rule, ...], candidate: Candidate, clause: Clause, heard: Heard
) -> tuple[Statement, ...]:
    for rule in rules:
        if not _applies(rule, candidate, clause):
            continue
        match = rule.pattern.match(candidate.predicate)
        if match and (found := tuple(_told(grammar, rule, match, candidate, clause, heard))):
            return found
    return ()


def _bared(grammar: Grammar, candidate: Candidate, clause: Clause) -> tuple[Candidate, Clause]:
    """Take fillers and endings off the predicate, and the negation off what has ended."""
    predicate, after = _strip(grammar.endings, candidate.predicate)
    predicate, before = _strip(grammar.fillers, predicate)
    flags = clause.flags | before | after
    if "ended" in after and "ended" not in before:
        predicate, negations = grammar.negated.subn("", predicate, count=1)
        flags = flags if negations else flags - {"ended"}
    return replace(candidate, predicate=predicate), replace(clause, flags=frozenset(flags))


def _applies(rule: Rule, candidate: Candidate, clause: Clause) -> bool:
    if rule.possessive != candidate.possessive:
        return False
    if rule.speaker_only and not candidate.subject.is_speaker:
        return False
    if "ended" in clause.flags:
        return bool(rule.after)
    if rule.only_after:
        return False
    return rule.needs in {"", "date"} or rule.needs in clause.flags


def _told(
    grammar: Grammar,
    rule: Rule,
    match: re.Match[str],
    candidate: Candidate,
    clause: Clause,
    heard: Heard,
) -> Iterator[Statement]:
    head = match.string[: match.start("thing")]
    tail = match.string[match.end("thing") : match.end()]
    groups = match.groupdict()
    for thing in _things(grammar, rule, match["thing"]):
        said = rule.says.format(thing=thing) if rule.says else f"{head}{thing}{tail}"
        said = grammar.gone + said if "ended" in clause.flags else said
        content = grammar.tell(candidate, said, heard)
        of = grammar.key(groups.get("of") or "")
        yield Statement(candidate.subject, rule, thing, content, clause.whole, clause.flags, of)


def _things(grammar: Grammar, rule: Rule, text: str) -> Iterator[str]:
    end = rule.ends.search(text)
    text = grammar.cut(text[: end.start()] if end else text).strip(_EDGES)
    for item in grammar.items(text) if rule.each else [text]:
        thing = item.strip(_EDGES)
        if _holds(rule, thing) and grammar.key(thing):
            yield thing


def _holds(rule: Rule, thing: str) -> bool:
    if not thing or len(thing) > LONGEST_THING:
        return False
    return rule.wants.match(thing) is not None and rule.refuses.match(thing) is None
