"""The words around an English statement: spellings, clause breaks, doubts and lead-ins."""

from __future__ import annotations

import re

from langchain_layered_memory.write.extract.statement import Mark

ANY_CASE = re.IGNORECASE

# One spelling for what people write in many ways; in this order.
SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, ANY_CASE), new)
    for pattern, new in (
        (r"[’‘`´]", "'"),
        (r"[“”]", '"'),
        (r"\s+", " "),
        (r"\bi\b(?![.'’]\w)(?=[\s',;:!?]|$)", "I"),
        (r"\b(I) ?'?m\b", "I am"),
        (r"\b(I|we|they|you) ?'ve\b", r"\1 have"),
        (r"\bive\b", "I have"),
        (r"\b(I|we|he|she|they) ?'ll\b", r"\1 will"),
        (r"\b(I|we|he|she|they) ?'d\b", r"\1 would"),
        (r"\b(we|they|you) ?'re\b", r"\1 are"),
        (r"\b(he|she) ?'s\b", r"\1 is"),
        (r"\b(is|are|was)n'?t\b", r"\1 not"),
        (r"\bwon'?t\b", "will not"),
        # leaving a job ends it
        (
            r"\bI (?:just )?(?:quit|left|resigned from) my (?:job|position) (?:at|with) ",
            "I no longer work at ",
        ),
        (r"\b(?:do not|dont)\b", "don't"),
        (r"\b(?:does not|doesnt)\b", "doesn't"),
        (r"\b(?:can not|cannot|cant)\b", "can't"),
        (r"\b(have|has) got\b(?! to\b)", r"\1"),
        # "am also allergic" is "also am allergic": the verb stands before its object
        *(
            [
                (
                    r"\b(am|is|are|have|has|was|don't|doesn't|can't|will) "
                    r"(also|really|just|now|currently|still|actually|absolutely|totally|always"
                    r"|probably|already|definitely|mostly|quite|so|very|no longer|kind of|sort of"
                    r"|particularly|especially|personally|usually|recently|basically|both"
                    r"|simply|truly|generally|pretty|only|huge|strictly|severely|deathly|highly)\b",
                    r"\2 \1",
                )
            ]
            * 2
        ),
    )
)

# "My name is not Tom but Tim": only what holds is left, as a correction.
NOT_BUT = re.compile(
    r"(?:\bdon't (?P<verb>\w+) |\bnot )(?:(?:in|at|for|on) )?[^,;]{1,40}?,? but "
    r"(?!I\b|we\b|my\b|he\b|she\b|they\b|it\b|that\b|also\b|don't\b|can't\b|am\b|is\b)"
)

# "I used to shop at A, now mostly at B": only the second half holds.
USED_TO = re.compile(
    r"\b(?P<who>I|we|he|she|my \w+|[A-Z][a-z]+) used to (?P<verb>shop|live|work|go|play"
    r"|bank|train|study) "
    r"(?P<prep>at|in|for|to|with)\b[^;]{1,60}?[,;]? (?:(?:and|but) )?(?:now(?:adays)?"
    r"|these days)[, ]+"
    r"(?:(?:I|it is|it's|he|she) )?(?:(?:mostly|mainly|usually|only|always"
    r"|do it) )*(?P=prep) ",
    ANY_CASE,
)  # fmt: skip

# "Yesterday, I ran": the day belongs to what follows.
_TIME = (
    r"(?:yesterday|today|tonight|tomorrow|last night|this (?:morning|afternoon|evening)|(?:last"
    r"|this|next|on) \w+"
    r"|(?:a|\w+) (?:days?|weeks?|months?|years?) ago)"
)  # fmt: skip

TIME_LEAD = re.compile(rf"^({_TIME}), (?=(?:I|we|my|he|she)\b)", ANY_CASE)

# "I'm a nurse at Lumen" says two things.
JOB_AT = re.compile(r"\b(I (?:am|work as) an? [\w ]{3,40}?) (?:at|for) (?=[A-Z])")

_SUBJECT = r"(?:I|we|my|our|he|she|his|her|they|you|it|this|that|there|please|remind|actually)\b"

