"""How Chinese is taken apart: clauses, lead-ins, subjects, and the third person."""

from __future__ import annotations

import re
from collections.abc import Iterator

from langchain_layered_memory.write.extract.chinese_rules import COMMANDS, RULES
from langchain_layered_memory.write.extract.dates import without_days
from langchain_layered_memory.write.extract.statement import (
    Candidate,
    Flag,
    Grammar,
    Heard,
    Mark,
    Subject,
)

# "不是A，是B": only what holds is left, as a correction.
_NOT_BUT = re.compile(r"不(?:是|叫|住在?|在|喜欢|爱)[^，。,]{1,20}[，,]?(?:而是|是)")
# "以前在A买菜，现在主要在B": only the second half holds, with the first half's verb.
_USED_TO = re.compile(
    r"(?P<who>[^，,]{0,8}?)(?:以前|之前|过去|原来|从前)(?:都|总|一直"
    r"|是)?(?P<place>在|去|到)[^，,]{1,15}?(?P<verb>买菜|买东西|购物"
    r"|上班|工作|生活)"
    r"[^，,]{0,4}[，,]?(?:但是?|不过)?(?:现在|如今)(?:都|主要|基本|大多"
    r"|改)?(?P=place)(?P<now>[^，,。]{1,20}?)(?:(?P=verb)"
    r"|了)?(?:了)?(?=[，,。！!]|$)"
)  # fmt: skip
_SPACES = re.compile(r"(?<=[\u3400-\u9fff，。])\s+|\s+(?=[\u3400-\u9fff，。])")

_BREAK = re.compile(
    r"[，,；;：:]|——|…+|[（(）)]|(?<=.)(?=(?:但是?|不过|可是|然而|而且|并且|所以|因为)(?!凡))"
)  # fmt: skip

# Questions, conditions and hearsay put the whole sentence in doubt.
_NO_CLAIM = re.compile(
    r"[?？]|如果|要是|假如|假设|倘若|若是|万一|除非|(?:吗|么|嘛)[。.！!~]*$"
    r"|呢[?？]|是不是|有没有|能不能|可不可以|会不会|要不要|好不好|喜不喜欢|难道|为什么|"
    r"怎么样|听说|据说|歌词|唱道|开玩笑|翻译|润色|改写|没说过?|从没说|并非|并不是说|不是说"
    r"|不代表|谁说|怎么|哪[里儿个家种些]|多少|什么时候|请问|就好了|该多好"
)  # fmt: skip
# Wishes: what would be, not what is.
_UNREAL = re.compile(
    r"希望|但愿|恨不得|(?<!不)(?:好像|似乎)|本来想|差点|的话|应该会|巴不得|说(?:我|他"
    r"|她)|觉得我|以为|假装|梦见|梦到"
)  # fmt: skip


def _lead(flag: Flag, pattern: str) -> Mark:
    return Mark(flag, re.compile(rf"^(?:{pattern})[\s，,、。!！~]*"))


_LEADS = (
    _lead("greets", r"你好啊?|您好|大家好|嗨|哈喽|早上好|晚上好|很高兴认识你|自我介绍一下"),
    _lead(
        "corrects",
        r"不对|不是的|错了|我说错了|说错了|纠正一下|更正一下|更正|搞错了|我记错了"
        r"|我改(?:变)?主意了|我的意思是|其实|事实上|实际上",
    ),
    _lead(
        "plain",
        r"嗯+|哦+|啊|好的|好吧|是的|对了?(?!不)|哈+|唉|那个|顺便说一下|顺便说|顺便|另外"
        r"|总之|说实话|老实说|坦白说|说真的|告诉你|跟你说|"
        r"请?记住|请?记一下|帮我记一下|请?注意|备注一下|备注|补充一下|提醒一下|但是?|不过|可是"
        r"|然而|而且|并且|所以|因为|因此|由于|虽然|尽管|毕竟|"
        r"谢谢你?|抱歉|不好意思|对不起|作为[^，]{1,8}|平时|平常|周末|最近|目前|一直以来"
        r"|从小|今后|以后|另一方面|(?:就是|还有)(?=我)",
    ),
    _lead("hedged", r"可能|也许|或许|大概|我觉得|我想大概|我猜|我感觉|说不定|应该是?"),
    _lead("renewed", r"现在|如今|从现在起|从今天起"), _lead("adds", r"还有"),
    Mark(
        "plain",
        re.compile(
            r"^(?:今天|昨天|前天|明天|后天|刚才|刚刚|昨晚|今晚|今早"
            r"|上个?[周月](?:[一二三四五六日天])?|下个?[周月](?:[一二三四五六日天])?"
            r"|这周[一二三四五六日天]?|周[一二三四五六日天]|去年|今年)(?=我|他|她)"
        ),
    ),
)  # fmt: skip
_FILLERS = (
    _lead("ended", r"(?:已经|现在)?不再"), _lead("adds", r"[也还](?!没|不(?!吃|喝))"),
    _lead("renewed", r"现在(?:改|改成|换成)?|如今|改成|改为"), _lead("corrects", r"其实"),
    _lead("hedged", r"可能|也许|或许|大概|好像|似乎|有点儿?|应该"),
    _lead(
        "plain",
        r"真的|真|特别|非常|十分|很|超级?|最近|最(?!喜欢的|爱的)|挺|比较|相当|一直|就是"
        r"|就(?!读|职)|都|总是|经常|通常|平时|平常|一般|从小就?|本来|已经|刚刚|刚(?!好)|"
        r"目前|主要|个人|自己|本人|向来|尤其|极其|是真的|绝对|今年|蛮|太|她|他|呢",
    ),
)  # fmt: skip
_ENDINGS = (
    Mark("ended", re.compile(r"(?<=.)了(?:[。！!~啊呀哦]*)$")),
    Mark("plain", re.compile(r"(?:呢|啊|呀|哦|哈|啦|的哦|哟|嘛|吧|谢谢|拜托)[。！!~]*$")),
)
# "不在X工作了" has ended; what it was is left.
_NEGATED = re.compile(r"^(?:已经|现在)?不(?:再)?(?!对|过|是)")

