"""Tests of CW-Q095."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts import hyperpod
from tests.preflight.capacity import bought
from tests.preflight.harness import Harness, quota
from tests.preflight.rules.support.more_quotas import GROWS, growth
from tests.support import specs


def test_growth_beyond_the_quota_is_reported(rule: Harness) -> None:
    finding = rule.fails(
        "CW-Q095",
        GROWS,
        growth(8),
        path="compute[1].max_count",
        message="this passes today, max_count will not: 16 × ml.p5.48xlarge need 16",
        severity="warning",
        numbers=(16, 0, 8),
    )
    assert finding.quota_code == "L-8762A75F"
    assert finding.hint
    assert finding.hint.startswith("request 16: ")
    rule.passes("CW-Q095", GROWS, growth(16))
    rule.passes("CW-Q095", tested=False)
    rule.passes("CW-Q095", {"compute.1.max_count": 4}, tested=False)


def test_growth_of_a_failing_group_has_its_own_number(rule: Harness) -> None:
    rule.fails(
        "CW-Q095",
        GROWS,
        growth(2),
        path="compute[1].max_count",
        message="at max_count: 16 × ml.p5.48xlarge need 16",
    )


def test_growth_counts_all_instances_of_a_cluster(rule: Harness) -> None:
    rule.fails(
        "CW-Q095",
        GROWS,
        growth(16, each=16),
        path="compute[1].max_count",
        message="17 instances in one cluster need 17",
        numbers=(17, 0, 16),
    )


def test_growth_of_a_group_with_a_plan_uses_the_plan_quota(rule: Harness) -> None:
    plan = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}, **GROWS}
    facts: dict[Any, Any] = {
        **growth(0),
        **bought(),
        hyperpod.TrainingPlans(): (),
        **quota("sagemaker", "L-9EF527CA", 8),
    }
    rule.fails(
        "CW-Q095",
        plan,
        facts,
        path="compute[1].max_count",
        message="instances in reserved capacity across training plans",
        numbers=(16, 0, 8),
    )
