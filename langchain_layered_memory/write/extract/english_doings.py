"""What English says of what somebody does, did and will do."""

from __future__ import annotations

import re

from langchain_layered_memory.write.extract.english_pattern import (
    ANY_CASE,
    APPOINTMENT,
    BE,
    COUNT,
    PLACE_ENDS,
    predicate,
    starts_with,
)
from langchain_layered_memory.write.extract.statement import DELETED, Rule

_OWNED = (
    r"(?:(?:new|old|red|blue|black|white|classic|small|big|nice|used|brand|electric|beautiful"
    r"|second|\w+) ){0,2}(?:car|truck|bike|bicycle|motorcycle|motorbike|boat|house|guitar|piano"
    r"|violin|garden|farm|store|shop|business|company|restaurant|bakery|blog|podcast"
    r"|youtube channel|channel|degree|phd|tattoos?|van|suv|jeep|camper|telescope|camera|studio"
    r"|collection|subscription|membership|licen[cs]e)"
)  # fmt: skip

# Past events worth keeping; each takes a concrete object.
_DID = (
    r"(?:went to|went on|visited|attended|finished|completed|started|joined|won"
    r"|signed up (?:for|to)|bought|purchased|got accepted (?:to|into)|graduated (?:from|with"
    r"|in)?|passed|ran|adopted|sold|published|launched|opened|"
    r"moved|took part in|participated in|volunteered (?:at|for|with)|performed (?:at|in)"
    r"|competed in|hosted|organi[sz]ed|met|painted|built|wrote|read|watched|made|cooked|baked"
    r"|hiked|climbed|swam|saw|broke|lost|quit|passed away|got a|got my|took|planted|donated"
    r"|received|applied (?:to|for)|created|recorded|learned|explored|travel(?:l)?ed to|flew to"
    r"|drove to|celebrated|booked|cancelled|canceled|rescheduled|enrolled in)"
)  # fmt: skip

_DID_PLAIN = (
    r"(?:visited|attended|joined|won|signed up (?:for|to)|graduated from|adopted|published"
    r"|launched|participated in|took part in|volunteer(?:ed)? (?:at|for|with)|moved the"
    r"|rescheduled the|cancelled (?:my|the)|enrolled in|got accepted (?:to|into)|passed my"
    r"|applied (?:to|for)|flew to|travel(?:l)?ed to|went to)"
)  # fmt: skip

_VAGUE = re.compile(
    r"(?:it|that|this|them|you|one|some|something|on|off|up|out|in|the (?:idea|time|chance"
    r"|one|first|second)|a (?:look|chance|lot|bit|few|while)|to (?:be|do|get|have|see)"
    r"|my mind|sense|sure|how|what|when|by|back|well|your|him|her|through|over|away|away|of"
    r"|with|me|so|bed|sleep|work|home|there|here|ahead|forward|crazy|all|past|into)\b"
    r"|.*\b(?:you|your|u)\b",
    ANY_CASE,
)  # fmt: skip

_SPORT = (
    r"(?:football|soccer|basketball|baseball|tennis|golf|chess|hockey|rugby|cricket|volleyball"
    r"|badminton|video ?games|games|cards|softball|lacrosse|pool|poker|board games|d&d|squash"
    r"|table tennis|sports|[A-Z]\w+(?: \w+)?)"
)  # fmt: skip

_INSTRUMENT = (
    r"(?:the |some |an? )?(?:\w+ )?(?:guitar|piano|violin|drums?|flute|cello|bass|saxophone"
    r"|trumpet|ukulele|clarinet|keyboard|banjo|harp|viola|trombone|instruments?)"
)  # fmt: skip