_RELATIONS = (
    r"好?朋友|闺蜜|哥们|兄弟|老婆|妻子|太太|媳妇|爱人|老公|丈夫|先生|女朋友|男朋友|女友|男友|对象"
    r"|未婚妻|未婚夫|儿子|女儿|孩子|宝宝|双胞胎|妈妈|母亲|老妈|妈|爸爸|父亲|老爸|爸|父母|爸妈|"
    r"哥哥|姐姐|弟弟|妹妹|大哥|大姐|哥|姐|弟|妹|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔|婶婶|阿姨"
    r"|姨妈|姑姑|姑妈|舅舅|舅妈|伯伯|伯父|伯母|姑父|姨父|表哥|表姐|表弟|表妹|堂哥|堂姐|堂弟|堂妹"
    r"|侄子|侄女|外甥女?|"
    r"岳父|岳母|公公|婆婆|同事|老板|上司|领导|下属|下级|经理|主管|同学|室友|舍友|邻居|老师|导师"
    r"|徒弟|学生|助理|家人|家里人|狗狗?|猫咪?|小狗|小猫|宠物"
)  # fmt: skip
_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严华金魏陶姜谢邹喻苏潘葛范彭郎鲁韦马苗方俞"
    "任袁柳史唐费薛雷贺倪"
    "汤罗毕郝安常乐于傅齐康伍余顾孟黄穆萧尹姚邵汪毛戴宋庞熊纪舒项祝董梁杜阮蓝闵"
    "季贾江童郭梅林钟徐邱骆高夏蔡田胡凌霍万柯卢莫房丁邓洪包左石崔龚程邢裴陆翁曲段侯宁仇甘武刘景"
    "龙叶白廖温庄柴瞿阎易"
    "曾沙岳聂关欧"
)  # fmt: skip
_NAME = (
    rf"(?:[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}"
    r"|[小老阿][\u4e00-\u9fff]|[A-Z][a-z]+(?: [A-Z][a-z]+)?)"
)  # fmt: skip
_OWN = re.compile(r"(?:我们家?|我|本人|俺|咱们?|咱家)(?P<rest>.+)")
_RELATED = re.compile(
    r"(?:我们家?|我|俺|咱)(?:家)?的?(?:一?(?:个|位)|有个"
    r"|那个)?(?P<relation>(?:大|小|二|三"
    rf"|老)?(?:{_RELATIONS}))(?!们?家)(?P<rest>.+)"
)  # fmt: skip
_NAMED = re.compile(rf"(?P<name>{_NAME})(?P<rest>.+)")
_PRONOUN = re.compile(r"(?:他|她|其)(?P<rest>.+)")
_GIVEN_NAME = re.compile(rf"(?P<name>{_NAME})(?P<rest>.+)")
# Words that begin like a surname or like 小X and are not names.
_NOT_NAMES = re.compile(
    r"小(?:时|心|学|说|区|吃|孩|伙|姐|朋|狗|猫|组|型|店|菜)|老(?:师|板|实|家|是|婆"
    r"|公|人|年|外)|阿(?:姨|里)|周[一二三四五六日天末]|高(?:兴|中|铁|级|数)|方(?:便"
    r"|法|案|面)|安(?:全|排|静|装)|"
    r"常(?:常|见|用)|关(?:于|系|键|注)|任(?:何|务)|何(?:时|况)|万(?:一|达)"
    r"|于是|许多|江(?:苏|西|浙)|金(?:融|额)|石(?:头|油)|白(?:天|色)|黄(?:色"
    r"|金)|林(?:业)|温(?:度|泉)|易(?:于)|曾经|"
    r"时(?:间)|华(?:为)|马(?:上|路)|平(?:时)|成(?:都)|海(?:边)|云(?:南)"
    r"|水(?:果)|夏(?:天)|康(?:复)|章(?:节)|计(?:划)|程(?:序|度)|梅(?:花)"
    r"|乐(?:队|器)|武(?:汉)|宁(?:波)|贾(?:宝)|戴上|应该|毛(?:病)|"
    r"杭州|上海|北京|重庆"
)  # fmt: skip


