"""How commands are cut out of a reply, so that the user never sees them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_layered_memory.records import Episode, Scope
from langchain_layered_memory.write.extract.answer import operations_of_answer
from langchain_layered_memory.write.extract.commands import COMMANDS_PROMPT, split_commands

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
TURN = Episode("e1", Scope("ann"), "m1", "user", "user", "I like tea.", MONDAY, MONDAY)

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


@pytest.mark.xfail(strict=True, reason="of several blocks only the last is read")
def test_operations_of_several_blocks_are_all_read() -> None:
    reply = f"```memory_commands\n{OPS}\n```\n<memory_commands>{MORE}</memory_commands>"
    _, commands = split_commands(reply)
    found = operations_of_answer(commands, TURN)
    assert [each.content for each in found] == ["The user likes tea", "The user lives in Oslo"]


@pytest.mark.xfail(strict=True, reason="the block stays in the reply for the user to see")
@pytest.mark.parametrize(
    "block",
    [
        f"```memory_commands {OPS}```",
        f"```memory_commands {OPS}\n```",
        f"```Memory_Commands\n{OPS}\n```",
        f"<MEMORY_COMMANDS>{OPS}</MEMORY_COMMANDS>",
        f"<memory_commands >{OPS}</memory_commands>",
        f"~~~memory_commands\n{OPS}\n~~~",
    ],
)
def test_block_is_cut_out_however_it_is_written(block: str) -> None:
    assert split_commands(f"Noted.\n{block}") == ("Noted.", OPS)


@pytest.mark.xfail(strict=True, reason="only three marks are taken off, and the rest is shown")
def test_longer_fence_is_cut_out_whole() -> None:
    assert split_commands(f"Noted.\n````memory_commands\n{OPS}\n````") == ("Noted.", OPS)


@pytest.mark.xfail(strict=True, reason="a fence inside a statement ends the block")
def test_fence_inside_a_statement_does_not_end_the_block() -> None:
    row = '{"ops": [{"content": "The user writes ``` around code"}]}'
    assert split_commands(f"Noted.\n```memory_commands\n{row}\n```") == ("Noted.", row)


@pytest.mark.xfail(strict=True, reason="the opening is known by its line's end only")
def test_block_that_was_cut_off_at_its_opening_is_not_shown() -> None:
    assert split_commands("Noted.\n```memory_commands") == ("Noted.", "")


@given(st.text())
def test_reply_without_the_word_is_never_changed(reply: str) -> None:
    assert split_commands(reply) == (reply, "")


@given(
    st.text(st.characters(exclude_characters="`<")), st.text(st.characters(exclude_characters="`<"))
)
def test_whatever_is_said_stays_and_whatever_is_commanded_goes(said: str, commands: str) -> None:
    for block in (f"```memory_commands\n{commands}\n```", f"<memory_commands>{commands}"):
        assert split_commands(f"{said}{block}") == (said.rstrip(), commands.strip())
