"""What Chinese says of a person, first match first, and what is said to the assistant."""

from __future__ import annotations

import re

from langchain_layered_memory.write.extract.chinese_life import IDENTITY
from langchain_layered_memory.write.extract.chinese_pattern import EMPTY, predicate
from langchain_layered_memory.write.extract.chinese_tastes import CONSTRAINTS, PREFERENCES
from langchain_layered_memory.write.extract.statement import DELETED, Rule

_VAGUE = re.compile(r"(?:你|这|那|它|什么|一下|一点|过|不|得|了$|个$|吗|就|那里|这里|哪)|.*你")

_FACTS = (
    Rule(
        predicate(
            r"(?:负责|在做|在负责|参与了?|现在做|在跟|加入了?)<>项目",
            r"[\u4e00-\u9fffA-Za-z0-9 ]{1,20}?",
        ),
        "fact", "project", after=DELETED, refuses=_VAGUE,
    ),
    Rule(
        predicate(r"在<>(?:项目|项目组)(?:上|里|组)?", r"[\u4e00-\u9fffA-Za-z0-9 ]{1,20}?"),
        "fact", "project", after=DELETED,
    ),
    Rule(
        predicate(r"(?:在|去|到)<>(?:买菜|买东西|购物)", r"[\u4e00-\u9fffA-Za-z0-9]{2,15}?"),
        "fact", "shops_at", after=DELETED, refuses=_VAGUE,
    ),
    Rule(
        predicate(
            r"(?:的?(?:大学)?专业是|主修|学的是|读的是|学的|念的是|攻读)<>(?:专业|(?=$))",
            r"[\u4e00-\u9fffA-Za-z]{2,15}?",
        ),
        "fact", "studies", after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:就读于|毕业于|(?:在|是))<>(?:读书|上学|上大学|读大学|读研|念书|毕业的?|就读|$)",
            r"[\u4e00-\u9fffA-Za-z]{2,12}(?:大学|学院|中学|小学|高中)(?:[\u4e00-\u9fff]{2,6}系)?",
        ),
        "fact", "school", after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:在|正在|开始)(?:自学|学习|学)(?!校|院|期|生|历)<>",
            r"[\u4e00-\u9fffA-Za-z]{2,12}",
        ),
        "fact", "learning", multiple=True, each=True, after=DELETED, refuses=_VAGUE,
    ),
    Rule(
        predicate(r"的?(?:业余)?(?:爱好|兴趣爱好|兴趣)(?:就?是|包括|有)"), "fact", "hobby",
        multiple=True, each=True, refuses=EMPTY,
    ),
    Rule(
        predicate(
            r"(?:会|能)?(?:弹|拉|吹)<>",
            r"(?:钢琴|吉他|古筝|琵琶|小提琴|大提琴|二胡|长笛|笛子|萨克斯|尤克里里)",
        ),
        "fact", "instrument", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:每天|每周|每晚|每早|每个?(?:周|星期)[一二三四五六日天末]|每个月"
            r"|天天)(?:早上|晚上|下班后|都|会|要|去|一?次|坚持|下午|中午"
            r"|[一二三四五两\d]次)*<>",
            r"[\u4e00-\u9fff]{2,14}",
        ),
        "fact", "habit", multiple=True, speaker_only=True, confidence=0.8,
        refuses=re.compile(r".*(?:你|累|忙|烦|开心|高兴|这样|这么)"),
    ),
    Rule(
        predicate(r"(?:买|换|拥有|入手)了?(?:一|两|\d)?(?:辆|台|部|套|把|件|双|个|架|块|款)"),
        "fact", "owns", multiple=True, refuses=_VAGUE, dated="behind", confidence=0.8,
    ),
    Rule(
        predicate(
            r"(?:有|开)(?:一|两|\d)?(?:辆|台|套|家|间)<>", r"[\u4e00-\u9fffA-Za-z0-9]{1,12}",
        ),
        "fact", "owns", multiple=True, refuses=_VAGUE, after=DELETED,
    ),
    Rule(
        predicate(
            r"<>",
            r"(?:刚|刚刚|刚才)?(?:去|参加|完成|看|跑|游览|参观|报名|拿到|获得|考|通过|办"
            r"|买|搬|入职|开始)(?:了|完了?|过了?)[^，]{2,30}",
        ),
        "fact", "did", "{thing}", multiple=True, dated="behind", confidence=0.8,
        refuses=re.compile(r".*(?:你|一下$|什么)"),
    ),
    Rule(
        predicate(r"<>", r"[\u4e00-\u9fff]{1,4}了[^，]{0,30}"), "fact", "did", "{thing}",
        multiple=True, dated="behind", needs="date", confidence=0.8,
        refuses=re.compile(r".*你|(?:累|困|饿|忘|想|太|病|睡|醒|好)"),
    ),
)  # fmt: skip

