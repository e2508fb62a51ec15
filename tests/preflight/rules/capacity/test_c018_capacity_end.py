"""Tests of CW-C018."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.harness import Harness
from tests.support import specs

RUN = {"run": {"hours": 720}}
SAVES = {"storage.lustre": [specs.LUSTRE], "storage.checkpoint_path": "/fsx/checkpoints"}
LENT = {"kind": "reservation", "id": "cr-0123456789abcdef0", "interruptible": True}
BLOCK = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"compute.1.capacity": {"kind": "spot"}}, "Spot instances are interrupted"),
        (
            {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}},
            "instances of a training plan are terminated before its end",
        ),
        (
            {"platform": "parallelcluster", "compute.1.capacity": BLOCK},
            "instances of a capacity block are terminated before its end",
        ),
        (
            {"platform": "pcs", "compute.0.role": "login", "compute.1.capacity": LENT},
            "the owner of an interruptible reservation can reclaim it",
        ),
    ],
)
def test_run_on_capacity_that_ends_needs_checkpoints(
    rule: Harness, changes: dict[str, Any], message: str
) -> None:
    finding = rule.fails(
        "CW-C018", {**changes, **RUN}, path="compute[1].capacity", message=message,
        severity="warning",
    )  # fmt: skip
    assert finding.message.endswith("the run of 720 hours has no path for checkpoints")
    rule.passes("CW-C018", {**changes, **RUN, **SAVES})
    rule.passes("CW-C018", changes, tested=False)


def test_capacity_without_an_end_passes(rule: Harness) -> None:
    rule.passes("CW-C018", RUN, tested=False)
    reserved = {**LENT, "interruptible": False}
    spec = {"platform": "parallelcluster", "compute.1.capacity": reserved, **RUN}
    rule.passes("CW-C018", spec, tested=False)
