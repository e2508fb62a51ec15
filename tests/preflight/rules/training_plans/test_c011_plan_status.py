"""Tests of CW-C011."""

from __future__ import annotations

import pytest

from tests.preflight.capacity import bought
from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN


@pytest.mark.parametrize(
    ("status", "severity", "message"),
    [
        ("Expired", "error", "is Expired on 2026-12-01 11:30 UTC: said so"),
        ("Failed", "error", "is Failed"),
        ("Scheduled", "warning", "starts on 2026-11-01 11:30 UTC"),
        ("Pending", "warning", "is Pending"),
    ],
)
def test_inactive_plan_is_reported(
    rule: Harness, status: str, severity: str, message: str
) -> None:
    rule.fails(
        "CW-C011",
        PLAN,
        bought(status=status, status_message="said so"),
        path="compute[1].capacity.arn",
        message=message,
        severity=severity,
    )


def test_unknown_plan_status_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-C011",
        PLAN,
        bought(status="Frozen"),
        path="compute[1].capacity.arn",
        message="the training plan run-1 has an unknown status: Frozen",
    )
    rule.passes("CW-C011", PLAN, bought())
