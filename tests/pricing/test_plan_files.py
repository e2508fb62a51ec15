"""The plan recorded beside a spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.pricing.plan_files import InvalidPlan, plan_beside, plan_path, run_hours


def test_the_plan_of_a_spec(tmp_path: Path) -> None:
    config = tmp_path / "prod.yaml"
    assert plan_path(config) == tmp_path / "prod.plan.json"
    assert plan_beside(config) is None
    plan_path(config).write_text(json.dumps({"command": "plan", "seed": 1}))
    assert plan_beside(config) == {"command": "plan", "seed": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "prod.plan.json cannot be read"),
        ("[" * 100_000, "prod.plan.json cannot be read"),
        ("[]", "prod.plan.json is not an output of `clusterwright plan`"),
        ('{"command": "check"}', "prod.plan.json is not an output of `clusterwright plan`"),
    ],
)
def test_another_file(tmp_path: Path, text: str, message: str) -> None:
    config = tmp_path / "prod.yaml"
    plan_path(config).write_text(text)
    with pytest.raises(InvalidPlan) as caught:
        plan_beside(config)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("plan", "hours"),
    [
        ({"estimate": {"days": {"p90": 30}}}, 720),
        ({"estimate": {"days": {"p90": 30.01}}}, 744),
        ({"estimate": {"days": {"p90": 0}}}, None),
        ({"estimate": {"days": {"p90": True}}}, None),
        ({"estimate": {"days": {"p90": float("inf")}}}, None),
        ({"estimate": {"days": {"p90": "30"}}}, None),
        ({"estimate": {"days": None}}, None),
        ({"estimate": []}, None),
        ({}, None),
    ],
)
def test_hours_are_whole_days(plan: dict[str, Any], hours: int | None) -> None:
    assert run_hours(plan) == hours
