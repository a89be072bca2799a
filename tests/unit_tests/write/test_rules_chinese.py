"""What Chinese statements the rules understand, and which slot each fills."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from langchain_layered_memory.records import Episode, Operation, Scope
from langchain_layered_memory.write.extract import extract_by_rules

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def said(text: str, speaker: str = "用户") -> tuple[Operation, ...]:
    return extract_by_rules(Episode("e1", Scope("u"), "m1", "user", speaker, text, MONDAY, MONDAY))


def short(operations: tuple[Operation, ...]) -> list[tuple[str, str, str]]:
    return [(each.subject, each.slot, each.value) for each in operations]


USER = [
    ("我喜欢寿司。", "preference:寿司", "like"),
    ("我很喜欢爬山", "preference:爬山", "like"),
    ("我特别爱吃火锅！", "preference:火锅", "like"),
    ("我热爱摄影。", "preference:摄影", "like"),
    ("我对历史很感兴趣。", "preference:历史", "like"),
    ("我是一个篮球迷", "preference:篮球", "like"),
    ("我更喜欢茶。", "preference:茶", "prefer"),
    ("我偏好靠窗的座位。", "preference:靠窗的座位", "prefer"),
    ("我不喜欢香菜。", "preference:香菜", "dislike"),
    ("我不太喜欢吃辣。", "preference:辣", "dislike"),
    ("我讨厌下雨天。", "preference:下雨天", "dislike"),
    ("我受不了噪音。", "preference:噪音", "dislike"),
    ("我对足球没兴趣。", "preference:足球", "dislike"),
    ("我最喜欢的颜色是蓝色。", "favourite_颜色", "蓝色"),
    ("我最爱的电影是《活着》", "favourite_电影", "《活着》"),
    ("我对花生过敏。", "allergy=花生", "花生"),
    ("我海鲜过敏。", "allergy=海鲜", "海鲜"),
    ("我乳糖不耐受。", "allergy=乳糖", "乳糖"),
    ("我不吃香菜。", "diet:香菜", "no"),
    ("我从来不喝酒。", "diet:酒", "no"),
    ("我不能吃辣。", "diet:辣", "no"),
    ("我吃素。", "diet", "素"),
    ("我是素食主义者。", "diet", "素食主义者"),
    ("我有糖尿病。", "health=糖尿病", "糖尿病"),
    ("不要给我打电话。", "contact_channel", "no calls"),
    ("请别给我打电话", "contact_channel", "no calls"),
    ("请只用邮件联系我。", "contact_channel", "email"),
    ("以后不要推荐牛肉面。", "instruction:推荐牛肉面", "never"),
    ("我叫李明。", "name", "李明"),
    ("我的名字叫王小华。", "name", "王小华"),
    ("我今年34岁。", "age", "34"),
    ("我的生日是5月14日。", "birthday", "5月14日"),
    ("我生日是7月2号", "birthday", "7月2号"),
    ("我住在北京。", "lives_in", "北京"),
    ("我搬到了上海。", "lives_in", "上海"),
    ("我来自四川。", "hometown", "四川"),
    ("我是成都人。", "hometown", "成都"),
    ("我老家在云南大理。", "hometown", "云南大理"),
    ("我在阿里巴巴工作。", "employer", "阿里巴巴"),
    ("我就职于华星科技。", "employer", "华星科技"),
    ("我在深圳上班。", "works_in", "深圳"),
    ("我是一名软件工程师。", "job", "软件工程师"),
    ("我是护士。", "job", "护士"),
    ("我是做销售的。", "job", "销售"),
    ("我会说法语。", "language=法语", "法语"),
    ("我养了一只猫。", "pet=猫", "猫"),
    ("我有两个孩子。", "family=两个孩子", "两个孩子"),
    ("我已婚。", "marital_status", "已婚"),
    ("我身高175厘米。", "height", "175厘米"),
    ("我的邮箱是li@example.org", "email", "li@example.org"),
    ("我的专业是化学。", "studies", "化学"),
    ("我毕业于浙江大学。", "school", "浙江大学"),
    ("我在学日语。", "learning=日语", "日语"),
    ("我的爱好是书法。", "hobby=书法", "书法"),
    ("我会弹钢琴。", "instrument=钢琴", "钢琴"),
    ("我在负责Blue项目。", "project", "Blue"),
    ("我一般在永辉买菜。", "shops_at", "永辉"),
    ("顺便说一下，我喜欢茶。", "preference:茶", "like"),
    ("请记住我吃素。", "diet", "素"),
    ("我喜欢用Python写代码。", "preference:用python写代码", "like"),
    ("我将要参加春季编织展。", "commitment:参加春季编织展", "open"),
]


@pytest.mark.parametrize(("text", "slot", "value"), USER)
def test_a_plain_statement_fills_its_slot(text: str, slot: str, value: str) -> None:
    found = said(text)
    assert short(found) == [("user", slot, value)]
    assert found[0].op == "create"
    assert found[0].confidence >= 0.7
    assert found[0].sources[0].quote in text


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("我喜欢寿司。", "用户喜欢寿司"),
        ("我对花生过敏。", "用户对花生过敏"),
        ("我今年34岁。", "用户34岁"),
        ("我在阿里巴巴工作。", "用户在阿里巴巴工作"),
        ("我的生日是5月14日。", "用户的生日是5月14日"),
        ("我朋友不吃肉。", "用户的朋友不吃肉"),
        ("我朋友王伟住在杭州。", "用户的朋友王伟住在杭州"),
        ("林清越是我的邻居。", "林清越是用户的邻居"),
        ("我老婆喜欢我做的饭。", "用户的老婆喜欢用户做的饭"),
        ("不要给我打电话。", "用户不接受电话"),
    ],
)
def test_the_content_is_a_sentence_in_the_third_person(text: str, content: str) -> None:
    assert [each.content for each in said(text)] == [content]


@pytest.mark.parametrize(
    ("text", "subject", "slot", "value"),
    [
        ("我朋友不吃肉。", "朋友", "diet:肉", "no"),
        ("我老婆喜欢看歌剧。", "老婆", "preference:歌剧", "like"),
        ("我的同事对猫过敏。", "同事", "allergy=猫", "猫"),
        ("我叔叔的单位叫青石出版社。", "叔叔", "employer", "青石出版社"),
        ("我的上司是做建筑师的。", "上司", "job", "建筑师"),
        ("我爷爷的生日是在3月3日。", "爷爷", "birthday", "3月3日"),
        ("我哥哥身高181厘米。", "哥哥", "height", "181厘米"),
        ("我姐姐她在四川成都上班呢。", "姐姐", "works_in", "四川成都"),
        ("我的徒弟叫何小满。", "徒弟", "name=何小满", "何小满"),
        ("我朋友王伟住在杭州。", "王伟", "lives_in", "杭州"),
        ("王伟住在北京。", "王伟", "lives_in", "北京"),
        ("小明喜欢足球。", "小明", "preference:足球", "like"),
        ("林清越是我的邻居。", "林清越", "relation", "邻居"),
    ],
)
def test_what_is_said_of_others_is_never_the_users(
    text: str, subject: str, slot: str, value: str
) -> None:
    assert short(said(text)) == [(subject, slot, value)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "我朋友不吃肉，但是我爱牛排。",
            [("朋友", "diet:肉", "no"), ("user", "preference:牛排", "like")],
        ),
        (
            "林清越是我的邻居，其生日是11月5日。",
            [("林清越", "relation", "邻居"), ("林清越", "birthday", "11月5日")],
        ),
        (
            "我朋友王伟住在杭州。他在网易工作。",
            [("王伟", "lives_in", "杭州"), ("王伟", "employer", "网易")],
        ),
        (
            "我在网易工作，喜欢爬山和游泳。",
            [
                ("user", "employer", "网易"),
                ("user", "preference:爬山", "like"),
                ("user", "preference:游泳", "like"),
            ],
        ),
        (
            "我喜欢茶。I like coffee.",
            [("user", "preference:茶", "like"), ("user", "preference:coffee", "like")],
        ),
        ("他在网易工作。", []),
    ],
)
def test_each_clause_has_its_own_subject(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert short(said(text)) == expected


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("其实我现在受不了寿司了。", "preference:寿司", "dislike"),
        ("不对，我住在上海。", "lives_in", "上海"),
        ("我改主意了，我更喜欢茶。", "preference:茶", "prefer"),
        ("我的名字不是李明，是李鸣。", "name", "李鸣"),
        ("说错了，我今年35岁。", "age", "35"),
    ],
)
def test_a_correction_updates(text: str, slot: str, value: str) -> None:
    (found,) = said(text)
    assert (found.op, found.slot, found.value) == ("update", slot, value)
    assert "correction" in found.tags


@pytest.mark.parametrize(
    ("text", "op", "slot", "value"),
    [
        ("我以前在永辉买菜，现在主要在盒马。", "update", "shops_at", "盒马"),
        ("我现在住在上海。", "update", "lives_in", "上海"),
        ("我不再喜欢咖啡了。", "update", "preference:咖啡", "dislike"),
        ("我不喜欢咖啡了。", "update", "preference:咖啡", "dislike"),
        ("我不吃肉了。", "update", "diet:肉", "no"),
        ("我已经不在网易工作了。", "delete", "employer", "网易"),
        ("我不住在北京了。", "delete", "lives_in", "北京"),
    ],
)
def test_what_has_changed_updates(text: str, op: str, slot: str, value: str) -> None:
    (found,) = said(text)
    assert (found.op, found.slot, found.value) == (op, slot, value)


def test_opposite_statements_share_a_slot() -> None:
    assert len({said(text)[0].slot for text in ("我喜欢寿司。", "其实我现在受不了寿司了。")}) == 1


@pytest.mark.parametrize("text", ["我也会说法语。", "我还在网易工作。"])
def test_additions_do_not_replace(text: str) -> None:
    (found,) = said(text)
    assert found.multiple


@pytest.mark.parametrize(
    "text", ["可能我对芒果过敏。", "我可能对芒果过敏。", "我觉得我喜欢爵士乐。"]
)
def test_hedges_are_kept_with_little_confidence(text: str) -> None:
    (found,) = said(text)
    assert found.confidence < 0.7
    assert found.importance == 2


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("我会在周五前提交报告。", "2026-03-06"),
        ("提醒我明天给妈妈打电话。", "2026-03-03"),
        ("明天提醒我交房租。", "2026-03-03"),
        ("我下周五要去上海出差。", "2026-03-13"),
        ("我答应了小王5月14日参加婚礼。", "2026-05-14"),
        ("项目的截止日期是2026年4月1日。", "2026-04-01"),
    ],
)
def test_a_commitment_ends_with_its_day(text: str, day: str) -> None:
    (found,) = said(text)
    assert found.kind == "commitment"
    assert found.value == day
    assert found.content.endswith(f"({day})")
    assert found.valid_until is not None
    assert found.valid_until.isoformat() == f"{day}T23:59:59+00:00"


def test_yesterday_becomes_a_date() -> None:
    (found,) = said("昨天我跑了十公里。")
    assert found.content == "用户跑了十公里 (2026-03-01)"


def test_a_named_speaker_is_the_subject() -> None:
    (found,) = said("我喜欢陶艺。", speaker="小林")
    assert (found.subject, found.content) == ("小林", "小林喜欢陶艺")
