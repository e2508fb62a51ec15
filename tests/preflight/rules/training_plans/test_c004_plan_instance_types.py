"""Tests of CW-C004."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN


def test_unsupported_plan_type_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-C004",
        {**PLAN, "compute.1.instance_type": "trn1n.32xlarge"},
        path="compute[1].capacity.kind",
        message="no training plan is sold for ml.trn1n.32xlarge",
    )
    rule.passes("CW-C004", PLAN)
