"""What English says of a person, first match first, and what is said to the assistant."""

from __future__ import annotations

import re

from langchain_layered_memory.write.extract.english_doings import COMMITMENTS, EVENTS, FACTS
from langchain_layered_memory.write.extract.english_life import CALLED, IDENTITY
from langchain_layered_memory.write.extract.english_pattern import (
    ANY_CASE,
    APPOINTMENT,
    EMPTY,
    LANGUAGE,
    MONTHS,
    PLACE_ENDS,
    WORK_ENDS,
    predicate,
    starts_with,
)
from langchain_layered_memory.write.extract.english_tastes import CONSTRAINTS, PREFERENCES
from langchain_layered_memory.write.extract.statement import Rule

_PERSON_ANY = re.compile(
    r"(?!(?:not|a|an|the|on|very|in|so|at|to|too|unknown|hard"
    r"|my)\b)[^\W\d][\w'-]+(?: [^\W\d][\w'-]+){0,2}$"
)  # fmt: skip

_POSSESSED = (
    Rule(
        predicate(r"(?:(?:full|first|last|real|sur|nick)[ -]?)?name(?:'s| is| was)"), "identity",
        "name", wants=_PERSON_ANY, ends=re.compile(r"\s+(?:and|what|from|but)\b.*"),
        possessive=True, speaker_only=True,
    ),
    Rule(
        predicate(r"(?:(?:full|first|last|real|sur|nick)[ -]?)?name(?:'s| is| was)"), "identity",
        "name", wants=_PERSON_ANY, ends=re.compile(r"\s+(?:and|what|from|but)\b.*"),
        possessive=True, multiple=True,
    ),
    Rule(
        predicate(r"(?:birthday|date of birth|birth date|dob)(?:'s| is| falls)(?: on| in)?"),
        "identity", "birthday", wants=re.compile(rf".*\d|.*\b{MONTHS}\b", ANY_CASE),
        possessive=True,
    ),
    Rule(predicate(r"age is <>", r"\d{1,3}\b"), "identity", "age", possessive=True),
    Rule(
        predicate(r"(?:home ?town|birthplace) is"), "identity", "hometown", possessive=True,
        ends=PLACE_ENDS,
    ),
    Rule(
        predicate(r"(?:(?:new|current) )?(?:employer|company)(?:'s| is)(?: called| now)?"),
        "identity", "employer", wants=re.compile(r"[A-Z]"), ends=WORK_ENDS, possessive=True,
    ),
    Rule(
        predicate(
            r"(?:(?:new|current|day|main) )?(?:job|occupation|profession|career)(?: is"
            r"|'s)(?: (?:to be|as|being))?(?: an?)?"
        ),
        "identity", "job",
        refuses=re.compile(
            r"(?:so|very|really|great|good|boring|hard|stressful|not|too|going|ok|okay"
            r"|pretty|fun|tough|the|my|killing|at|in|awful|\w+ing me)\b|(?:safe|secure"
            r"|easy)$",
            ANY_CASE,
        ),
        ends=WORK_ENDS, possessive=True,
    ),
    Rule(
        predicate(r"e-?mail(?: address)?(?:'s| is)", r"\S+@\S+\w"), "identity", "email",
        possessive=True,
    ),
    Rule(
        predicate(
            r"(?:(?:mobile|cell|phone|telephone|contact) )+(?:number )?(?:'s |is )<>",
            r"\+?[\d() -]{6,20}\d",
        ),
        "identity", "phone", possessive=True,
    ),
    Rule(
        predicate(r"(?:first |native |mother )(?:language|tongue)(?:'s| is)"), "identity",
        "language", multiple=True, wants=starts_with(LANGUAGE), possessive=True,
    ),
    Rule(
        predicate(r"(?:(?:main|biggest|favou?rite|only) )?hobb(?:y|ies)(?: is| are| include)"),
        "fact", "hobby", multiple=True, each=True, refuses=EMPTY, possessive=True,
    ),
    Rule(
        predicate(
            r"(?:all[- ]time |absolute |very |current "
            r"|personal )?favou?rite (?P<of>[\w' -]{2,30}?)(?:'s| is| are| would be"
            r"| has always been| was always) <>"
        ),
        "preference", "favourite_{of}", refuses=EMPTY, possessive=True,
    ),
    Rule(
        predicate(r"(?:all[- ]time |absolute )?favou?rites? (?:is|are)"), "preference",
        "preference:{key}", "like", each=True, refuses=EMPTY, possessive=True,
    ),
    Rule(
        predicate(r"(?P<of>[\w -]{2,20}?) preference(?: is|:)"), "preference", "favourite_{of}",
        refuses=EMPTY, possessive=True,
    ),
    Rule(
        predicate(r"(?P<of>[\w -]{0,30}?) ?deadline(?: is|'s| for .{2,30} is) <>"), "commitment",
        "deadline:{of}", "{date}", dated="ahead", needs="date", possessive=True,
    ),
    Rule(
        predicate(
            r"<>",
            rf"{APPOINTMENT} (?:is|was moved to|has been moved to|got moved to"
            r"|moved to) (?:on |at |now )?.+",
        ),
        "commitment", "appointment:{key}", "{date}", dated="ahead", needs="date", possessive=True,
    ),
    Rule(
        predicate(
            r"(?:diet|diet is) is <>", r"(?:vegan|vegetarian|keto|gluten[- ]free|halal|kosher)\b",
        ),
        "constraint", "diet", possessive=True,
    ),
    Rule(predicate(r"height is", r"\d[\w '\".]{0,12}"), "identity", "height", possessive=True),
)  # fmt: skip

RULES: tuple[Rule, ...] = (
    *CONSTRAINTS, *PREFERENCES, *IDENTITY, *CALLED, *FACTS, *COMMITMENTS, *EVENTS,
    *_POSSESSED,
)  # fmt: skip

