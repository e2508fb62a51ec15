"""Tests of CW-S041."""

from __future__ import annotations

from tests.preflight.harness import Harness

SCRATCH = {"compute.1.scratch": {}}


def test_type_without_local_disks_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-S041",
        {**SCRATCH, "compute.1.instance_type": "m5.4xlarge"},
        path="compute[1].scratch",
        message="m5.4xlarge has no local drives for scratch",
    )


def test_types_with_local_disks_and_groups_without_scratch_pass(rule: Harness) -> None:
    rule.passes("CW-S041", SCRATCH)
    rule.passes("CW-S041", tested=False)
    rule.passes("CW-S041", {**SCRATCH, "compute.1.count": 0}, tested=False)


def test_unknown_type_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-S041",
        {**SCRATCH, "compute.1.instance_type": "p6e-gb300.36xlarge"},
        path="compute[1].scratch",
        message="local drives of p6e-gb300.36xlarge",
    )