_VERB = (
    r"(?:live|work|like|love|hate|prefer|enjoy|have|am|speak|study|own|drive|don't|can't|never"
    r"|lives|works|likes"
    r"|loves|hates|prefers|enjoys|has|is|speaks|doesn't|avoid|dislike|only|strongly|always"
    r"|usually)\b(?! (?:to|in) (?:be|common))"
)  # fmt: skip

_ASKS = (
    r"(?:what|where|which|who|how|when|why|can|could|do|does|is|are|any|will|would|should|did"
    r"|have you)\b"
)  # fmt: skip

# Where one statement ends and the next begins. A bare comma may be a list, so it needs a subject.
BREAK = re.compile(
    r"\s*[;:]\s+|\s+[-–]+\s+|\s*[—…]\s*|\s*\(|\)\s*"
    r"|,?\s+(?:but|though|although|whereas|while|however"
    r"|because)\b,?\s+"
    r"|(?<![Ss]orry),\s+(?:(?:and|so|or|yet|now"
    rf"|then)\s+)*(?={_SUBJECT}\s)"
    r"|\s+(?:and|so)\s+(?=(?:I|we|he|she)\s)"
    r"|,?\s+and\s+(?=now I\s)"
    r"|,?\s+and\s+(?=(?:my|our) (?:\w+ ){1,3}(?:is|has"
    r"|likes|loves|hates|lives|works|doesn't|can't)\b)"
    rf"|,?\s+and\s+(?={_VERB})|,\s+(?:and\s+"
    rf"|so\s+)?(?={_ASKS})"
    r"|(?:,\s+(?:and\s+)?|\s+and\s+)(?=[A-Z][a-z]+ (?:is"
    r"|lives|works|likes|loves|has|hates|prefers|doesn't"
    r"|also|now)\b)"
)  # fmt: skip

QUESTION_START = re.compile(rf"(?:(?:so|and|but|ok|okay|hey|hi|well),? )*{_ASKS}", ANY_CASE)

# Verbs that continue a clause without repeating its subject.
CONTINUES = re.compile(_VERB)

# Conditions and jokes put the whole sentence in doubt; so do songs and sayings.
NO_CLAIM = re.compile(
    r"\b(?:if(?! (?:that|it) (?:helps|matters))|unless"
    r"|suppose(?:dly)?|imagine|pretend|hypothetically"
    r"|assum(?:e|ing)"
    r"|let's say|as though|in case|lyrics?|sings?"
    r"|song goes|the saying|as they say|just kidding|jk"
    r"|said no ?(?:one|body)"
    r"|role-?play|never said|did(?:n't| not) say"
    r"|not that I|(?:said|says|wrote|goes|quote"
    r"|tweeted)\s*[:\"…]"
    r"|translate|paraphrase|rewrite|proofread)\b",
    ANY_CASE,
)  # fmt: skip

# Modal verbs and wishes: what would be, not what is.
UNREAL = re.compile(
    r"\b(?:would|could|wish|hope|should|might|ought|whether|wouldn't|couldn't)\b", ANY_CASE,
)  # fmt: skip


def _lead(flag: str, pattern: str) -> Mark:
    return Mark(flag, re.compile(rf"^(?:{pattern})(?![\w'-])[\s,.!…-]*", ANY_CASE))  # type: ignore[arg-type]


