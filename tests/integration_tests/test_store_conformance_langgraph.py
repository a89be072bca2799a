"""The conformance suite on LangGraph's own stores, and on stores broken on purpose.

The tables name what each store is known to do otherwise. They are strict: once a newer LangGraph
passes such a test, this module fails, and the line can go.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, cast

import pytest
from langgraph.store.base import BaseStore, IndexConfig, Op, Result, SearchOp, TTLConfig
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.base import SqliteIndexConfig

from langchain_layered_memory.testing import StoreConformance
from langchain_layered_memory.testing.matrix import conformance_matrix, failing_tests
from langchain_layered_memory.testing.store_harness import StorePair
from langchain_layered_memory.testing.store_helpers import index_on

HAS_EXTENSIONS = hasattr(sqlite3.Connection, "enable_load_extension")
"""Not every Python can load sqlite-vec, which `SqliteStore` needs for vectors."""


IN_MEMORY_DEVIATIONS = {
    # values
    "test_changing_the_given_dict_later_changes_nothing": "keeps the caller's own lists and dicts",
    "test_changing_a_returned_dict_changes_nothing": "returns the stored objects themselves",
    # timestamps and order
    "test_overwriting_keeps_created_at_and_moves_updated_at": "created_at is made anew",
    "test_newest_change_comes_first": "lists in the order in which items were first stored",
    # namespaces
    "test_bad_namespace_in_a_batch_does_no_lasting_harm": "batches are not checked; lists break",
    "test_reading_creates_no_namespace": "a look at an unknown namespace lists it from then on",
    "test_namespace_vanishes_with_its_last_item": "a namespace stays when it is empty",
    # filters
    "test_true_is_not_one": "compares as Python does",
    "test_integers_beyond_2_to_the_53_keep_their_digits": "ranges compare as floats",
    "test_strings_compare_as_strings": "ranges turn every value into a float",
    "test_number_and_string_are_never_in_range_of_each_other": "ranges turn texts into floats",
    "test_only_numbers_are_in_a_range_of_numbers": "fails on what is no number; true is 1.0",
    "test_dotted_key_is_tried_as_it_stands_and_then_as_a_path": "knows no paths",
    "test_operator_chooses_items": "knows comparisons only",
    "test_unknown_operator_is_an_error[unknown-logic]": "takes $nor for a field",
    # time to live
    "test_store_without_expiry_refuses_a_ttl[batch]": "a ttl in a batch is ignored",
    # vectors
    "test_overwriting_without_index_drops_the_old_vector": "the old vector stays",
    "test_shrunk_list_leaves_no_vector": "vectors of removed elements stay",
    "test_equal_texts_under_two_keys_are_two_results": "a batch with one text twice fails",
    "test_pages_go_on_past_the_last_score": "every page is filled up from the first unscored item",
}

SQLITE_DEVIATIONS = {
    # values
    **{
        f"test_value_beyond_json_is_kept_or_refused[{case}]": "is silently changed to text or null"
        for case in (
            "aware-datetime",
            "naive-datetime",
            "date",
            "uuid",
            "enum",
            "dataclass",
            "nan",
            "infinity",
        )
    },
    # timestamps
    "test_overwriting_keeps_created_at_and_moves_updated_at": "created_at is made anew",
    "test_times_are_aware_and_utc_in_any_time_zone": "timestamps have no time zone",
    # filters
    "test_true_is_not_one": "SQLite's JSON gives 1 for true",
    "test_integers_beyond_2_to_the_53_keep_their_digits": "numbers become floats",
    "test_number_and_string_are_never_in_range_of_each_other": "SQLite orders text above numbers",
    **{
        f"test_only_numbers_are_in_a_range_of_numbers[{case}]": "is compared all the same"
        for case in ("boolean", "list", "dict")
    },
    "test_not_equal_keeps_items_without_the_key": "SQL's != drops null and what is missing",
    "test_list_equals_only_the_same_list": "$eq and $ne compare bytes with text",
    "test_plain_dict_asks_for_a_subset": "takes every dict for operators",
    "test_dotted_key_is_tried_as_it_stands_and_then_as_a_path": "dotted keys are always paths",
    **{
        f"test_odd_key_is_a_key_like_any_other[{case}]": "refuses keys that are not ASCII words"
        for case in (
            "space",
            "cyrillic",
            "cjk",
            "at-sign",
            "quote",
            "double-quotes",
            "dollar",
            "colon",
            "brackets",
            "like-an-index",
            "backslash",
            "percent",
            "full-stop",
            "empty",
        )
    },
    "test_operator_chooses_items": "knows comparisons only",
    # time to live
    "test_expired_item_is_omitted_before_it_is_swept": "omit_expired is ignored",
    # vectors
    "test_fields_are_read_under_their_documented_name": "reads text_fields, embeds everything",
    "test_deleted_item_leaves_no_vector": "vectors of deleted items stay",
    "test_overwriting_without_index_drops_the_old_vector": "the old vector stays",
    "test_shrunk_list_leaves_no_vector": "vectors of removed elements stay",
    "test_questions_and_documents_are_embedded_as_such": "embeds questions as documents",
    "test_items_without_a_score_follow_where_there_is_room": "leaves out what has no vector",
    "test_pages_go_on_past_the_last_score": "leaves out what has no vector",
    "test_limit_counts_items_and_not_parts": "cuts at twice the limit before it joins the parts",
    "test_pages_of_a_query_are_disjoint_and_complete[4]": "no page beyond twice the limit",
    "test_pages_of_a_query_are_disjoint_and_complete[5]": "no page beyond twice the limit",
}


class TestInMemoryStore(StoreConformance):
    supports_vectors = True
    supports_async = True
    deviations: ClassVar[Mapping[str, str]] = IN_MEMORY_DEVIATIONS
    erratic: ClassVar[Mapping[str, str]] = {
        "test_threads_read_while_others_write": "walks over a dict that others change"
    }

    @contextmanager
    def make_store(
        self, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> Iterator[BaseStore]:
        yield InMemoryStore(index=index)


class TestSqliteStore(StoreConformance):
    supports_vectors = HAS_EXTENSIONS
    supports_ttl = True
    supports_two_handles = True
    deviations: ClassVar[Mapping[str, str]] = SQLITE_DEVIATIONS

    @contextmanager
    def make_store(
        self, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> Iterator[BaseStore]:
        with SqliteStore.from_conn_string(":memory:", index=_as_read(index), ttl=ttl) as store:
            store.setup()
            yield store

    @contextmanager
    def make_pair(self) -> Iterator[StorePair]:
        with (
            TemporaryDirectory() as folder,
            SqliteStore.from_conn_string(str(Path(folder) / "store.db")) as one,
            SqliteStore.from_conn_string(str(Path(folder) / "store.db")) as other,
        ):
            one.setup()
            yield one, other

    def advance(self, store: BaseStore, seconds: float) -> None:
        """Where items expire, bring their hour nearer instead of waiting for it."""
        if store.ttl_config is None:
            super().advance(store, seconds)
            return
        cast("SqliteStore", store).conn.execute(
            "UPDATE store SET expires_at = strftime('%Y-%m-%d %H:%M:%f', expires_at, ?)",
            [f"-{seconds} seconds"],
        )

    def test_fields_are_read_under_their_documented_name(self) -> None:
        """Otherwise an index that was configured by the book embeds everything."""
        self.require("supports_vectors")
        with SqliteStore.from_conn_string(":memory:", index=index_on("text")) as store:
            store.put(("n",), "k", {"text": "garden hose", "noise": "zebra quasar"})
            assert (store.search(("n",), query="garden hose")[0].score or 0) > 0.99


def _as_read(index: IndexConfig | None) -> SqliteIndexConfig | None:
    """The fields under the name that `SqliteStore` reads, so that one slip is not counted often."""
    if index is None:
        return None
    return cast("SqliteIndexConfig", {**index, "text_fields": index.get("fields")})


# ------------------------------------------------------------------ the suite can fail


class _IgnoresFilters(InMemoryStore):
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return super().batch(
            [op._replace(filter=None) if isinstance(op, SearchOp) else op for op in ops]
        )


class _SearchesTheParent(InMemoryStore):
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return super().batch(
            [
                op._replace(namespace_prefix=op.namespace_prefix[:-1])
                if isinstance(op, SearchOp)
                else op
                for op in ops
            ]
        )


class _ForgetsInBatches(InMemoryStore):
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return super().batch(list(ops)[:100])


class _Broken(StoreConformance):
    kind: ClassVar[type[InMemoryStore]]

    @contextmanager
    def make_store(
        self, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> Iterator[BaseStore]:
        yield self.kind()

    def advance(self, store: BaseStore, seconds: float) -> None:
        """No waiting: what depends on time is not looked at here."""


class _IgnoresFiltersSuite(_Broken):
    kind = _IgnoresFilters


class _SearchesTheParentSuite(_Broken):
    kind = _SearchesTheParent


class _ForgetsInBatchesSuite(_Broken):
    kind = _ForgetsInBatches


@pytest.mark.parametrize(
    ("suite", "expected"),
    [
        (
            _IgnoresFiltersSuite,
            {
                "test_filter_applies_before_limit_and_offset",
                "test_several_fields_must_all_match",
                "test_numbers_compare_as_numbers[above]",
                "test_hostile_text_reaches_nothing[value]",
            },
        ),
        (
            _SearchesTheParentSuite,
            {
                "test_look_alike_namespaces_never_reach_each_other[user+1-user+10]",
                "test_search_covers_everything_below_its_prefix",
            },
        ),
        (_ForgetsInBatchesSuite, {"test_every_one_of_many_operations_is_answered"}),
    ],
    ids=["ignores-filters", "searches-the-parent", "forgets-in-batches"],
)
def test_broken_store_fails_the_tests_of_what_is_broken(
    suite: type[StoreConformance], expected: set[str]
) -> None:
    names = " or ".join(name.partition("[")[0] for name in expected)
    failures = failing_tests(suite, f"{names} or test_empty_batch_has_no_results")
    assert expected <= set(failures)
    assert "test_empty_batch_has_no_results" not in failures


def test_deviation_of_a_test_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError, match="test_that_was_renamed"):
        type("Suite", (StoreConformance,), {"deviations": {"test_that_was_renamed[x]": "why"}})


@pytest.mark.slow
def test_matrix_has_a_row_for_each_group_and_a_column_for_each_store() -> None:
    table = conformance_matrix({"broken": _IgnoresFiltersSuite})
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()]
    cells = dict(rows)
    assert rows[0] == ["Behaviour", "broken"]
    assert cells["Index"] == "–"
    passed, ran = map(int, cells["Filters"].split("/"))
    assert passed < ran


def test_main_package_does_not_import_pytest() -> None:
    code = "import sys, langchain_layered_memory; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
