"""What Chinese says of who somebody is: name, age, places, work, family."""

from __future__ import annotations

import re

from langchain_layered_memory.write.extract.chinese_pattern import predicate
from langchain_layered_memory.write.extract.statement import DELETED, Rule

_PLACE = re.compile(
    r"(?!这|那|哪|一起|家$|家里|你|外面|学校|宿舍|酒店|的|着|了|在)[\u4e00-\u9fffA-Za-z·]{2,}"
)  # fmt: skip

_PLACE_ENDS = re.compile(
    r"(?:了|的|工作|上班|生活|定居|居住|长大|附近|已经|快|有|这边|那边|呢|啊|住|读|念"
    r"|上学|出生)+.*"
)  # fmt: skip

# A place of work that is a place, not an employer.
_CITIES = (
    "北京|上海|广州|深圳|杭州|南京|苏州|成都|重庆|武汉|西安|天津|长沙|郑州|青岛|济南|大连|厦门"
    "|宁波|沈阳|昆明|合肥|福州|哈尔滨|无锡|佛山|东莞|香港|澳门|台北|"
    "广东|浙江|江苏|山东|四川|湖北|湖南|河南|河北|福建|陕西|辽宁|安徽|江西|云南|贵州|广西|山西"
    "|海南|甘肃|吉林|黑龙江|内蒙古|新疆|西藏|宁夏|青海|国外|美国|英国|日本|德国|法国|加拿大"
    "|澳大利亚|新加坡"
)  # fmt: skip

_PERSON = re.compile(r"[\u4e00-\u9fff·]{1,6}$|[A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)*$")

_LANGUAGE = re.compile(r"[\u4e00-\u9fff]{0,3}(?:语|话|文)(?:和.+)?$|[\u4e00-\u9fff、和]{2,14}语$")

_NUMBER = r"(?:\d{1,3}|[一二三四五六七八九十两]{1,3})"

_DATE = (
    r"(?:农历)?(?:\d{4}年)?(?:\d{1,2}"
    r"|[一二三四五六七八九十]{1,3})月(?:\d{1,2}|[一二三四五六七八九十]{1,3})[日号]?"
    r"|\d{4}[-/]\d{1,2}[-/]\d{1,2}"
)  # fmt: skip

_TRADES = (
    r"[\u4e00-\u9fffA-Za-z]{0,10}(?:医生|护士|老师|教师|教授|律师|工程师"
    r"|设计师|程序员|会计师?|厨师|司机|警察|学生|研究生|大学生|博士生|作家|记者|编辑|演员|歌手"
    r"|画家|音乐家|经理|主管|总监|老板|职员|员工|公务员|"
    r"科学家|研究员|分析师|咨询师|顾问|销售员?|店员|服务员|收银员|柜员|技师|技术员|电工|木工|工人"
    r"|农民|军人|士兵|消防员|飞行员|空姐|导游|翻译|摄影师|理发师|美容师|教练|运动员|保安|保姆"
    r"|快递员|外卖员|秘书|助理|助手|行政|"
    r"产品经理|创业者|自由职业者|家庭主妇|全职妈妈|药剂师|建筑师|兽医|治疗师|心理医生|审计师?|主播"
    r"|博主|个体户|店长|院长|校长|主任|专员|代表|从业者|架构师|验光师|营养师|裁缝|法官|检察官"
    r"|经纪人|顾问|策划师?|师傅)"
)  # fmt: skip

