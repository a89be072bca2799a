"""Greetings, thanks and assent alone are not worth a model's time; anything more is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory.write.trigger import is_small_talk

SMALL_TALK = """
hi
Hi!
HELLO
hello there
Hey, good morning!
Good evening, everyone.
good night 😊
Bye!
See you.
Goodbye, thanks again!
thanks
thx
OK
okay, thanks
Yes.
no
Sure, great!
lol
Hi, how are you today?
How are you doing?
你好
您好！
早上好！
晚上好，谢谢
嗨
再见
谢谢你！
谢谢您。
好的，谢谢！
好
嗯嗯
哦
行，没事
是的
哈哈哈哈
👍
...
""".strip().splitlines()

MORE = """
hi, I moved to Oslo
Hi, I'm Ann.
thanks, but I don't drink coffee
Thanks to Mira I live in Rome now
ok, my flight is on Friday
yes, I am allergic to nuts
No sugar for me, please
no meat
Nice is where I live
Great Britain
hiking
history
thanksgiving
okra
yesterday
coolant
nope9
Good morning, call me Annie
bye the way I like tea
How are you going to pay?
你好，我搬到奥斯陆了
谢谢，我不喝咖啡
好的，我叫李雷
好吃
是的我住在上海
不是，我住在北京
行李
可以叫我小王
没事的话我住在上海
晚安吻
""".strip().splitlines()


@pytest.mark.parametrize("text", SMALL_TALK)
def test_greetings_thanks_and_assent_are_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ["Thank you!", "Thank you so much!!!", "Thank you very much."])
def test_thank_you_is_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ["", "  \n", "?!"])
def test_nothing_said_is_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", MORE)
def test_whatever_says_more_is_not(text: str) -> None:
    assert not is_small_talk(text)


@pytest.mark.parametrize("text", ["hi " * 100_000, "嗯" * 300_000, "no " * 100_000 + "sugar"])
def test_long_turns_are_judged_quickly(text: str) -> None:
    assert is_small_talk(text) is not text.endswith("sugar")


@pytest.mark.parametrize(
    "text",
    """
    Hi 😄
    hello ❤️
    谢谢🙏🏻
    Ok 👌🏽
    ｈｉ
    (hi)
    Hi—how are you?
    Thanks a lot!
    Thanks so much
    thank u
    See you later!
    How's it going?
    Nice to meet you!
    You're welcome
    Good day
    你好啊
    下午好
    早安
    多谢
    感谢
    对
    """.split("\n")[1:-1],
    ids=str.strip,
)
def test_other_greetings_thanks_and_assent_are_small_talk_too(text: str) -> None:
    assert is_small_talk(text.strip())


@given(st.sampled_from(MORE), st.sampled_from(SMALL_TALK))
def test_greeting_before_it_does_not_hide_what_is_said(more: str, greeting: str) -> None:
    assert not is_small_talk(f"{greeting}\n{more}")


@given(st.lists(st.sampled_from(SMALL_TALK), max_size=5))
def test_small_talk_after_small_talk_is_small_talk(parts: list[str]) -> None:
    assert is_small_talk(", ".join(parts))
