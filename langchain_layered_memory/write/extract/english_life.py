"""What English says of who somebody is: name, age, places, work, family, faith."""

from __future__ import annotations

import re

from langchain_layered_memory.write.extract.english_pattern import (
    ANY_CASE,
    BE,
    COUNT,
    LANGUAGE,
    MONTHS,
    PLACE_ENDS,
    WORK_ENDS,
    predicate,
    starts_with,
)
from langchain_layered_memory.write.extract.statement import DELETED, Rule

_PLACE = re.compile(
    r"(?!(?:an?|my|the|this|that|here|there|fear|peace|hope|hell|it|our|your|one|same"
    r"|different|constant|poverty|another|such|which|person|general|fact|his|her|their|two"
    r"|general|luxury|style|two|three|four|five|six|seven|eight|nine|ten)\b)[^\d\W].*"
    r"|the (?:netherlands|uk|u\.?k|us|u\.?s|usa|united|philippines|bahamas|czech|city of"
    r"|suburbs|country(?:side)?|bay area|mid-?west|south|north|east|west|emirates|bronx)",
    ANY_CASE,
)  # fmt: skip

_HOUSING = (
    r"(?:an?|my|our|the|this|that) (?:[\w'-]+ ){0,4}(?:house|flat|apartment|farm|cabin|cottage"
    r"|condo|studio|town|village|city|suburb|trailer|dorm|mansion|bungalow|loft|ranch)\b"
)  # fmt: skip

# A place of work is not "work at home", "at night", "for fun".
_WORK = re.compile(
    r"(?!(?:home|night|nights|it|that|this|them|you|your|least|the moment|all|a|an|myself"
    r"|times|weekends|free|fun|money|hours|days|years|once|work|being|making|getting"
    r"|something|\d+|now|me|my|long|any|anybody|someone|him|her|"
    r"both|two|dawn|noon)\b(?! (?:[A-Z]|\w+ (?:company|firm|store|shop|bank|hospital|school"
    r"|university|agency|startup|start-up|restaurant|station|office|library|shelter"
    r"|business|bakery|clinic|plant|factory|studio|bar|cafe|hotel|museum|zoo|farm"
    r"|church))\b))"
    r"|an? (?:\w+ ){0,3}\w+|my (?:\w+ ){0,2}(?:company|firm|store|shop|business|restaurant)",
    ANY_CASE,
)  # fmt: skip

_TRADES = (
    r"(?:doctor|nurse|chef|cook|pilot|student|lawyer|attorney|judge|actor|actress|model|artist"
    r"|musician|singer|dancer|teacher|tutor|professor|lecturer|farmer|baker|butcher|barber"
    r"|driver|writer|author|"
    r"journalist|editor|engineer|developer|programmer|coder|designer|architect|analyst"
    r"|accountant|auditor|consultant|manager|director|producer|photographer|painter|plumber"
    r"|electrician|carpenter|mechanic|welder|"
    r"technician|scientist|researcher|physicist|chemist|biologist|psychologist|therapist"
    r"|counsell?or|psychiatrist|dentist|hygienist|surgeon|paramedic|firefighter|fireman"
    r"|policeman|police officer|detective|soldier|"
    r"veteran|marine|sailor|cashier|waiter|waitress|bartender|barista|receptionist|secretary"
    r"|administrator|assistant|clerk|librarian|pharmacist|vet|veterinarian|groomer|trainer"
    r"|coach|athlete|wrestler|boxer|skater|"
    r"salesman|saleswoman|salesperson|realtor|broker|banker|trader|economist|entrepreneur"
    r"|founder|ceo|cto|cfo|freelancer|contractor|builder|gardener|landscaper|florist"
    r"|hairdresser|stylist|beautician|nanny|"
    r"babysitter|housewife|homemaker|stay[- ]at[- ]home (?:mom|mum|dad|mother|father|parent)"
    r"|social worker|translator|interpreter|guide|flight attendant|steward(?:ess)?|truck(?:er)?"
    r"|comedian|magician|poet|novelist|blogger|"
    r"youtuber|streamer|gamer|dj|rapper|drummer|guitarist|pianist|violinist|football player"
    r"|basketball player|swimmer|runner|surgeon|superintendent|principal|inspector|executive"
    r"|intern|apprentice|trainee|undergraduate|"
    r"freshman|sophomore|junior|senior|postdoc|phd|paralegal|planner|recruiter|supervisor"
    r"|janitor|custodian|cleaner|maid|courier|postman|mailman|pastor|priest|minister|nun|monk"
    r"|rabbi|astronaut|fisherman|hunter|"
    r"jeweller|tailor|seamstress|statistician|mathematician|historian|anthropologist"
    r"|archaeologist|geologist|zookeeper|lifeguard|bodyguard|security guard|owner)"
)  # fmt: skip

