"""Differences between a spec and its recorded plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.pricing.plan_files import InvalidPlan, plan_beside
from clusterwright.review.recorded_plan import differences
from tests.support import specs

PLAN: dict[str, Any] = {
    "command": "plan",
    "region": "us-east-1",
    "candidates": [
        {"chosen": False, "instance_type": "p4d.24xlarge", "nodes": 9},
        {"chosen": True, "instance_type": "p5.48xlarge", "nodes": 4},
    ],
    "failures": {"spares": 0},
    "estimate": {"days": {"p10": 1, "p50": 2, "p90": 2.5}},
}


def found(tmp_path: Path, plan: dict[str, Any], **changes: Any) -> dict[str, tuple[Any, Any]]:
    cluster = specs.load(tmp_path, changes).cluster
    return {c.path: (c.before, c.after) for c in differences(plan, cluster)}


def test_plan_and_spec_agree(tmp_path: Path) -> None:
    assert found(tmp_path, PLAN, **{"run.hours": 72}) == {}


def test_differences_from_the_plan_are_reported(tmp_path: Path) -> None:
    plan = {**PLAN, "region": "us-west-2", "failures": {"spares": 2}}
    assert found(tmp_path, plan, **{"run.hours": 48}) == {
        "region": ("us-west-2", "us-east-1"),
        "compute[].count of p5.48xlarge": (6, 4),
        "run.hours (P90 of the plan, at least)": (72, 48),
    }
    other = found(tmp_path, PLAN, **{"compute.1.instance_type": "p5en.48xlarge"})
    assert other == {"compute[].instance_type": ("p5.48xlarge", "p5en.48xlarge")}


def test_plan_is_read_beside_the_spec(tmp_path: Path) -> None:
    config = tmp_path / "prod.yaml"
    assert plan_beside(config) is None
    beside = tmp_path / "prod.plan.json"
    beside.write_text(json.dumps(PLAN))
    assert plan_beside(config) == PLAN
    for text in ("{", "[]", '{"command": "check"}'):
        beside.write_text(text)
        with pytest.raises(InvalidPlan):
            plan_beside(config)


@pytest.mark.parametrize("plan", [{}, {"candidates": 3}, {"estimate": []}, {"candidates": [1]}])
def test_plan_of_another_format_is_ignored(tmp_path: Path, plan: dict[str, Any]) -> None:
    assert found(tmp_path, plan) == {}
