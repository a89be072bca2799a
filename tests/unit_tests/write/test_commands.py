"""How commands are cut out of a reply, so that the user never sees them."""

from __future__ import annotations

import pytest

from langchain_layered_memory.write.extract.commands import COMMANDS_PROMPT, split_commands

OPS = '{"ops": [{"op": "create", "content": "The user likes tea"}]}'
MORE = '{"ops": [{"op": "create", "content": "The user lives in Oslo"}]}'


@pytest.mark.parametrize(
    "block",
    [
        f"```memory_commands\n{OPS}\n```",
        f"``` memory_commands \n{OPS}\n```",
        f"```memory_commands\r\n{OPS}\r\n```",
        f"<memory_commands>{OPS}</memory_commands>",
        f"<memory_commands>\n{OPS}\n</memory_commands>\n",
        f"```memory_commands\n{OPS}",
        f"<memory_commands>{OPS}",
    ],
)
def test_block_is_cut_out_of_the_reply(block: str) -> None:
    assert split_commands(f"Noted, tea it is.\n\n{block}") == ("Noted, tea it is.", OPS)


@pytest.mark.parametrize("cut", [1, 10, 30])
def test_what_was_cut_off_is_not_shown_either(cut: int) -> None:
    assert split_commands(f"Noted.\n```memory_commands\n{OPS[:-cut]}") == ("Noted.", OPS[:-cut])


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Noted, tea it is.\n",
        "```json\n{}\n```",
        "The word memory_commands alone says nothing.",
        "  a reply  with  its spaces \n\n",
    ],
)
def test_reply_without_commands_is_left_as_it_is(reply: str) -> None:
    assert split_commands(reply) == (reply, "")


@pytest.mark.parametrize(
    "block", ["```memory_commands\n```", "<memory_commands></memory_commands>"]
)
def test_empty_block_is_cut_out_and_commands_nothing(block: str) -> None:
    assert split_commands(f"Noted.\n{block}") == ("Noted.", "")


def test_several_blocks_are_all_cut_out_and_all_kept() -> None:
    reply = (
        f"First.\n```memory_commands\n{OPS}\n```\nThen.\n"
        f"<memory_commands>{MORE}</memory_commands>\nLast."
    )
    shown, commands = split_commands(reply)
    assert shown.split() == ["First.", "Then.", "Last."]
    assert OPS in commands
    assert MORE in commands


def test_other_code_of_the_reply_stays() -> None:
    code = "```python\nprint(1)\n```"
    assert split_commands(f"{code}\n```memory_commands\n{OPS}\n```") == (code, OPS)


def test_block_that_the_prompt_shows_is_understood() -> None:
    _, commands = split_commands(COMMANDS_PROMPT)
    assert commands.startswith('{"ops": [')
    assert commands.endswith("]}")
