"""What English says of likes, dislikes, diets, allergies and health."""

from __future__ import annotations

import re

from langchain_layered_memory.write.extract.english_pattern import (
    ANY_CASE,
    BE,
    EMPTY,
    POINTING,
    predicate,
    starts_with,
)
from langchain_layered_memory.write.extract.statement import DELETED, Rule

_NOT = r"(?:don't|doesn't)"

# "I like to book a table" asks for one.
_REQUEST = re.compile(
    (
        POINTING
        + (
            r"|(?:more|better|less)\b|to (?:book|reserve|fix|find|make|get|buy|check|schedule"
            r"|search|rent|order|confirm|hire|add|request|stay|watch|pay|purchase|transfer|send"
            r"|share|look|eat|dine|visit|attend|go (?:to|see|with|for)|take|leave|travel|set"
            r"|know|see)\b"
        )
    ),
    ANY_CASE,
)  # fmt: skip

# "I prefer the 4th", "I prefer a table at six" choose for once.
_CHOICE = re.compile(
    (
        POINTING
        + (
            r"|to \w+ it\b|around|before|after|quarter|half|(?:the )?\d|an? (?:table|window"
            r"|room|ticket|seat)\b|noon|midday"
        )
    ),
    ANY_CASE,
)  # fmt: skip

_LOVE = r"(?:(?:love|enjoy|adore|savou?r|cherish)(?:s|es)?)"

_COMPARED = re.compile(r"\s+(?:more|better) than\b.*|\s+(?:more|better)$", ANY_CASE)

_HATE = (
    r"(?:hates?|dislikes?|detests?|loathes?|despises?|can't (?:stand|bear|abide|tolerate)"
    r"|avoids?)"
)  # fmt: skip

PREFERENCES = (
    Rule(
        predicate(rf"{BE} no fan of"), "preference", "preference:{key}", "dislike", refuses=EMPTY,
        each=True,
    ),
    # "don't like" is dislike; "don't dislike" says nothing and matches nothing.
    Rule(
        predicate(
            rf"(?:{_NOT} (?:really |even )?(?:like|enjoy|love|care for)|never (?:liked"
            r"|cared for)s?)"
        ),
        "preference", "preference:{key}", "dislike", refuses=EMPTY, each=True,
    ),
    Rule(
        predicate(_HATE), "preference", "preference:{key}", "dislike", refuses=EMPTY, each=True,
        after="",
    ),
    Rule(
        predicate(
            rf"{BE} not (?:(?:really|a|an|much of a|big|huge|great|the biggest"
            r"|particularly|very|exactly|that|at all|so) )*(?:fans? of|into|fond of"
            r"|keen on|crazy about)"
        ),
        "preference", "preference:{key}", "dislike", refuses=EMPTY, each=True,
    ),
    Rule(
        predicate(
            r"(?:have|has) (?:an? )?(?:(?:strong|deep|serious|real|intense|slight"
            r"|bit of an?) )*(?:aversion|dislike|distaste|hatred|phobia)s? (?:to|towards?"
            r"|for|of)"
        ),
        "preference", "preference:{key}", "dislike", refuses=EMPTY,
    ),
    Rule(
        predicate(r"(?:stay|steer|stays|steers) (?:away|clear) (?:from|of)"), "preference",
        "preference:{key}", "dislike", refuses=EMPTY, confidence=0.8,
    ),
    Rule(
        predicate(r"prefers? (?:not to|to avoid)"), "preference", "preference:{key}", "dislike",
        refuses=_CHOICE,
    ),
    Rule(
        predicate(r"(?:prefers?|favou?rs?)"), "preference", "preference:{key}", "prefer",
        refuses=_CHOICE, after="dislike",
        ends=re.compile(
            r"\s+(?:over|to (?!\w+\b (?:in|at|on|with|my|the|a)\b)|rather than|instead of"
            r"|more than)\b.*",
            ANY_CASE,
        ),
    ),
    Rule(
        predicate(r"likes?"), "preference", "preference:{key}", "like", refuses=_REQUEST, each=True,
        after="dislike", ends=_COMPARED,
    ),
    Rule(
        predicate(_LOVE), "preference", "preference:{key}", "like", refuses=EMPTY, each=True,
        after="dislike", ends=_COMPARED,
    ),
    Rule(
        predicate(
            rf"{BE} (?:(?:an?|big|huge|great|massive|long-?time|avid|real|such a"
            r"|true) )*(?:fans? of|into|fond of|keen on|crazy about|passionate about"
            r"|obsessed with|addicted to)"
        ),
        "preference", "preference:{key}", "like", refuses=EMPTY, each=True, after="dislike",
    ),
    Rule(
        predicate(
            rf"{BE} an? (?:(?:big|huge|real|avid|total) )*<> (?:lover|fan|enthusiast"
            r"|addict|fanatic|buff|nerd|person)$",
            r"[\w' -]{2,40}?",
        ),
        "preference", "preference:{key}", "like",
        refuses=starts_with(
            "nice|good|bad|great|big|huge|old|young|new|happy|kind|shy|different|better"
            "|very|private|busy|creative|people|religious|positive"
        ),
        confidence=0.8,
    ),
    Rule(
        predicate(
            r"(?:have|has) (?:an? )?(?:(?:strong|real|big|deep|huge|soft|great|new"
            r"|special) )*(?:passion|weakness|spot|preference|thing|fondness|love"
            r"|crush) (?:for|on)"
        ),
        "preference", "preference:{key}", "like", refuses=EMPTY, confidence=0.8,
    ),
)  # fmt: skip