def _tidy(sentence: str) -> str:
    sentence = _SPACES.sub("", sentence.strip())
    sentence = _USED_TO.sub(r"\g<who>现在\g<place>\g<now>\g<verb>", sentence)
    sentence, corrected = _NOT_BUT.subn(_what_holds, sentence)
    return f"其实，{sentence}" if corrected else sentence


def _what_holds(match: re.Match[str]) -> str:
    return match[0][1 : 2 if match[0][1] in "是叫" else 3].removesuffix("而") or "是"


def _clauses(sentence: str) -> list[str]:
    return [part for part in _BREAK.split(sentence) if part and part.strip()]


def _candidates(text: str, heard: Heard) -> Iterator[Candidate]:
    for reader in (_related, _own, _pronoun, _named, _continued):
        if found := list(reader(text, heard)):
            yield from found
            return


def _own(text: str, heard: Heard) -> Iterator[Candidate]:
    if match := _OWN.fullmatch(text):
        yield _with(heard.speaker, match["rest"])


def _related(text: str, heard: Heard) -> Iterator[Candidate]:
    if not (match := _RELATED.fullmatch(text)):
        return
    relation, rest = match["relation"], match["rest"]
    shown = f"{heard.speaker.shown}的{relation}"
    yield _with(Subject(relation, shown), rest)
    for name, after in _names(rest):
        yield _with(Subject(name, f"{shown}{name}"), after)


def _names(text: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to read a name at the start of `text`, the longest first."""
    match = _GIVEN_NAME.match(text)
    if not match or _NOT_NAMES.match(text):
        return
    longest = match["name"]
    yield longest, text[len(longest) :]
    if len(longest) == len("三字名") and not longest.isascii():
        yield longest[:2], text[2:]


def _with(subject: Subject, rest: str) -> Candidate:
    rest = re.sub(r"^(?:他|她|它)(?!们)", "", rest)
    return Candidate(subject, rest.removeprefix("的"), possessive=False)


def _pronoun(text: str, heard: Heard) -> Iterator[Candidate]:
    match = _PRONOUN.fullmatch(text)
    if match and heard.person:
        yield _with(heard.person, match["rest"])


def _named(text: str, _: Heard) -> Iterator[Candidate]:
    for name, rest in _names(text):
        if rest:
            yield _with(Subject(name, name, is_named=True), rest)


def _continued(text: str, heard: Heard) -> Iterator[Candidate]:
    if heard.subject and not text.startswith(("你", "您", "这", "那", "大家", "请", "别", "不要")):
        yield Candidate(heard.subject, text)


# Where the object ends and the next thought begins.
_CUT = re.compile(r"(?:因为|所以|而且|并且|但是?|不过|的时候|这(?:件事|样|种|个)).*|[，。！!~、]+$")
_LIST = re.compile(
    r"[、/]|(?<=[\u4e00-\u9fffA-Za-z])(?:和|跟|以及|还有|与|或者?)(?=[\u4e00-\u9fffA-Za-z])"
)  # fmt: skip
# Words that hold "和" or "与" themselves.
_ONE_THING = re.compile(r"和(?:平|谐|服|牛|声|气|睦|菓子)|温和|参与|跟(?:着|随|团)")
_DROPPED = re.compile(
    r"^(?:那种|这种|一些|各种|所有|任何|吃|喝|看|听|玩)|(?:之类的?|什么的|等等?|类)$"
)  # fmt: skip
_MARKS = re.compile(r"[^\w&+#/@.-]")


def _cut(thing: str) -> str:
    return _CUT.sub("", thing, count=1)


def _items(thing: str) -> list[str]:
    return [thing] if _ONE_THING.search(thing) else [part for part in _LIST.split(thing) if part]


def _key(thing: str) -> str:
    """Return `thing` as part of a slot: no filler, no punctuation, Latin letters in lower case."""
    plain = _MARKS.sub("", (without_days(thing) or thing).casefold())
    return _DROPPED.sub("", plain) or plain


def _tell(candidate: Candidate, said: str, heard: Heard) -> str:
    owner = heard.speaker.shown
    said = said.replace("我们", owner).replace("我", owner)
    joined = "的" if _HAD.match(said) else ""
    return f"{candidate.subject.shown}{joined}{said}"


# Nouns before which the content says 用户的.
_HAD = re.compile(
    r"(?:名字|姓名|生日|年龄|职业|工作(?=是|单位)|单位|公司|老家|家乡|爱好|电话|手机|邮箱"
    r"|学历|身高|体重|母语|职位|[\u4e00-\u9fff]{1,6}?(?:截止|会议))"
)  # fmt: skip

CHINESE = Grammar(
    tidy=_tidy,
    clauses=_clauses,
    blocked_sentence=_NO_CLAIM,
    blocked_clause=_UNREAL,
    leads=_LEADS,
    fillers=_FILLERS,
    endings=_ENDINGS,
    candidates=_candidates,
    rules=RULES,
    commands=COMMANDS,
    cut=_cut,
    items=_items,
    key=_key,
    tell=_tell,
    negated=_NEGATED,
    gone="不再",
    user="用户",
)