_ACT = (
    r"(?!(?:去?想|说|问|知道|看看?|吃|喝|一|这|那|的|了|是|不|好|睡|试|求|走|休息|有"
    r"|个|你|点|订|预订|预定|买|查|找|订购|考虑|疯|死|哭|崩溃|努力|加油"
    r"|继续)(?![\u4e00-\u9fff]{6}))"
)  # fmt: skip

_DEEDS = (
    r"(?:参加|交|提交|完成|发|寄|还|付|支付|缴|准备|出席|拜访|见|接|送|给|联系|打电话|开会"
    r"|出差|去[\u4e00-\u9fff]{2}|搬|面试|考试|做手术|体检|结婚|回|续|签|写完|办"
    r"|更新|汇报|飞|考|提醒|报名|学)"
)  # fmt: skip

_SOON = (
    r"(?:(?:在)?(?:今天|今晚|明天|明早|明晚|后天|大后天|下个?周[一二三四五六日天]"
    r"|下?个?星期[一二三四五六日天]|周[一二三四五六日天]|本周[一二三四五六日天]"
    r"|这周[一二三四五六日天]|\d{1,2}月\d{1,2}[日号]?)(?:早上|上午|中午|下午|晚上"
    r"|[\d一二三四五六七八九十]{1,3}点半?|之?前|以前)*)"
)  # fmt: skip

_COMMITMENTS = (
    Rule(
        predicate(r"(?:答应|承诺|保证)(?:了|过)?<>", r"(?!你什么|不)[^，]{3,40}"), "commitment",
        "commitment:{key}", "{date}", dated="ahead",
    ),
    Rule(
        predicate(r"(?:将要|将会|要|会|准备|打算|计划)参加的"), "commitment",
        "commitment:参加{key}", "{date}", dated="ahead", says="将要参加{thing}", confidence=0.8,
    ),
    Rule(
        predicate(
            rf"{_SOON}?(?:将要|将会|将|会|要|得|必须|需要|打算|计划|准备"
            rf"|一定会?){_SOON}?(?:之?前|以前)?{_ACT}<>",
            rf"{_DEEDS}[^，]{{1,40}}",
        ),
        "commitment", "commitment:{key}", "{date}", dated="ahead", confidence=0.8,
        refuses=re.compile(r".*(?:你$|你们)|给你(?:看看|说)|去(?:厕所|睡觉)|回(?:头|来$|家$|答)"),
    ),
    Rule(
        predicate(
            rf"{_SOON}(?:将要|将会|将|会|要|得|必须|需要|打算|计划|准备|有|去)<>", r"[^，]{2,40}",
        ),
        "commitment", "commitment:{key}", "{date}", dated="ahead", needs="date", confidence=0.8,
        refuses=re.compile(r"(?:雨|雪|点|吗|空|时间|事$)|.*你"),
    ),
    Rule(
        predicate(
            r"的?(?P<of>[\u4e00-\u9fffA-Za-z]{0,10}?)的?(?:截止日期"
            r"|截止时间|最后期限|deadline|DDL|ddl)(?:就?是|在|为|改到)"
        ),
        "commitment", "deadline:{of}", "{date}", dated="ahead", needs="date",
    ),
)  # fmt: skip

