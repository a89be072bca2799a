"""What must never become a memory: everything that is said without being claimed."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from langchain_layered_memory.records import Episode, Operation, Role, Scope
from langchain_layered_memory.write.extract import extract_by_rules

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def said(text: str, role: Role = "user") -> tuple[Operation, ...]:
    return extract_by_rules(Episode("e1", Scope("u"), "m1", role, "user", text, MONDAY, MONDAY))


ENGLISH = [
    "hi",
    "Hello there!",
    "Thanks, that's great.",
    "ok",
    "I'm fine.",
    "I'm tired.",
    "I'm going to bed.",
    "I love it!",
    "I love that.",
    "I like this one.",
    "I like your answer.",
    "I like the second one.",
    "I like how you explained that.",
    "I like the idea.",
    "I love you.",
    "I'd like a table for two.",
    "I would love to visit Rome.",
    "I'd prefer the red one.",
    "I like to book a table for two.",
    "I prefer the 4th.",
    "I want a taxi.",
    "I need two tickets.",
    "Do I like jazz?",
    "Do you like jazz?",
    "What do I like?",
    "Is my name Tom?",
    "I like jazz, right?",
    "Where do I live?",
    "Can you recommend a jazz bar?",
    "If I liked jazz, I would go.",
    "If I lived in Oslo, I'd ski.",
    "I'll send it if I have time.",
    "Unless I live in Oslo, it makes no sense.",
    "Suppose I live in Oslo.",
    "Imagine I'm a pirate.",
    "Let's say I live in Oslo.",
    "I wish I lived in Oslo.",
    "I hope I like it there.",
    "I could live in Oslo.",
    "I might move to Oslo.",
    "I should eat less meat.",
    'She said "I love jazz".',
    "She said 'I love jazz'.",
    "She said I like jazz.",
    "My friend says I like jazz.",
    "People think I like jazz.",
    "I never said I like jazz.",
    "I didn't say I live in Oslo.",
    "It's not that I hate jazz.",
    "I don't dislike it.",
    "I don't dislike jazz.",
    "I don't think I like jazz.",
    "I'm not sure I like jazz.",
    "I don't know if I like jazz.",
    "Nobody in my family likes jazz.",
    "I used to live in Rome.",
    "I used to like jazz.",
    "The lyrics go: I love rock and roll.",
    "He sings I love Paris.",
    "Translate this: I live in Oslo.",
    "Just kidding, I hate cats.",
    "Look up hotels in Oslo.",
    "Tell me about Oslo.",
    "Remind me what I said.",
    "Don't worry.",
    "Never mind.",
    "Call me tomorrow.",
    "I'll think about it.",
    "I'll be there.",
    "I'll let you know.",
    "I will try.",
    "I don't eat out much.",
    "I can't eat it.",
    "I work from time to time.",
    "I'm at work.",
    "I have a question.",
    "I have an idea.",
    "I'm a bit lost.",
    "I'm from time to time confused.",
    "I moved to the next level.",
    "Sounds like fun.",
    "Feels like home.",
    "Seems like a good plan.",
    "Python uses indentation.",
    "It lives in the sea.",
    "The company works at night.",
    "You live in Oslo.",
    "Your favourite colour is blue.",
    "I'm not allergic to nuts.",
    "My son isn't allergic to nuts.",
    "I am definitely not allergic to cats.",
    "I'm not a nurse.",
    "I'm not from Oslo.",
    "I don't live in Oslo.",
    "I don't work at Lumen.",
    "I have never worked at Lumen.",
    "I don't have a dog.",
    "I have no pets.",
    "I don't have diabetes.",
    "I don't speak French.",
    "I'm not married.",
    "I'm not vegan.",
    "My name is not Tom.",
    "My favourite colour isn't blue.",
    "I can't say I like jazz.",
    "My favourite is the blue one.",
    "Tom thinks I live in Oslo.",
    "Jack and Jill live in Oslo.",
    "I was a nurse.",
    "I won't send the report by Friday.",
    "I never promised to call Tom.",
    "Don't remind me to call mum.",
    "Not A but B.",
    "No, I meant Bergen.",
    "I didn't go to Oslo yesterday.",
]

CHINESE = [
    "你好",
    "谢谢你！",
    "好的。",
    "我很好，谢谢。",
    "我累了。",
    "我要睡觉了。",
    "我喜欢这个。",
    "我喜欢你的回答。",
    "我喜欢。",
    "我爱你。",
    "太好了！",
    "我想订一张两人桌。",
    "我想吃寿司。",
    "我要一杯咖啡。",
    "我需要两张票。",
    "我喜欢寿司吗？",
    "你喜欢爵士乐吗？",
    "我住在哪里？",
    "我叫什么名字？",
    "你知道我喜欢什么吗",
    "我是不是喜欢茶？",
    "能不能推荐一家餐厅？",
    "帮我查一下北京的天气。",
    "如果我喜欢寿司就好了。",
    "要是我住在大理就好了。",
    "假如我是医生。",
    "假设我住在上海。",
    "如果明天有空，我会去参加会议。",
    "我希望住在大理。",
    "但愿我喜欢这里。",
    "我本来想住在上海。",
    "她说“我喜欢爵士”。",
    "他说我喜欢爵士。",
    "妈妈说我不吃辣。",
    "大家以为我喜欢爵士。",
    "听说他住在北京。",
    "据说小明喜欢足球。",
    "我没说过我喜欢爵士。",
    "并不是说我讨厌爵士。",
    "难道我喜欢加班？",
    "谁说我喜欢加班",
    "我以前住在上海。",
    "我以前喜欢爵士乐。",
    "歌词里写着我爱北京天安门。",
    "开玩笑的，我讨厌猫。",
    "翻译一下：我住在北京。",
    "别担心。",
    "不要紧。",
    "没关系。",
    "我会努力的。",
    "我会考虑的。",
    "我要想一想。",
    "我不知道。",
    "我不吃了。",
    "我吃饱了。",
    "我吃不下了。",
    "我对花生不过敏。",
    "我对花生并不过敏。",
    "我不是医生。",
    "我不住在北京。",
    "我不在网易工作。",
    "我没有糖尿病。",
    "我没有孩子。",
    "我没养猫。",
    "我不会说法语。",
    "我不叫李明。",
    "我曾经是老师。",
    "我不讨厌茶。",
    "我不是不喜欢茶。",
    "我朋友说他住在上海。",
    "我不会在周五前提交报告。",
    "我没答应参加婚礼。",
    "我在家。",
    "我有一个问题。",
    "我有点困。",
    "你住在北京。",
    "你最喜欢的颜色是蓝色。",
    "他喜欢足球。",
    "大家都喜欢足球。",
    "今天天气很好。",
    "小时候的事情很有趣。",
    "周末在家休息。",
    "提醒我一下。",
    "叫我起床。",
    "不是上海，是北京。",
]


@pytest.mark.parametrize("text", [*ENGLISH, *CHINESE])
def test_what_is_not_claimed_is_not_stored(text: str) -> None:
    assert said(text) == ()


@pytest.mark.parametrize("role", ["assistant", "tool"])
@pytest.mark.parametrize("text", ["I enjoy jazz.", "我喜欢爵士乐。", "My name is Kiwi."])
def test_only_the_user_speaks_for_themselves(text: str, role: Role) -> None:
    assert said(text, role) == ()


PASTED = [
    "<recalled_memory id='1'>\nI like jazz. The user lives in Oslo.\n</recalled_memory>",
    "<recalled_memory>\nI like jazz.",
    "```\nI like jazz.\n```",
    "```python\n# I live in Oslo.",
    '{"text": "I like jazz.", "role": "user"}',
    '[{"a": {"text": "hello"}, "b": "I like jazz."}]',
    "> I like jazz.\n> I live in Oslo.",
    "Assistant: I like jazz.",
    "助手：我喜欢爵士乐。",
    "You are Kiwi, a polite bot. I like jazz.",
    "System prompt: my name is Kiwi.",
    "你是一个礼貌的助手。我叫奇异果。",
    "♪ I love Paris in the springtime ♪",
]


@pytest.mark.parametrize("text", PASTED)
def test_pasted_text_is_not_the_users_word(text: str) -> None:
    assert said(text) == ()


@pytest.mark.parametrize("text", PASTED)
def test_the_users_word_around_pasted_text_counts(text: str) -> None:
    before = said(f"I live in Bergen.\n\n{text}")
    assert [each.value for each in before] == ["Bergen"]


def test_a_long_document_without_a_first_person_is_not_read() -> None:
    document = "Mira lives in Oslo. " + "The weather there is rather cold in winter. " * 50
    assert said(document) == ()
    assert [each.value for each in said(f"I live in Bergen. {document}")] == ["Bergen"]


@pytest.mark.parametrize(
    "text",
    [
        "I like , and",
        "I don't eat or",
        "I speak",
        "my",
        "我喜欢和",
        "我的",
        "remind me to on Friday",
    ],
)
@pytest.mark.parametrize("year", [1, 2026, 9999])
def test_a_broken_sentence_is_no_error(text: str, year: int) -> None:
    at = datetime(year, 12, 31, tzinfo=MONDAY.tzinfo)
    assert len(extract_by_rules(Episode("e1", Scope("u"), "m1", "user", "user", text, at, at))) < 2


def test_a_turn_yields_no_more_than_twenty() -> None:
    assert len(said(" ".join(f"I like food{number}." for number in range(50)))) == 20


@pytest.mark.parametrize(
    "text",
    [
        "I like " + "a" * 100_000,
        "I like " + "a " * 50_000,
        "I like " + "a, " * 30_000,
        "I like tea. " * 9_000,
        "My friend " * 10_000,
        "{" * 100_000,
        '{"a": ' * 15_000,
        '"' * 100_000,
        "' I " * 25_000,
        "<recalled_memory " * 6_000,
        "I'm " * 25_000,
        "not a, but " * 9_000,
        "\n" * 100_000 + "a",
        " " * 100_000 + "a",
        ". " * 50_000,
        "我喜欢" + "茶" * 100_000,
        "我喜欢茶，" * 20_000,
        "不是，" * 30_000,
        "以前在" * 30_000,
        "下周五" * 30_000,
        "1月" * 50_000,
    ],
    ids=lambda text: repr(text[:14]),
)
def test_a_huge_turn_takes_well_under_a_second(text: str) -> None:
    began = time.perf_counter()
    said(text)
    assert time.perf_counter() - began < 1.0
