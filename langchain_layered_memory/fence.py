"""The fence around recalled text: what stands inside is data, and cannot end the fence itself."""

from __future__ import annotations

import re

OPEN = "<recalled_memory>"
CLOSE = "</recalled_memory>"
# Also a block that was cut off before its end.
BLOCK = re.compile(r"<recalled_memory>.*?(?:</recalled_memory>|\Z)", re.DOTALL)
_SPACE = re.compile(r"\s+")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# What reorders or hides text: bidirectional controls, zero-width characters, tags, variation
# selectors, and controls that are no space.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)


def harmless(text: str) -> str:
    """Return recalled text as one line that holds no markup and no hidden characters."""
    return _SPACE.sub(" ", _INVISIBLE.sub("", text)).strip().translate(_MARKUP)
