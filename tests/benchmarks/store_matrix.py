"""Print how far each store keeps to the `BaseStore` contract, as a Markdown table.

SqliteStore's vectors need a Python whose sqlite3 can load extensions.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "integration_tests"))

from test_store_conformance import TestLayeredStoreInAFile
from test_store_conformance_langgraph import TestInMemoryStore, TestSqliteStore

from langchain_layered_memory.testing.matrix import conformance_matrix

if __name__ == "__main__":
    stores = {
        "LayeredStore": TestLayeredStoreInAFile,
        "InMemoryStore": TestInMemoryStore,
        "SqliteStore": TestSqliteStore,
    }
    print(conformance_matrix(stores))