_KIN = (
    r"(?:(?:younger|older|elder|little|big|twin|baby|adopted"
    r"|grown|teenage|step|half|beautiful|wonderful|young"
    r"|small) ?)*"
    r"(?:kids?|child|children|sons?|daughters?|brothers?"
    r"|sisters?|siblings?|wife|husband|girlfriend|boyfriend"
    r"|fianc[eé]e?|twins|boys|girls|grandkids"
    r"|grandchild(?:ren)?|grandsons?|granddaughters?"
    r"|roommates?|nephews?|nieces?|babies)"
)  # fmt: skip

_PET = (
    r"(?:(?:pet|small|big|little|black|white|brown|old|cute|rescue|german|golden|new|lovely"
    r"|tabby|service|guinea|bearded) )*(?:dogs?|cats?|pupp(?:y|ies)|kittens?|fish|goldfish"
    r"|birds?|parrots?|hamsters?|rabbits?|bunn(?:y|ies)|horses?|ponies|pony"
    r"|turtles?|tortoises?|snakes?|lizards?|pigs?|chickens?|goats?|retrievers?|shepherds?"
    r"|poodles?|labradors?|iguanas?|ferrets?|pet \w+|dragons?|cows?)"
)  # fmt: skip

_PERSON = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}$")

IDENTITY = (
    # Age: a bare number only when nothing follows it.
    Rule(
        predicate(
            rf"{BE} (?:an? )?(?:(?:only|almost|nearly|turning|about) )?<>(?:[ -]?(?:years?"
            r"|yrs?|yo)\b.*|$)",
            r"\d{1,2}",
        ),
        "identity", "age",
    ),
    Rule(
        predicate(
            r"(?:turned|turn) <>(?:\b|$)(?!\s*(?:down|left|right|minutes|hours|pages))",
            r"[1-9]\d",
        ),
        "identity", "age", speaker_only=False, dated="behind",
    ),
    Rule(
        predicate(
            rf"{BE} in (?:my|his|her|their) <>",
            r"(?:(?:early|mid|late)[- ])?(?:twenties|thirties|forties|fifties|sixties"
            r"|seventies|eighties)\b",
        ),
        "identity", "age",
    ),
    Rule(
        predicate(r"(?:was|were) born on"), "identity", "birthday",
        wants=re.compile(rf".*\d|{MONTHS}", ANY_CASE),
    ),
    Rule(predicate(r"(?:was|were) born in <>", r"\d{4}\b"), "identity", "birth_year"),
    Rule(
        predicate(r"(?:was|were) (?:born|raised|born and raised) (?:in|near)"), "identity",
        "hometown", wants=_PLACE, ends=PLACE_ENDS, refuses=starts_with(MONTHS),
    ),
    Rule(
        predicate(r"grew up (?:in|near|on)"), "identity", "hometown", wants=_PLACE,
        ends=PLACE_ENDS,
    ),
    Rule(
        predicate(rf"(?:{BE} originally|{BE}|originally come|comes?) (?:originally )?from"),
        "identity", "hometown", wants=_PLACE, ends=PLACE_ENDS,
        refuses=starts_with("work|school|home|time|money|what|now|where|today"),
    ),
    Rule(
        predicate(
            rf"(?:lives?|resides?|have lived|has lived|have been living|{BE} living"
            rf"|{BE} based|{BE} staying) in"
        ),
        "identity", "home", wants=starts_with(_HOUSING), ends=PLACE_ENDS, after=DELETED,
    ),
    Rule(
        predicate(
            rf"(?:lives?|resides?|have lived|has lived|have been living|{BE} living"
            rf"|{BE} based) (?:in|near|at|outside)"
        ),
        "identity", "lives_in", wants=_PLACE, ends=PLACE_ENDS, after=DELETED,
    ),
    Rule(
        predicate(r"(?:have |has )?(?:moved|relocated|moved back) (?:from .{2,30} )?to"),
        "identity", "lives_in", wants=_PLACE, ends=PLACE_ENDS,
        refuses=starts_with("next|tears|new|be|help|get|dance|march"),
    ),
    Rule(
        predicate(r"(?:lives?) with <>", r"(?:my|his|her|their|two|three|an?) [\w ]{3,40}"),
        "identity", "lives_with", after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:speaks?|am fluent in|is fluent in)(?: (?:fluent|some|a little|a bit of"
            r"|good|basic|native|both))*"
        ),
        "identity", "language", multiple=True, each=True, wants=starts_with(LANGUAGE),
        ends=re.compile(
            r"\s+(?:at|with|fluently|natively|very|well|in|to|for|pretty)\b.*", ANY_CASE,
        ),
        after=DELETED,
    ),
    Rule(
        predicate(r"(?:am|is) learning"), "fact", "learning", multiple=True, each=True,
        wants=starts_with(
            (
                LANGUAGE
                + (
                    r"|to (?!be|live|love|deal|accept)\w+|(?:the )?(?:guitar|piano|violin|drums"
                    r"|python)"
                )
            ),
        ),
        after=DELETED,
    ),
    Rule(
        predicate(
            rf"{BE} (?:happily |newly |recently )?<>",
            r"(?:married(?: to [\w ]+| for [\w ]+)?|single|divorced|engaged(?: to [\w ]+)?"
            r"|widowed|separated)(?=$|[,.])",
        ),
        "identity", "marital_status",
    ),
    Rule(
        predicate(r"(?:got|have been|has been) <>", r"(?:married|engaged|divorced)\b.*"),
        "identity", "marital_status", "{thing}", dated="behind",
    ),
    Rule(
        predicate(
            rf"{BE} <>",
            r"(?:left-handed|right-handed|adopted|bilingual|transgender|trans|gay|lesbian"
            r"|bisexual|nonbinary|non-binary|queer)(?=$|[ ,.])",
        ),
        "identity", "trait", multiple=True, ends=re.compile(r"\s.*"),
    ),
    Rule(
        predicate(
            rf"{BE} (?:an? )?(?:(?:practi[cs]ing|devout|born-again|non-practicing) )?<>",
            r"(?:muslim|christian|catholic|jewish|jew|buddhist|hindu|sikh|mormon|atheist"
            r"|agnostic|protestant|baptist)(?=$|[ ,.])",
        ),
        "identity", "religion", ends=re.compile(r"\s.*"), after=DELETED,
    ),
    Rule(
        predicate(
            rf"{BE} (?:an? |half )?<>",
            r"(?:American|British|English|Scottish|Irish|Welsh|French|German|Spanish"
            r"|Italian|Portuguese|Dutch|Norwegian|Swedish|Danish|Finnish|Polish|Russian"
            r"|Ukrainian|Greek|Turkish|Indian|Pakistani|Chinese|Japanese|Korean|Vietnamese"
            r"|Thai|Canadian|Mexican|Brazilian|Australian|Nigerian|Kenyan|Egyptian)$",
        ),
        "identity", "nationality",
    ),
    Rule(
        predicate(
            rf"{BE} <>",
            r"(?:retired|unemployed|self-employed|semi-retired|between jobs"
            r"|a stay[- ]at[- ]home \w+)(?=$|[ ,.])",
        ),
        "identity", "job", ends=re.compile(r"(?<=retired)\s.*|(?<=employed)\s.*"), after=DELETED,
    ),
    Rule(
        predicate(
            rf"{BE} (?:an? |the |now an? )<>", rf"(?:[\w'/&-]+ ){{0,4}}{_TRADES}\b(?:-\w+)?",
        ),
        "identity", "job", ends=re.compile(r"(?!)"), after=DELETED,
        refuses=starts_with(
            "good|bad|great|terrible|fan|big|huge|better|bit|horrible|lousy|proud|nice|decent"
        ),
        confidence=0.9,
    ),
    Rule(
        predicate(r"works? (?:full[- ]time |part[- ]time )?as an?"), "identity", "job",
        ends=WORK_ENDS, wants=re.compile(r"[a-z]", ANY_CASE),
        refuses=starts_with("team|whole|group|couple"), after=DELETED,
    ),
    Rule(
        predicate(
            rf"(?:works?|have worked|has worked|{BE} working|{BE} employed"
            r"|have been working) (?:full[- ]time |part[- ]time )?(?:at|for|by)"
        ),
        "identity", "employer", wants=_WORK, ends=WORK_ENDS, after=DELETED,
        refuses=starts_with("him|them|her|it|it's|that|everyone|many|few|over|about|almost"),
    ),
    Rule(
        predicate(
            r"(?:got a (?:new )?job|started (?:working|a (?:new )?job)|have a (?:new )?job"
            r"|has a job) (?:at|with)"
        ),
        "identity", "employer", wants=re.compile(r"[A-Z]|an? \w|the \w"), ends=WORK_ENDS,
    ),
    Rule(
        predicate(r"(?:works?|{BE} working) in".replace("{BE}", BE)), "identity", "works_in",
        wants=re.compile(
            r"(?!(?:progress|this|that|it|here|there|silence|peace|the (?:morning|evening"
            r"|afternoon|past|future|same|middle|dark|day))\b)\w",
            ANY_CASE,
        ),
        ends=WORK_ENDS, after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:have|has) <>", rf"{COUNT} (?:[\w-]+ )??{_KIN}\b(?: (?:and|named|called) .+)?",
        ),
        "identity", "family", multiple=True,
        refuses=re.compile(r".*\b(?:question|idea|problem)\b"),
    ),
    Rule(
        predicate(
            r"(?:have|has|own|owns|adopted|raise|raises) <>",
            rf"{COUNT} (?:[\w-]+ )??{_PET}\b(?: (?:and|named|called) .+)?",
        ),
        "identity", "pet", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(
            rf"{BE} an? <>",
            r"(?:(?:single|proud|new|working|busy|young) )*(?:mom|mum|mother|dad|father"
            r"|parent|grandmother|grandfather|grandma|grandpa|widow|widower|only child|twin"
            r"|vegan)(?: (?:of|to) .+|$)",
        ),
        "identity", "family", multiple=True,
    ),
    Rule(
        predicate(
            rf"{BE} <>",
            r"(?:(?:\d|four|five|six|seven)(?:'|ft| feet| foot)[\w '\"]{0,8}|\d{3} ?cm"
            r"|\d\.\d\d? ?m)(?: tall)?$",
        ),
        "identity", "height",
    ),
    Rule(predicate(r"am (?:called|named)"), "identity", "name", wants=_PERSON),
    Rule(predicate(r"go(?:es)? by"), "identity", "preferred_name", wants=_PERSON),
    Rule(
        predicate(rf"{BE}"), "identity", "name", wants=_PERSON, needs="greets", speaker_only=True,
        says="am called {thing}",
        refuses=starts_with(
            "[A-Z]\\w+(?:ese|ish|ian|ican)|Vegan|Vegetarian|Muslim|Christian|Catholic|New"
            "|In|At|From|Glad|Happy|Fine|Good|So"
        ),
    ),
)  # fmt: skip

CALLED = (
    # "My dog is called Max": said of the relation, which may be borne by several.
    Rule(
        predicate(r"(?:is|are) (?:called|named)"), "identity", "name", wants=_PERSON,
        multiple=True,
    ),
    # "Tom is my brother": who somebody is to the user.
    Rule(
        predicate(
            r"is my <>",
            r"(?:(?:best|good|close|older|younger|elder|little|big) )?(?:friend|wife"
            r"|husband|partner|brother|sister|son|daughter|mother|mom|mum|father|dad|boss"
            r"|manager|colleague|co-?worker|cousin|neighbou?r|room-?mate|teacher|boyfriend"
            r"|girlfriend|aunt|uncle|nephew|niece)(?=$|[ ,])",
        ),
        "identity", "relation", after=DELETED,
    ),
)  # fmt: skip