RULES: tuple[Rule, ...] = (*CONSTRAINTS, *PREFERENCES, *IDENTITY, *_COMMITMENTS, *_FACTS)

_TOLD = (
    r"(?:打电话|发短信|推荐|提|问|用|叫|联系|发|放|加|推送|安排|说|提到|给我推荐|向我推荐|称呼"
    r"|使用|打扰|催)"
)  # fmt: skip

COMMANDS: tuple[Rule, ...] = (
    Rule(
        predicate(
            r"(?:请|麻烦)?(?:千万)?(?:不要|别|勿|不许|不准)(?:再)?(?:给我|跟我|向我)?<>",
            r"打电话|来电|致电",
        ),
        "constraint", "contact_channel", "no calls", says="不接受电话",
    ),
    Rule(
        predicate(
            r"(?:请|麻烦|有事)*(?:只|仅|只能|一律)(?:用|通过|发|给我发"
            r"|以)<>(?:给?我|跟我|和我|与我)?(?:联系|沟通|通知)?(?:我)?$",
            r"(?:电子)?邮件|邮箱|[Ee]-?mail",
        ),
        "constraint", "contact_channel", "email", says="只通过{thing}联系",
    ),
    Rule(
        predicate(
            r"(?:请|麻烦|有事)*(?:只|仅|只能|一律)(?:用|通过|发|给我发"
            r"|以)<>(?:给?我|跟我|和我|与我)?(?:联系|沟通|通知)?(?:我)?$",
            r"(?:电子)?邮件|邮箱|短信|微信|email|e-mail|Email",
        ),
        "constraint", "contact_channel", "{key}", says="只通过{thing}联系",
    ),
    Rule(
        predicate(r"(?:请|麻烦)?提醒我(?:一下)?(?:要|去)?"), "commitment", "commitment:{key}",
        "{date}", dated="ahead", says="要求提醒：{thing}",
        refuses=re.compile(r"(?:什么|一下$|了)"),
    ),
    Rule(
        predicate(rf"{_SOON}(?:请|记得)*提醒我(?:要|去)?"), "commitment", "commitment:{key}",
        "{date}", dated="ahead", says="要求提醒：{thing}",
        refuses=re.compile(r"(?:什么|一下$|了)"),
    ),
    Rule(
        predicate(
            r"(?:请|以后|麻烦)*(?:叫|称呼)我(?:为|做)?<>(?:就好|就行|吧|即可|$)",
            r"[\u4e00-\u9fffA-Za-z]{1,8}?",
        ),
        "identity", "preferred_name", says="希望被称为{thing}",
        refuses=re.compile(r"(?:起床|回|去|来|一声|的|怎么|什么)"),
    ),
    Rule(
        predicate(
            r"(?:请|以后|麻烦|永远)*(?:不要|别|不许|不准)(?:再)?(?:总是|老是)?<>",
            rf"(?:给我|跟我|向我|对我|在[\u4e00-\u9fff]{{1,6}})?{_TOLD}[^，]{{1,20}}",
        ),
        "constraint", "instruction:{key}", "never", says="要求不要{thing}",
        refuses=re.compile(r"说了|提了|叫了|.*(?:客气|担心)"),
    ),
    Rule(
        predicate(r"(?:请|以后|麻烦)*(?:总是|始终|一律|永远|一直|都)(?:要)?<>", r"用[^，]{2,16}"),
        "constraint", "instruction:{key}", "always", says="要求始终{thing}",
    ),
    Rule(
        predicate(
            r"(?P<of>[\u4e00-\u9fffA-Za-z]{0,10}?)的?(?:截止日期"
            r"|截止时间|最后期限|deadline|DDL|ddl)(?:就?是|在|为|改到)"
        ),
        "commitment", "deadline:{of}", "{date}", dated="ahead", needs="date",
        says="有截止日期：{thing}",
    ),
)  # fmt: skip