FACTS = (
    Rule(
        predicate(
            r"works? <>",
            r"(?:from home|remotely|nights|night shifts?|part[- ]time|full[- ]time"
            r"|for myself|as a freelancer|freelance|two jobs|three jobs)(?=$|[ ,.])",
        ),
        "fact", "works_how", after=DELETED, ends=re.compile(r"(?<=home)\s.*"),
    ),
    Rule(
        predicate(r"takes? <>", r"(?:\w+ ){1,3}(?:classes|lessons)\b"), "fact", "hobby",
        multiple=True, after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:have|has) <>",
            r"(?:(?:long|short|curly|straight|wavy|blonde?|brown|black|red|gray|grey|dark"
            r"|blue|green|hazel|light|dyed|purple|pink),? )+(?:hair|eyes|skin)\b",
        ),
        "identity", "looks", multiple=True,
    ),
    Rule(
        predicate(
            rf"(?:works? on|{BE} (?:now )?working on|{BE} (?:now )?on|{BE} assigned to"
            rf"|joined|lead|leads|{BE} (?:now )?leading|{BE} in charge of"
            r"|moved to) (?:the )?(?:project|team)",
            r"[A-Z\d][\w-]*(?: [A-Z\d][\w-]*){0,2}",
        ),
        "fact", "project", after=DELETED,
    ),
    Rule(
        predicate(
            rf"(?:works? on|{BE} (?:now )?working on|{BE} (?:now )?on|{BE} assigned to"
            r"|moved to|leads?) the <>",
            r"[A-Z][\w-]*(?: [A-Z\d][\w-]*){0,2}(?= (?:project|team))",
        ),
        "fact", "project", after=DELETED,
    ),
    # "also helps Red" adds a project to the others.
    Rule(
        re.compile(
            r"helps? (?:(?:with|on|out on"
            r"|out) )?(?:project )?(?P<thing>[A-Z][\w-]*(?: [A-Z][\w-]*)?)$"
        ),
        "fact", "project", needs="adds",
    ),
    Rule(
        predicate(
            r"(?:shops?|do my (?:grocery )?shopping|does (?:his|her) shopping"
            r"|buy (?:all )?my (?:groceries|food)|buys? groceries) (?:at|from|in)"
        ),
        "fact", "shops_at", ends=PLACE_ENDS, after=DELETED, refuses=_VAGUE,
    ),
    Rule(
        predicate(
            rf"(?:stud(?:y|ies)|{BE} studying|studied|majors? in|{BE} majoring in"
            rf"|majored in|{BE} getting (?:my|a|an|his|her) (?:\w+ )?degree in)"
        ),
        "fact", "studies",
        refuses=re.compile(
            _VAGUE.pattern + r"|(?:for|at|hard|every|abroad|here|until|to)\b", ANY_CASE,
        ),
        ends=re.compile(r"\s+(?:at|in (?=[A-Z])|for|from|right|until|every|and|so)\b.*", ANY_CASE),
        after=DELETED,
    ),
    Rule(
        predicate(
            rf"(?:go to|goes to|attends?|{BE} at|{BE} attending|stud(?:y|ies) at"
            rf"|{BE} a student at|graduated from) <>",
            r"(?:the )?(?:[A-Z][\w'.-]*(?: of)? ?){1,5}(?:University|College|High School"
            r"|School|Institute|Academy)\b|(?:[A-Z]{3,5})$|University of [A-Z]\w+",
        ),
        "fact", "school", after=DELETED,
    ),
    Rule(
        predicate(
            rf"{BE} in (?:the )?<>",
            r"(?:\w+ (?:grade|year)(?: of \w+(?: school)?)?|(?:high|middle|law|medical|med"
            r"|graduate|grad|nursing|elementary) school|college|the (?:army|navy|military"
            r"|air force)|army|navy|military)(?=$|[ ,.])",
        ),
        "fact", "school", after=DELETED, ends=re.compile(r"(?<=school)\s.*|(?<=college)\s.*"),
    ),
    Rule(
        predicate(r"(?:drive|drives) an?"), "fact", "drives", confidence=0.8, after=DELETED,
        ends=re.compile(r"\s+(?:to|for|and|from|in|at)\b.*"), refuses=_VAGUE,
    ),
    Rule(
        predicate(
            r"(?:have|has|own|owns|run|runs) <>",
            rf"(?:{COUNT}|my own|our own|his own|her own) {_OWNED}\b(?: (?:called|named"
            r"|for|of|in|about|on) [^,]+)?",
        ),
        "fact", "owns", multiple=True,
        refuses=re.compile(r".*\b(?:question|problem|issue|appointment|rental|hire|book)\b"),
        after=DELETED,
    ),
    Rule(
        predicate(r"owns?"), "fact", "owns", multiple=True,
        wants=re.compile(rf"{COUNT} \w|my own \w|the \w", ANY_CASE), after=DELETED,
    ),
    Rule(
        predicate(r"collects?"), "fact", "collects", multiple=True, refuses=_VAGUE,
        ends=re.compile(r"\s+(?:from|at|in|on|for)\b.*"), after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:can play|plays?|{BE} learning to play) <>".replace("{BE}", BE),
            rf"{_INSTRUMENT}\b",
        ),
        "fact", "instrument", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(r"(?:plays?) (?:(?:a lot of|some|in) )?<>", rf"{_SPORT}\b"), "fact", "hobby",
        multiple=True, after=DELETED, refuses=_VAGUE,
    ),
    Rule(
        predicate(r"(?:go|goes) <>", r"\w{2,}ing\b(?! (?:to|crazy|mad|on)\b)(?: [^,]+)?"), "fact",
        "hobby", multiple=True, after=DELETED,
        refuses=starts_with("going|missing|being|shopping for|looking"),
    ),
    Rule(
        predicate(r"(?:volunteers?) (?:at|for|with|in)"), "fact", "volunteers", multiple=True,
        refuses=_VAGUE, after=DELETED,
    ),
    Rule(
        predicate(r"teach(?:es)?"), "fact", "teaches", multiple=True, refuses=_VAGUE,
        after=DELETED, confidence=0.8,
    ),
    Rule(
        predicate(r"uses?"), "fact", "uses", multiple=True, speaker_only=True, confidence=0.8,
        wants=re.compile(
            r"(?:an? |the |my )?[A-Z][\w.+#-]*|an? (?:mac|windows|linux|android|iphone"
            r"|wheelchair|macbook|thinkpad)",
            0,
        ),
        refuses=_VAGUE, ends=re.compile(r"\s+(?:for|to|at|when|because|and)\b.*"), after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:watch|watches|read|reads|listen to|listens to|cook|cooks|bake|bakes|paint"
            r"|paints|run|runs|swim|swims|exercise|work out|meditate|do yoga|practi[cs]e"
            r"|wake up|get up|go to the gym|goes to the gym|go to church|go to bed|eat"
            r"|eats|drink|drinks|walk|train|trains) <>",
            r"(?:[^,]{0,40} )?(?:every (?:day|morning|evening|night|week|weekend|sunday"
            r"|saturday|monday|tuesday|wednesday|thursday|friday|year|other day)"
            r"|twice a week|once a week|(?:\w+ )?times a week|daily)\b",
        ),
        "fact", "habit", multiple=True, speaker_only=True,
        refuses=re.compile(r"and\b|.*\b(?:you|your)\b"), after=DELETED,
    ),
)  # fmt: skip