_REPLY = (
    r"(?:answer|reply|respond|use|write|speak|give|show|book|ask|include|add|tell|format"
    r"|address|translate|explain|check|cite|recommend|suggest|mention|share|put|call|contact"
    r"|text|phone|ring|e-?mail|send|remind|talk|quote|summari[sz]e|confirm|assume)"
)  # fmt: skip

COMMANDS: tuple[Rule, ...] = (
    # "By e-mail only" and "by e-mail, no calls" shut the other ways out; that is the constraint.
    Rule(
        predicate(
            r"(?:please )?(?:contact|reach|write(?: to)?|message) me (?:by|via|on|through|over) "
            r"<>(?: only|,? (?:and )?(?:please )?no (?:phone )?calls?)\b",
            r"(?:e-?mail|text|sms|whatsapp|telegram|post|mail|chat)",
        ),
        "constraint", "contact_channel", "{key}", says="want to be contacted by {thing} only",
    ),
    Rule(
        predicate(
            r"(?:please )?(?:only |just )?(?:contact|reach|write(?: to)?"
            r"|message) me (?:(?:only|just) )?(?:by|via|on|through|over) <>",
            r"(?:e-?mail|text|sms|phone|whatsapp|telegram|post|mail|chat)\b",
        ),
        "constraint", "contact_channel", "{key}", says="want to be contacted by {thing}",
    ),
    Rule(
        predicate(
            r"(?:please "
            r"|sorry )?(?:no (?:phone )?calls?(?: please)?)?[ ,-]*(?:please )?(?:only )?"
            r"(?:by )?<>(?: only|, please)$",
            r"e-?mails?",
        ),
        "constraint", "contact_channel", "email", says="want to be contacted by {thing} only",
    ),
    Rule(
        predicate(
            r"(?:please )?(?:(?:only |just )(?:contact|reach|write(?: to)?|message) me"
            r"|contact me only) (?:by|via|on|through|over) <>",
            r"e-?mail\b",
        ),
        "constraint", "contact_channel", "email", says="want to be contacted by {thing} only",
    ),
    Rule(
        predicate(r"(?:please )?(?:only )?<> me(?: only| instead|$)", r"e-?mail"), "constraint",
        "contact_channel", "email", says="want to be contacted by {thing} only",
    ),
    Rule(
        predicate(
            r"(?:(?:please |sorry )?(?:no|don't) (?:phone )?calls?(?: please)?"
            r"|please)?[ ,-]*(?:only )?<>(?: only| me only|, please)$",
            r"(?:e-?mail|text|sms|whatsapp)s?",
        ),
        "constraint", "contact_channel", "{key}", says="want to be contacted by {thing} only",
    ),
    Rule(
        predicate(
            r"(?:please |kindly )*(?:don't|never) (?:ever )?<>",
            r"(?:call|phone|ring)(?: me)?(?: again| any ?more| at work| on my (?:mobile"
            r"|cell))?(?=,|$)",
        ),
        "constraint", "contact_channel", "no calls", says="ask never to be called",
    ),
    Rule(
        predicate(r"(?:please )?stop <>", r"(?:calling|phoning|ringing) me\b"), "constraint",
        "contact_channel", "no calls", says="want no calls",
    ),
    Rule(
        predicate(r"(?:please )?no (?:more )?(?:phone )?<>", r"calls\b"), "constraint",
        "contact_channel", "no calls", says="want no calls",
    ),
    Rule(
        predicate(
            r"(?:please )?remind me (?:again )?(?:(?:tomorrow|later|on \w+|tonight) )?(?:to"
            r"|about|of)"
        ),
        "commitment", "commitment:{key}", "{date}", dated="ahead",
        says="want to be reminded: {thing}",
        refuses=re.compile(r"(?:what|how|why|who|it|that|this)\b", ANY_CASE),
    ),
    Rule(
        predicate(r"(?:please )?call me <>"), "identity", "preferred_name",
        wants=re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?$"), says="want to be called {thing}",
        refuses=starts_with(
            "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Back|Tomorrow|When"
            "|Later|Crazy"
        ),
    ),
    Rule(
        predicate(r"(?:please |kindly )*(?:never|don't ever)"), "constraint", "instruction:{key}",
        "never", wants=starts_with(_REPLY), says="ask the assistant never to {thing}",
        refuses=starts_with("give (?:up|in)|call it|mind"),
    ),
    Rule(
        predicate(r"(?:please |kindly )*always"), "constraint", "instruction:{key}", "always",
        wants=starts_with(_REPLY), says="ask the assistant always to {thing}",
    ),
    Rule(
        predicate(r"please (?:don't|stop)"), "constraint", "instruction:{key}", "never",
        wants=starts_with(_REPLY), says="ask the assistant not to {thing}", confidence=0.8,
        refuses=re.compile(r"\w+$|\w+ me anything\b"),
    ),
    Rule(
        predicate(
            r"(?:the )?(?P<of>[\w -]{0,30}?) ?deadline(?: is| for (?:the "
            r"|my )?[\w -]{2,30} is) <>"
        ),
        "commitment", "deadline:{of}", "{date}", dated="ahead", needs="date",
        says="have a deadline: {thing}",
    ),
    # "Sushi is my favourite food."
    Rule(
        predicate(
            r"<>(?:'s| is| are) my (?:all[- ]time |absolute "
            r"|very )?favou?rite (?P<of>[\w -]{2,30})",
            r"(?!(?:that|this|it|which|what|he|she|they|there)\b)[\w' &-]{2,40}?",
        ),
        "preference", "favourite_{of}", says="like {thing} best", refuses=EMPTY,
    ),
)  # fmt: skip
