"""Extraction: from a turn as it was said to statements about somebody.

The rules need no model and run in well under a millisecond for a usual turn.
"""

from __future__ import annotations

from langchain_layered_memory.write.extract.rules import RULES_VERSION, extract_by_rules

__all__ = ["RULES_VERSION", "extract_by_rules"]