IDENTITY = (
    Rule(
        predicate(r"(?:的?(?:名字|姓名)(?:就?是|叫做?)|名叫|叫做?|是叫)"), "identity", "name",
        wants=_PERSON,
        refuses=re.compile(r"(?:你|我|他|她|不|什么|了|外卖|车|的|人|醒|好|停|苦|一|个|住|板)"),
        speaker_only=True, ends=re.compile(r"的$"),
    ),
    Rule(
        predicate(r"(?:的?(?:名字|姓名)(?:就?是|叫做?)|名叫|叫做?|是叫)"), "identity", "name",
        wants=_PERSON,
        refuses=re.compile(r"(?:你|我|他|她|不|什么|了|外卖|车|的|人|醒|好|停|苦|一|个|住|板)"),
        multiple=True, ends=re.compile(r"的$"),
    ),
    Rule(
        predicate(r"是"), "identity", "name", needs="greets", speaker_only=True,
        wants=re.compile(r"(?:小|老|阿)?[\u4e00-\u9fff]{1,3}$|[A-Z]"),
        refuses=re.compile(r".*(?:人|生|师|者|员|的|来|从|新)"),
    ),
    Rule(
        predicate(r"(?:的?年龄是?|年纪是?|今年|有|已经|快|都)?(?:是|有)?<>岁", _NUMBER),
        "identity", "age",
    ),
    Rule(
        predicate(r"(?:的?(?:生日|出生日期|出生日)(?:就?是)?(?:在)?|出生于|出生在)<>", _DATE),
        "identity", "birthday",
    ),
    Rule(predicate(r"<>出生", r"(?:" + _DATE + r"|\d{4}年)"), "identity", "birthday"),
    Rule(predicate(r"是?<>后$", r"[05-9]0"), "identity", "birth_decade"),
    Rule(
        predicate(
            r"(?:的?(?:老家|家乡|籍贯|故乡)(?:就?是)?(?:在)?|(?:是)?来自|出生在|从小在|是在)"
        ),
        "identity", "hometown", wants=_PLACE, ends=_PLACE_ENDS,
    ),
    Rule(
        predicate(
            r"是<>人$",
            r"(?!本地|外地|好|男|女|年轻|成年|一个|个|左撇|当|老|病|路|坏|普通|什么|内向"
            r"|外向|双胞|大忙|过来|局外|当地"
            r"|[^，]*的)[\u4e00-\u9fffA-Za-z]{2,6}",
        ),
        "identity", "hometown",
    ),
    Rule(
        predicate(
            r"(?:住在|住|居住在|定居在|定居|家在|家住|搬到了?|搬去了?|搬家到了?|移居到?"
            r"|生活在|常住|的?(?:住址|地址|居住地)是)"
        ),
        "identity", "lives_in", wants=_PLACE, ends=_PLACE_ENDS, after=DELETED,
        refuses=re.compile(r"(?:院|校|得|过|不|宿|嘴|手|几|一起|新家|新房)"),
    ),
    Rule(
        predicate(r"在<>(?:生活|定居|居住)", r"[\u4e00-\u9fffA-Za-z]{2,12}?"), "identity",
        "lives_in", after=DELETED, wants=_PLACE,
    ),
    Rule(
        predicate(
            r"(?:的?(?:工作单位|单位|公司|雇主)(?:的?名[字称])?(?:就?是|叫做?|在)|就职于"
            r"|任职于|供职于|入职了?|加入了?)<>",
            r"[\u4e00-\u9fffA-Za-z0-9·&（）() ]{2,25}",
        ),
        "identity", "employer", after=DELETED,
        refuses=re.compile(
            r"(?:了|的|在|一个|这|那|你)|.*(?:健身房|俱乐部|群|会员|社团|乐队|团队|活动)$"
        ),
        ends=re.compile(r"(?:工作|上班|的|做|当|担任|了).*"),
    ),
    Rule(
        predicate(
            r"在<>(?:上班|工作)",
            rf"(?:{_CITIES})[\u4e00-\u9fff]{{0,6}}?|[\u4e00-\u9fff]{{1,6}}[市省区县]",
        ),
        "identity", "works_in", after=DELETED,
    ),
    Rule(
        predicate(
            r"在<>(?:上班|任职|就职|工作(?!很|挺|非常|上)|当[^了]{2,8}$)",
            r"[\u4e00-\u9fffA-Za-z0-9·& ]{2,20}?",
        ),
        "identity", "employer", after=DELETED,
        refuses=re.compile(r"(?:这|那|家|外地|哪|努力|认真|周|加班|忙)"),
    ),
    Rule(
        predicate(
            r"(?:的?(?:职业|职位|工作岗位|岗位|工作)是|(?:是)?(?:从事|担任)|转行做了?"
            r"|是做|做的是|是(?:一名|一个|一位|个|位|名)?|当(?:了)?|做)<>(?:的"
            r"|工作的?|这行的?|行业的?|了|(?=$))",
            rf"(?:{_TRADES})",
        ),
        "identity", "job", after=DELETED,
        refuses=re.compile(r".*(?:我的|你的|的老板)|(?:好|坏|普通|他|她|你|什么)"),
    ),
    Rule(
        predicate(
            r"(?:的?职业是|的?职位是|的?工作是|从事|是做|做的是)<>(?:的|工作的?|行业的?"
            r"|这行的?|(?=$))",
            r"[\u4e00-\u9fffA-Za-z]{2,12}?",
        ),
        "identity", "job", after=DELETED, refuses=re.compile(r"(?:不|很|你|为|这|那|梦|在)"),
    ),
    Rule(
        predicate(
            r"(?:的?(?:学历|文凭)(?:就?是|有|挺高的?是?)|只?读到)(?:个)?<>",
            r"(?:小学|初中|高中|中专|大专|专科|本科|硕士|博士|研究生|大学)(?:毕业|学历)?",
        ),
        "fact", "education",
    ),
    Rule(
        predicate(r"是(?:个|一名)?<>", r"(?:本科|硕士|博士|大专|高中|研究生)(?:毕业|学历|生)?$"),
        "fact", "education",
    ),
    Rule(
        predicate(
            r"(?:的?身高(?:就?是|有|大概|大约)?|有)<>(?:左右|高)?$",
            r"\d(?:\.\d{1,2}米|米\d{1,2}|\d{2} ?(?:厘米|cm|公分))",
        ),
        "identity", "height",
    ),
    Rule(predicate(r"的?性别(?:就?是)?<>", r"[男女]性?"), "identity", "gender"),
    Rule(
        predicate(r"的?(?:工作地点?|办公地点?)(?:就?是)?(?:在)?"), "identity", "works_in",
        wants=_PLACE, ends=_PLACE_ENDS, after=DELETED,
    ),
    Rule(
        predicate(r"的?体重(?:就?是|有|大概)?<>", r"\d{2,3}(?:公斤|斤|kg|千克)"), "identity",
        "weight",
    ),
    Rule(
        predicate(
            r"的?(?:联系)?(?:电话|手机号?|手机号码|电话号码|联系方式)(?:号码)?(?:就?是|：)?<>",
            r"\+?\d[\d -]{6,18}\d",
        ),
        "identity", "phone",
    ),
    Rule(
        predicate(
            r"的?(?:电子)?(?:邮箱|邮件|邮箱地址)(?:地址)?(?:就?是|：)?<>", r"[\w.+-]+@[\w.-]+\w",
        ),
        "identity", "email",
    ),
    Rule(predicate(r"的?母语是"), "identity", "language", multiple=True, wants=_LANGUAGE),
    Rule(
        predicate(r"(?:会说|会讲|能说|说|精通|懂)(?:流利的|一点|一些|流利)?"), "identity",
        "language", multiple=True, each=True, wants=_LANGUAGE, after=DELETED,
        refuses=re.compile(
            r".*(?:坏话|好话|笑话|实话|说话|真话|假话|大话|废话|电话|的话|这话|句话|闲话)"
        ),
    ),
    Rule(
        predicate(r"(?:(?:是)?<>)$", r"(?:已婚|未婚|单身|离异|离婚|结婚|结婚了|离婚了|订婚|丁克)"),
        "identity", "marital_status",
    ),
    Rule(predicate(r"<>$", r"(?:退休|退休了|失业|待业)"), "identity", "job"),
    Rule(
        predicate(
            r"(?:有|养了?|养着|家里?养了?|家里?有|收养了|领养了)(?:一|两|二|三|四"
            r"|\d)?(?:只|条|匹|群|个)<>",
            r"[^，]{0,8}?(?:狗|猫|兔子?|鸟|鹦鹉|仓鼠|乌龟|金毛|泰迪|柯基|哈士奇|布偶"
            r"|英短|橘猫|鱼|蛇|马)(?:叫.+|，叫.+)?$",
        ),
        "identity", "pet", multiple=True, after=DELETED,
    ),
    Rule(
        predicate(
            r"(?:家里?)?(?:有|生了|刚生了)<>",
            r"(?:一|两|二|三|四|\d)(?:个|对|位)[^，的]{0,5}?(?:孩子|儿子|女儿"
            r"|哥哥|姐姐|弟弟|妹妹|双胞胎|宝宝|娃)(?:叫.+)?$",
        ),
        "identity", "family", multiple=True,
    ),
    Rule(
        predicate(r"信(?:仰|奉)?<>", r"(?:佛教?|基督教?|天主教|伊斯兰教|道教|佛)"), "identity",
        "religion", after=DELETED,
    ),
    Rule(
        predicate(
            r"是<>",
            r"(?:左撇子|独生子女?|双胞胎|同性恋|ENTP|INFP|[EI][NS][TF][JP]"
            r"|[\u4e00-\u9fff]{2}座(?:的)?)$",
        ),
        "identity", "trait", multiple=True,
    ),
    Rule(
        predicate(r"是(?:我|俺)的?<>$", r"[\u4e00-\u9fff]{1,4}"), "identity", "relation",
        refuses=re.compile(r".*(?:菜|最爱|偶像|错|问题|梦想|榜样|目标|生日|爱好|选择|首选)"),
    ),
)  # fmt: skip