# What is done for somebody else or soon; with these verbs a plan is concrete without a day.
_DEEDS = (
    r"(?:send|call|e-?mail|write|pay|submit|deliver|finish|bring|meet|visit|buy|prepare|review"
    r"|update|sign|ship|attend|fix|present|schedule|clean|complete|renew|cancel|repair|publish"
    r"|upload|"
    r"hand in|ring|text|water|feed|print|organi[sz]e|apply|register|enrol|enroll|fly|travel"
    r"|marry|graduate|retire|launch|release|take (?:my|the|him|her)|see (?:my|the|a) (?:doctor"
    r"|dentist|mum|mom|dad|lawyer))"
)  # fmt: skip

_IDLE = re.compile(
    r"(?:it|that|this|you(?: (?:know|later|back|soon|posted|shortly|then))?|them|a (?:cab"
    r"|call|try|look|shot)|over|with you|looking|by|back|from|off|now|to (?:be|think|see"
    r"|feel|get|look))\b(?:$|.{0,12}$)",
    ANY_CASE,
)  # fmt: skip

_PLAN = (
    rf"(?:will|{BE} (?:going to|gonna|planning to|due to|supposed to|scheduled to)|plans? to"
    r"|promised?(?: \w+)? (?:to|that I will)|have promised to|agreed to|committed to)"
)

