"""Tests of CW-C010."""

from __future__ import annotations

import pytest

from clusterwright.preflight.facts import hyperpod
from tests.preflight.capacity import bought
from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN, PLAN_RULES
from tests.support import specs


@pytest.mark.parametrize("name", PLAN_RULES)
def test_matching_plan_passes(rule: Harness, name: str) -> None:
    rule.passes(name, {**PLAN, "run.hours": 200}, bought())


@pytest.mark.parametrize("name", PLAN_RULES)
def test_spec_without_a_plan_is_skipped(rule: Harness, name: str) -> None:
    rule.passes(name, tested=False)


@pytest.mark.parametrize("name", [name for name in PLAN_RULES if name != "CW-C010"])
def test_missing_plan_is_one_finding(rule: Harness, name: str) -> None:
    facts = {**bought(), hyperpod.TrainingPlan("run-1"): None}
    rule.passes(name, {**PLAN, "run.hours": 200}, facts)


def test_missing_plan_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-C010",
        PLAN,
        {hyperpod.TrainingPlan("run-1"): None},
        path="compute[1].capacity.arn",
        message="there is no training plan run-1 in us-east-1",
    )
    other = specs.PLAN.replace(specs.ACCOUNT, "444455556666")
    rule.fails(
        "CW-C010",
        PLAN,
        bought(arn=other),
        path="compute[1].capacity.arn",
        message=f"the plan run-1 of this account is {other}",
    )
    rule.passes("CW-C010", PLAN, bought())
