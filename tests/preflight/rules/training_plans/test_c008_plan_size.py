"""Tests of CW-C008."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN
from tests.support import specs


def test_plan_has_at_most_64_instances(rule: Harness) -> None:
    rule.fails(
        "CW-C008",
        {**PLAN, "compute.1.count": 65},
        path="compute[1].count",
        message="65 instances from the plan run-1: a plan has at most 64 per segment",
        severity="error",
        numbers=(65, None, 64),
    )


def test_groups_of_one_plan_are_summed(rule: Harness) -> None:
    second = {**specs.SMALL["compute"][1], "name": "more", "count": 40}
    second["capacity"] = {"kind": "training-plan", "arn": specs.PLAN}
    rule.fails(
        "CW-C008",
        {**PLAN, "compute.1.count": 32, "compute.2": second},
        path="compute[2].count",
        message="72 instances",
    )


def test_plan_size_is_a_power_of_two(rule: Harness) -> None:
    rule.fails(
        "CW-C008",
        {**PLAN, "compute.1.count": 48},
        path="compute[1].count",
        message="16 of 64 are paid for and idle",
        severity="warning",
    )
    rule.passes("CW-C008", {**PLAN, "compute.1.count": 32})


def test_ultraserver_plan_is_not_counted_in_instances(rule: Harness) -> None:
    ultra = {"compute.1.instance_type": "p6e-gb200.36xlarge", "compute.1.count": 18}
    rule.passes("CW-C008", {**PLAN, **ultra}, tested=False)