_DUTY = r"(?:must|have to|has to|need to|needs to)"

COMMITMENTS = (
    Rule(
        predicate(r"promised?(?: (?:\w+|my \w+))? (?:to|that (?:I|he|she) will)"), "commitment",
        "commitment:{key}", "{date}", dated="ahead",
        refuses=re.compile(_IDLE.pattern + r"|(?:be|try|think|love)\b", ANY_CASE),
    ),
    Rule(
        predicate(rf"{_PLAN} <>", rf"{_DEEDS} \S.*"), "commitment", "commitment:{key}", "{date}",
        dated="ahead", wants=re.compile(r"\S+ \S"),
        refuses=re.compile(
            rf"\w+ (?:it|this|that|them|you)\b|(?:{_DEEDS}) {_IDLE.pattern}", ANY_CASE,
        ),
        confidence=0.8,
    ),
    Rule(
        predicate(
            rf"(?:{_PLAN}|{_DUTY}) <>",
            r"(?!(?:not|never|be|see|let|need|take|like|want|have|go with|pick|try|think|leave|pass"
            r"|wait|keep|check|look|talk|find|book|reserve|get)\b)\w+ \S.*",
        ),
        "commitment", "commitment:{key}", "{date}", dated="ahead", needs="date", confidence=0.8,
        refuses=re.compile(r"\w+ (?:it|this|that|them|you)\b", ANY_CASE),
    ),
    Rule(
        predicate(r"(?:have|has) <>", rf"(?:an?|my|our|two|three|the) {APPOINTMENT}\b.*"),
        "commitment", "appointment:{key}", "{date}", dated="ahead", needs="date", confidence=0.9,
    ),
    Rule(
        predicate(
            rf"{BE} <>",
            r"(?:flying|travel(?:l)?ing|moving|going|heading|meeting|visiting|starting"
            r"|getting married|leaving) .*",
        ),
        "commitment", "commitment:{key}", "{date}", dated="ahead", needs="date", confidence=0.8,
        refuses=re.compile(
            r"going to (?!(?:the |a |my )?[A-Z])|(?i:going|heading) (?:to (?:be|have|see|do"
            r"|get|try|sleep|bed)|out|well|on|back|home)\b"
        ),
    ),
)  # fmt: skip

# A past tense is kept for what people tell of their lives; any verb if a day is named.
EVENTS = (
    Rule(
        re.compile(rf"(?P<thing>(?:just )?{_DID_PLAIN} \S.+)", ANY_CASE), "fact", "did", "{thing}",
        multiple=True, dated="behind", confidence=0.8,
        refuses=re.compile(rf"(?:just )?{_DID_PLAIN} (?:{_VAGUE.pattern})", ANY_CASE),
    ),
    Rule(
        re.compile(
            rf"(?P<thing>(?:just )?(?:(?:bought|purchased) (?:{COUNT}|my|new|tickets)"
            r"|got an? new|got (?:my|tickets)) .+)",
            ANY_CASE,
        ),
        "fact", "did", "{thing}", multiple=True, dated="behind", confidence=0.8,
        refuses=re.compile(
            r"(?:just )?\w+ (?:a|some|an|my) (?:bit|lot|few|chance|look|feeling|call|text"
            r"|minute|way|idea|headache|cold|message|question|ticket for (?:it|that))\b"
            r"|.*\b(?:you|your)\b",
            ANY_CASE,
        ),
    ),
    Rule(
        re.compile(
            rf"(?P<thing>(?:just )?(?:{_DID}|(?!need|feed|bleed|breed|speed)\w+ed)\b.*)", ANY_CASE,
        ),
        "fact", "did", "{thing}", multiple=True, dated="behind", needs="date", confidence=0.8,
        refuses=re.compile(
            r".*\b(?:you|your)\b|(?:used|wanted|needed|asked|tried|talked|mentioned|liked"
            r"|decided|thought|hoped|supposed|said)\b",
            ANY_CASE,
        ),
    ),
)  # fmt: skip
