"""What Chinese says of likes, dislikes, diets, allergies and health."""

from __future__ import annotations

import re

from langchain_layered_memory.write.extract.chinese_pattern import EMPTY, predicate
from langchain_layered_memory.write.extract.statement import DELETED, Rule

_NOT_EATEN = re.compile(
    r"(?:了|下|过|这一套|饭|完|饱|惯|到|得|点|亏|早饭|午饭|晚饭|什么|它|这|那|你|起|消"
    r"|准|透|多少|太多|东西$)"
)  # fmt: skip

_ENDED_LIKE = "dislike"

PREFERENCES = (
    Rule(
        predicate(
            r"(?:不(?:太|怎么|大|是很|是特别)?(?:喜欢|爱|感兴趣|享受)|讨厌|厌恶|反感"
            r"|受不了|无法忍受|忍不了|嫌弃|痛恨|恨|害怕|怕|排斥)(?:吃|喝)?(?=.)"
        ),
        "preference", "preference:{key}", "dislike", refuses=EMPTY, each=True,
    ),
    Rule(
        predicate(
            r"对<>(?:完全|一点也|根本|真的)?(?:不感兴趣|没(?:什么)?兴趣|无感|很?反感)", ".{1,15}?",
        ),
        "preference", "preference:{key}", "dislike", refuses=EMPTY,
    ),
    Rule(
        predicate(
            r"对<>(?:很|非常|特别|比较|挺|十分)?(?:感兴趣|有兴趣|着迷|情有独钟)", ".{1,15}?",
        ),
        "preference", "preference:{key}", "like", refuses=EMPTY, after=_ENDED_LIKE,
    ),
    Rule(
        predicate(
            r"(?:最喜欢|最爱|喜欢|偏爱)的?(?P<of>[\u4e00-\u9fff]{1,6}?)(?:就是|是|叫)(?!因为|不)"
        ),
        "preference", "favourite_{of}", refuses=EMPTY, ends=re.compile(r"了$"),
    ),
    Rule(
        predicate(r"(?:更喜欢|更爱|更偏好|偏好|偏爱|更倾向于?|倾向于?|更偏向)(?:吃|喝)?(?=.)"),
        "preference", "preference:{key}", "prefer", refuses=EMPTY, after=_ENDED_LIKE,
        ends=re.compile(r"(?:而不是|胜过|多过|超过).*"),
    ),
    Rule(
        predicate(
            r"(?:喜欢上了?|喜欢|喜爱|热爱|酷爱|钟爱|迷上了?|爱上了?|热衷于?|痴迷于?|沉迷于?"
            r"|爱(?=吃|喝|看|听|玩|打|跑|画|唱|逛|读|养)|爱(?!好|人))(?:吃"
            r"|喝)?(?=.)"
        ),
        "preference", "preference:{key}", "like", refuses=EMPTY, each=True, after=_ENDED_LIKE,
        ends=re.compile(r"(?:胜过|多过|超过|的是|作为).*"),
    ),
    Rule(
        predicate(
            r"是(?:个|一个|一名|位)?(?:资深|忠实|铁杆|超级|狂热)?<>(?:爱好者|迷|粉丝|控|发烧友)$",
            ".{1,10}?",
        ),
        "preference", "preference:{key}", "like", refuses=EMPTY, confidence=0.8,
    ),
)  # fmt: skip

CONSTRAINTS = (
    Rule(
        predicate(r"对<>(?:严重|轻微|有点|会|也)?过敏", ".{1,15}?"), "constraint", "allergy",
        "{key}", multiple=True, each=True, after=DELETED, refuses=re.compile(r".*(?:不|你)"),
    ),
    Rule(
        predicate(
            r"(?:有|患有)?<>过敏(?:症|史|性鼻炎)?$",
            r"(?!不|没|容易|会|皮肤|不会|也)[\u4e00-\u9fffA-Za-z]{1,6}",
        ),
        "constraint", "allergy", "{key}", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(r"<>不耐受", r"[\u4e00-\u9fff]{1,4}"), "constraint", "allergy", "{key}",
        multiple=True,
    ),
    Rule(
        predicate(
            r"(?:是|吃)(?:个|一个|一名)?<>",
            r"(?:纯?素食主义者|素食者|纯素|全素|素|清真|斋|蛋奶素)(?:食)?$",
        ),
        "constraint", "diet", "{key}", after=DELETED,
    ),
    Rule(
        predicate(r"(?:忌口|忌|戒)了?", r"(?:[\u4e00-\u9fff]{1,8}|烟|酒|糖)"), "constraint",
        "diet:{key}", "no", refuses=re.compile(r"指|备|讳|妒|日|惮"), each=True,
    ),
    Rule(
        predicate(r"(?:从来?不|从不|不能|不可以|不会|不|不太?能|不敢|没法)(?:吃|喝|碰)"),
        "constraint", "diet:{key}", "no", refuses=_NOT_EATEN, each=True,
    ),
    Rule(
        predicate(r"(?:吃|喝)"), "constraint", "diet:{key}", "no", refuses=_NOT_EATEN, each=True,
        after="no", only_after=True,
    ),
    Rule(predicate(r"<>", r"不(?:抽烟|吸烟|喝酒|饮酒)$"), "constraint", "habit:{key}", "no"),
    Rule(
        predicate(
            r"(?:有|患有|得了|被诊断出?(?:患有|为)?|确诊了?)<>",
            r"[\u4e00-\u9fff]{0,6}?(?:糖尿病|高血压|哮喘|心脏病|癫痫|抑郁症"
            r"|焦虑症|胃病|胃炎|痛风|关节炎|偏头痛|鼻炎|近视|低血糖|失眠症?|颈椎病|腰椎间盘突出"
            r"|色盲)",
        ),
        "constraint", "health", "{key}", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(r"<>", r"(?:怀孕|坐轮椅|是色盲|是聋人|是盲人)"), "constraint", "health", "{key}",
        multiple=True, after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:只|仅)(?:接受|用|通过|看|回|收)<>(?:联系|沟通|通知|交流)?$",
            r"(?:电子)?邮件|邮箱|e?-?mail",
        ),
        "constraint", "contact_channel", "email",
    ),
    Rule(
        predicate(
            r"(?:只|仅)(?:接受|用|通过|看|回|收)<>(?:联系|沟通|通知|交流)?$",
            r"(?:邮件|电子邮件|邮箱|短信|微信|电话|email|e-mail)",
        ),
        "constraint", "contact_channel", "{key}",
    ),
    Rule(
        predicate(r"(?:不|从不)(?:接|接受|打|想接)<>", r"(?:推销|陌生)?电话"), "constraint",
        "contact_channel", "no calls",
    ),
    Rule(
        predicate(r"只(?:吃|喝|住|坐|穿|买|用)"), "constraint", "only:{key}", "only",
        refuses=_NOT_EATEN, confidence=0.8, speaker_only=True,
    ),
)  # fmt: skip
