"""The whole suite in one class, to be subclassed once for each store."""

from __future__ import annotations

from langchain_layered_memory.testing.store_batches import BatchBehaviour
from langchain_layered_memory.testing.store_concurrency import AsyncBehaviour, ThreadBehaviour
from langchain_layered_memory.testing.store_filter_operators import FilterOperatorBehaviour
from langchain_layered_memory.testing.store_filters import FilterBehaviour
from langchain_layered_memory.testing.store_listing import ListingBehaviour
from langchain_layered_memory.testing.store_namespaces import (
    NamespaceBehaviour,
    NamespaceListBehaviour,
)
from langchain_layered_memory.testing.store_properties import PropertyBehaviour
from langchain_layered_memory.testing.store_ranking import RankingBehaviour
from langchain_layered_memory.testing.store_times import TimeBehaviour
from langchain_layered_memory.testing.store_ttl import TTLBehaviour
from langchain_layered_memory.testing.store_values import ValueBehaviour
from langchain_layered_memory.testing.store_vectors import IndexBehaviour


class StoreConformance(
    ValueBehaviour,
    TimeBehaviour,
    NamespaceBehaviour,
    NamespaceListBehaviour,
    FilterBehaviour,
    FilterOperatorBehaviour,
    ListingBehaviour,
    BatchBehaviour,
    TTLBehaviour,
    IndexBehaviour,
    RankingBehaviour,
    ThreadBehaviour,
    AsyncBehaviour,
    PropertyBehaviour,
):
    """What every LangGraph `BaseStore` should do, as tests to inherit.

    A subclass gives `make_store` and declares what the store can do; what it does not declare is
    skipped. Stores with expiry and an injected clock override `advance`, so that no test waits.

    Example:
        ```python
        class TestInMemoryStore(StoreConformance):
            supports_vectors = True
            supports_async = True

            @contextmanager
            def make_store(self, *, index=None, ttl=None):
                yield InMemoryStore(index=index)
        ```
    """


GROUPS = tuple(vars(behaviour)["group"] for behaviour in StoreConformance.__bases__)
"""The names of the groups of behaviours, in the order in which a report shows them."""
