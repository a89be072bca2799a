"""Tools for testing stores and code that uses them; needs pytest.

Subclass `StoreConformance` to hold any LangGraph `BaseStore` to one set of expectations.
"""

import pkgutil

import pytest

# Before the imports below, so that a failing assert of the suite shows its values.
pytest.register_assert_rewrite(*(f"{__name__}.{m.name}" for m in pkgutil.iter_modules(__path__)))

from langchain_layered_memory.testing.embeddings import HashEmbeddings  # noqa: E402
from langchain_layered_memory.testing.store_conformance import StoreConformance  # noqa: E402

__all__ = ["HashEmbeddings", "StoreConformance"]
