"""The fence around recalled text: what stands inside is data, and cannot end the fence itself."""

from __future__ import annotations

import re

OPEN = "<recalled_memory>"
CLOSE = "</recalled_memory>"
# Also a block that was cut off before its end.
BLOCK = re.compile(r"<recalled_memory>.*?(?:</recalled_memory>|\Z)", re.DOTALL)
_SPACE = re.compile(r"\s+")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# Invisible characters that reorder or hide text: bidirectional controls, zero-width, tags.
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


def harmless(text: str) -> str:
    """Return recalled text as one line that holds no markup and no hidden characters."""
    return _SPACE.sub(" ", _INVISIBLE.sub("", text)).strip().translate(_MARKUP)
