"""The `memory_commands` block: how a model without tool calling says what to remember.

It stands at the end of a normal reply and is cut out before the user sees it. `COMMANDS_PROMPT`
asks for it; `split_commands` takes it out.
"""

from __future__ import annotations

import re

COMMANDS_PROMPT = """\
If the user states a lasting preference, fact, constraint or commitment, end your reply with
```memory_commands
{"ops": [{"op": "create", "kind": "preference", "content": "The user likes tea",
"subject": "user", "attribute": "preference:tea", "value": "like"}]}
```
op is create, update or delete. Leave the block out when there is nothing to remember."""

_BLOCK = re.compile(
    r"```\s*memory_commands\s*\n(?P<fenced>.*?)(?:```|\Z)"
    r"|<memory_commands>(?P<tagged>.*?)(?:</memory_commands>|\Z)",
    re.DOTALL,
)


def split_commands(reply: str) -> tuple[str, str]:
    """Return a reply as the user shall see it, and the text of its commands or ""."""
    blocks = [match["fenced"] or match["tagged"] or "" for match in _BLOCK.finditer(reply)]
    if not blocks:
        return reply, ""
    return _BLOCK.sub("", reply).rstrip(), "\n".join(blocks).strip()
