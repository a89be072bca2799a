"""Layered long-term memory for LangChain and LangGraph: write, index, recall, forget.

Start with `LayeredMemory.open("sqlite:///agent.db")`. Names are imported when first used, so that
`import langchain_layered_memory` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_layered_memory.adapters.store import LayeredStore
    from langchain_layered_memory.memory import LayeredMemory
    from langchain_layered_memory.nodes import MemoryState
    from langchain_layered_memory.policy import MemoryPolicy
    from langchain_layered_memory.records import Scope

__all__ = [
    "LayeredMemory",
    "LayeredStore",
    "MemoryPolicy",
    "MemoryState",
    "Scope",
]

_HOMES = {
    "LayeredMemory": "memory",
    "LayeredStore": "adapters.store",
    "MemoryPolicy": "policy",
    "MemoryState": "nodes",
    "Scope": "records",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
