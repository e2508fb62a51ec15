"""Tests of CW-C017."""

from __future__ import annotations

import datetime as dt

import pytest

from clusterwright.aws.sagemaker import (
    PlanExtension,
)
from clusterwright.preflight.facts import hyperpod
from tests.preflight.capacity import bought
from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN
from tests.support import specs


@pytest.mark.parametrize(
    ("status", "payment", "words"),
    [
        ("Scheduled", "Pending", "its payment is pending"),
        ("Failed", "Completed", "it is failed"),
        ("Pending", "", "it is pending"),
    ],
)
def test_unpaid_extension_is_reported(
    rule: Harness, status: str, payment: str, words: str
) -> None:
    end = dt.datetime(2026, 12, 9, tzinfo=dt.UTC)
    extensions = hyperpod.TrainingPlanExtensions(specs.PLAN)
    rule.fails(
        "CW-C017",
        PLAN,
        {**bought(), extensions: (PlanExtension(status, payment, None, end),)},
        path="compute[1].capacity.arn",
        message=f"run-1 until 2026-12-09 00:00 UTC is not valid: {words}",
        severity="warning",
    )
    held = PlanExtension("Scheduled", "Completed", None, end)
    rule.passes("CW-C017", PLAN, {**bought(), extensions: (held,)})
    rule.passes("CW-C017", PLAN, {**bought(), extensions: ()})
    rule.passes("CW-C017", tested=False)