LEADS = (
    _lead(
        "greets",
        r"(?:hi|hello|hey|good (?:morning|evening|afternoon)|greetings)(?: there| all"
        r"| everyone)?",
    ),
    _lead(
        "greets",
        r"nice to meet you|pleased to meet you|allow me to introduce myself"
        r"|let me introduce myself",
    ),
    _lead(
        "plain",
        r"well|oh|ok|okay|yes|yeah|yep|no(?! (?:more |phone )*calls)|nope|sure"
        r"|thanks(?: a lot| so much)?|thank you(?: so much)?|great|cool|wow|haha|lol"
        r"|ah|hmm|um|uh|and|but|so|then|because|since|right|nice|awesome|anyway|besides"
        r"|though|although|however|true|same"
        r"|unfortunately|sadly|luckily|thankfully|i am afraid|you know|you see|that"
        r"|as i said|as you know|me too|both|sorry(?!,? (?:my|it|i meant|actually|no)\b)",
    ),
    _lead(
        "plain",
        r"by the way|btw|fyi|for the record|for your information|just so you know"
        r"|just to let you know"
        r"|(?:please |just )?(?:note|remember|keep in mind|know|be aware)(?: that)?"
        r"|honestly|to be (?:honest|fair|clear)|frankly|tbh"
        r"|personally|in fact|in general|generally|i mean|i (?:must|have to) (?:say|admit"
        r"|confess)(?: that)?|i confess(?: that)?"
        r"|i (?:just )?want(?:ed)? (?:you to know|to (?:say|mention|add))(?: that)?"
        r"|i should (?:mention|say|add|tell you)(?: that)?"
        r"|let me tell you|the thing is(?: that)?|as for me|for me|as an? \w+(?: \w+)?,"
        r"|one more thing|i am pretty sure(?: that)?",
    ),
    _lead(
        "corrects",
        r"actually|no,? (?:sorry,? )?i meant(?: to say)?(?: that)?"
        r"|sorry,? i meant(?: to say)?(?: that)?|i meant(?: to say)?(?: that)?"
        r"|(?:sorry|no),? actually|sorry,?(?= (?:my|it)\b)|my mistake|correction"
        r"|scratch that|on second thoughts?"
        r"|i(?: have)? changed my mind|i was wrong|i misspoke|that(?: is|'s) (?:wrong"
        r"|not right|incorrect)|not any ?more|wait|sorry,? no",
    ),
    _lead(
        "hedged",
        r"maybe|perhaps|probably|possibly|i (?:think|guess|believe|suppose"
        r"|feel like)(?: that)?|apparently",
    ),
    _lead("renewed", r"now|nowadays|these days|from now on|as of (?:now|today)"),
    _lead("adds", r"also|plus|in addition|additionally"),
    Mark("plain", re.compile(rf"^{_TIME} (?=(?:I|my|we|he|she) )", ANY_CASE)),
    Mark(
        "plain",
        re.compile(
            r"^(?:in|on|at|for|during|after|every|most|as) [^,]{1,40}? (?=(?:I|my|we) )", ANY_CASE,
        ),
    ),
)  # fmt: skip

FILLERS = (
    _lead("ended", r"no longer"), _lead("adds", r"also"), _lead("renewed", r"now"),
    _lead("corrects", r"actually"),
    _lead("hedged", r"probably|maybe|kind of|sort of|kinda|sorta|possibly"),
    _lead(
        "plain",
        r"really|just|absolutely|totally|still|always|usually|mostly|mainly|generally"
        r"|currently|personally|truly|especially"
        r"|particularly|definitely|already|often|do|does|sure|so|both|quite|very|simply"
        r"|honestly|normally|sometimes|recently|myself"
        r"|tend to|basically|typically|primarily|strongly|pretty|only|huge|strictly"
        r"|severely|deathly|highly|too|much|all",
    ),
)  # fmt: skip

ENDINGS = (
    Mark("ended", re.compile(r"[\s,]+(?:any ?more|any longer)$", ANY_CASE)),
    Mark("adds", re.compile(r"[\s,]+as well$", ANY_CASE)),
    Mark(
        "plain",
        re.compile(
            r"[\s,]+(?:please|thanks|thank you|lol|haha|though|by the way|btw|you know|now"
            r"|these days|nowadays|too|a lot|very much"
            r"|so much|at the moment|right now|currently|actually|of course|honestly"
            r"|in general|to be honest|sorry|again"
            r"|the most|(?:the )?best|more than anything|myself|as of late|if (?:that"
            r"|it) (?:helps|matters))$",
            ANY_CASE,
        ),
    ),
)  # fmt: skip

NEGATED = re.compile(r"^(?:don't|doesn't) |(?<=^am )not |(?<=^is )not |(?<=^are )not ")