_OUT_OF_DIET = re.compile(
    r"(?:out|much|a lot|enough|well|at|in|before|after|anything|it|that|this|them|here"
    r"|there|there|so|too|very|every|on|right|these|those|until|less|more|when|for|with"
    r"|like|"
    r"breakfast|lunch|dinner|all|alone|together|properly|either|from|yet|any more|anymore"
    r"|nothing|everything|yours?|to|up|what|healthy|as|and|or|because|late)\b",
    ANY_CASE,
)  # fmt: skip

_HEALTH = (
    r"(?:(?:type [12]|severe|mild|chronic|high|low|seasonal|bad) )*(?:diabetes|asthma|epilepsy"
    r"|arthritis|migraines?|coeliac disease|celiac disease|dyslexia|adhd|autism"
    r"|high blood pressure|blood pressure|hypertension|anxiety|depression|insomnia|cancer"
    r"|a heart condition|crohn's|ibs|eczema|a bad (?:back|knee)|hay ?fever|vertigo)"
)  # fmt: skip

CONSTRAINTS = (
    Rule(
        predicate(rf"(?:{BE}|(?:have|has) been) (?!not\b)(?:\w{{2,12}} )?allergic to"),
        "constraint", "allergy", "{key}",
        multiple=True, each=True, refuses=EMPTY, after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:have|has) an? (?:(?:bad|severe|serious|mild) )?<> allerg(?:y|ies)\b",
            r"[\w ]{2,30}?",
        ),
        "constraint", "allergy", "{key}", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(r"(?:have|has) (?:an? )?(?:(?:bad|severe|serious|mild) )*allerg(?:y|ies) to"),
        "constraint", "allergy", "{key}", multiple=True, each=True, refuses=EMPTY, after=DELETED,
    ),
    Rule(
        predicate(rf"{BE} <>(?:[ -]intolerant)\b", r"\w{3,12}"), "constraint", "allergy", "{key}",
        says="is {thing} intolerant", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(
            rf"{BE} (?:an? )?(?:(?:strict|lifelong|ethical) )?<>",
            r"(?:ovo-|lacto-)*(?:vegetarian|vegan|pescatarian|pescetarian|flexitarian"
            r"|teetotal(?:ler)?|coeliac|celiac)s?\b",
        ),
        "constraint", "diet", "{key}", after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:follow|follows|keep|keeps|eat|eats|am on|is on) (?:(?:only|an?|strictly"
            r"|the) )*<>",
            r"(?:halal|kosher|keto|paleo|gluten[- ]free|vegan|vegetarian|plant[- ]based"
            r"|low[- ]carb|dairy[- ]free|mediterranean)\b(?: diet| food)?",
        ),
        "constraint", "diet", "{key}", after=DELETED,
    ),
    Rule(
        predicate(
            rf"(?:{_NOT} (?:really )?(?:eat|drink|touch|consume)|can't (?:eat|drink"
            r"|tolerate)|never (?:eats?|drinks?|touch(?:es)?))"
        ),
        "constraint", "diet:{key}", "no", refuses=_OUT_OF_DIET, each=True,
    ),
    Rule(
        predicate(r"(?:don't|doesn't|never)", r"smokes?$"),
        "constraint", "habit:smoke", "no",
    ),
    # Said of what is no longer eaten; that somebody eats is no news.
    Rule(
        predicate(r"(?:eats?|drinks?)"), "constraint", "diet:{key}", "no", refuses=_OUT_OF_DIET,
        each=True, after="no", only_after=True,
    ),
    Rule(
        predicate(
            r"(?:gave|given) up (?:eating |drinking )?<>",
            r"(?:meat|dairy|sugar|alcohol|coffee|gluten|smoking|bread|fish|eggs|caffeine)\b",
        ),
        "constraint", "diet:{key}", "no",
    ),
    Rule(
        predicate(
            r"(?:have|has|suffer from|suffers from|was diagnosed with) (?:an? )?<>", _HEALTH,
        ),
        "constraint", "health", "{key}", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(
            rf"{BE} <>",
            r"(?:(?:type [12]|legally|partially|colou?r[- ]?) ?)?(?:diabetic|deaf|blind"
            r"|colou?r[- ]?blind|pregnant|dyslexic|autistic|epileptic|asthmatic"
            r"|in a wheelchair|hard of hearing)\b",
        ),
        "constraint", "health", "{key}", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:need|use|needs|uses) <>",
            r"(?:an? )?(?:wheelchair(?: access)?|hearing aids?|step-free access|screen reader)\b",
        ),
        "constraint", "health", "{key}", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:can't|don't|doesn't) (?:take|answer|do|accept|want|like) (?:any )?(?:phone )?<>",
            r"calls\b",
        ),
        "constraint", "contact_channel", "no calls",
    ),
)  # fmt: skip
