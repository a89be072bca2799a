"""The pieces that the Chinese patterns are made of."""

from __future__ import annotations

import re


def predicate(pattern: str, thing: str = ".+") -> re.Pattern[str]:
    """Compile a predicate whose object follows; "<>" stands for the object inside it."""
    group = f"(?P<thing>{thing})"
    return re.compile(pattern.replace("<>", group) if "<>" in pattern else pattern + group)


# What is liked is not said here: it, this one, your answer.
EMPTY = re.compile(
    r"(?:你|您|它|他|她|这|那|这样|那样|一个人$|上|死|的|吗|什么|怎么|谁|哪|不|就|了"
    r"|过|得|跟你|和你|大家|所有人|自己$|人家|一下|点$|东西$|惨|莫能助).*"
    r"|.*(?:你的|你们|这样$|这个|那个).*|.{0}$"
)  # fmt: skip
