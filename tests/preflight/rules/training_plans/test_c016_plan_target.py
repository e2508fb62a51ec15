"""Tests of CW-C016."""

from __future__ import annotations

from tests.preflight.capacity import bought
from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN


def test_plan_for_training_jobs_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-C016",
        PLAN,
        bought(target_resources=("training-job",)),
        path="compute[1].capacity.arn",
        message="is for training-job, not for hyperpod-cluster",
    )
    rule.passes("CW-C016", PLAN, bought())
    rule.unsure(
        "CW-C016",
        PLAN,
        bought(target_resources=()),
        path="compute[1].capacity.arn",
        message="has no target resources",
    )
