"""Every figure has a default, a range, a unit and a reason."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from langchain_layered_memory import MemoryPolicy
from langchain_layered_memory.errors import PolicyError

DEFAULTS = {
    "working_turns": 3,
    "working_tokens": 32_000,
    "session_idle_minutes": 30.0,
    "debounce_seconds": 10.0,
    "verify_below": 0.7,
    "merge_similarity": 0.85,
    "lock_seconds": 5.0,
    "hot_days": 7.0,
    "hnsw_m": 16,
    "hnsw_ef_construction": 64,
    "hnsw_ef_search": 64,
    "rerank_top": 20,
    "tag_boost": 1.8,
    "token_budget": 2_000,
    "max_hops": 3,
    "idle_days": 30.0,
    "idle_importance": 2,
    "consolidate_over": 20,
    "forget_hour": 2,
    "audit_share": 0.01,
}


@pytest.mark.parametrize(("name", "value"), DEFAULTS.items())
def test_default(name: str, value: float) -> None:
    assert getattr(MemoryPolicy(), name) == value


def test_preferences_and_business_rules_expire_and_nothing_else() -> None:
    assert MemoryPolicy().valid_days == {"preference": 180.0, "business_rule": 365.0}


WRONG: list[tuple[str, Any]] = [
    ("token_budget", 0),
    ("token_budget", 1.5),
    ("token_budget", "many"),
    ("verify_below", 1.1),
    ("verify_below", math.nan),
    ("verify_below", True),
    ("forget_hour", 24),
    ("decay", "linear"),
    ("block_order", "random"),
    ("valid_days", {"preference": -1.0}),
    ("valid_days", {"preference": math.inf}),
    ("half_life_days", {"fact": "long"}),
    ("half_life_days", 30.0),
    ("token_budget", {}),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_figure_out_of_range_is_named_with_its_value(name: str, value: Any) -> None:
    shown = repr(next(iter(value.values())) if isinstance(value, dict) and value else value)
    with pytest.raises(PolicyError) as raised:
        MemoryPolicy(**{name: value})
    assert name in str(raised.value)
    assert shown in str(raised.value)


def test_a_kind_that_nobody_knows_is_refused() -> None:
    with pytest.raises(PolicyError, match="preferance"):
        MemoryPolicy(valid_days={"preferance": 90.0})


def test_figures_by_kind_cannot_be_changed_behind_its_back() -> None:
    given = {"preference": 90.0}
    policy = MemoryPolicy(valid_days=given)
    given["preference"] = 1.0
    assert policy.valid_days == {"preference": 90.0}
    with pytest.raises(TypeError):
        policy.valid_days["fact"] = 1.0  # type: ignore[index]


def test_description_names_every_figure_with_its_reason() -> None:
    described = MemoryPolicy.describe()
    assert [row[0] for row in described] == [f.name for f in dataclasses.fields(MemoryPolicy)]
    assert all(row[3].endswith((".", "!")) for row in described)
