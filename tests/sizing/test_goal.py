"""Parsing of goals."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.estimate import plan
from clusterwright.sizing.goal import parse
from clusterwright.sizing.plan_types import Plan
from clusterwright.sizing.sweep import plan_anywhere

CATALOG = load_catalog()


TODAY = dt.date(2026, 11, 21)


def planned(**goal: Any) -> Plan:
    return plan(parse(goal), CATALOG, today=TODAY)


P5 = {"instance_type": "p5.48xlarge", "nodes": 256}


def test_other_spellings_are_accepted() -> None:
    goal = {"model": "llama3-70b", "tokens": "1T", "cluster": P5}
    assert planned(**goal, precision="FP8").precision == "fp8"
    assert planned(**goal, precision="bfloat16").estimate == planned(**goal).estimate
    assert planned(**goal, kind="Pretrain").kind == "from-scratch"


def test_a_count_requires_a_type() -> None:
    for cluster in ({"nodes": 16}, {"accelerators": 16}):
        with pytest.raises(GoalError, match="the type of the"):
            plan_anywhere(parse({"params": "70B", "tokens": "1T", "cluster": cluster}), CATALOG)


def test_a_number_of_tokens_per_sequence_has_all_its_digits() -> None:
    with pytest.raises(GoalError) as caught:
        parse({"seq_len": "8k"})
    assert str(caught.value) == "seq_len: expected an integer, got '8k'"
    assert caught.value.hint == "write all digits, such as 8192"
