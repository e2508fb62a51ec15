"""Tests of CW-C006."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN
from tests.support import specs


@pytest.mark.parametrize("kind", ["reservation", "capacity-block"])
def test_ec2_capacity_is_refused_on_hyperpod(rule: Harness, kind: str) -> None:
    rule.fails(
        "CW-C006",
        {"compute.1.capacity": {"kind": kind, "id": "cr-0123456789abcdef0"}},
        path="compute[1].capacity.kind",
        message=f"hyperpod-slurm does not support {kind}",
    )


@pytest.mark.parametrize("capacity", [{"kind": "on-demand"}, {"kind": "spot"}])
def test_hyperpod_capacity_kinds_pass(rule: Harness, capacity: dict[str, Any]) -> None:
    rule.passes("CW-C006", {"compute.1.capacity": capacity})


def test_training_plan_is_refused_outside_hyperpod(rule: Harness) -> None:
    spec = specs.unchecked(rule.folder, {**PLAN, "platform": "parallelcluster"})
    rule.fails(
        "CW-C006",
        spec=spec,
        path="compute[1].capacity.kind",
        message="a training plan is capacity of SageMaker",
    )
