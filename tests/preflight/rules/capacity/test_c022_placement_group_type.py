"""Tests of CW-C022."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import on_ec2


def test_type_without_placement_group_support_is_reported(rule: Harness) -> None:
    placed = {"compute.1.placement_group": True, "compute.1.capacity": None}
    rule.fails(
        "CW-C022",
        spec=on_ec2(rule, {**placed, "compute.1.instance_type": "t3.medium"}),
        path="compute[1].placement_group",
        message="t3.medium does not support cluster placement groups",
    )
    rule.unsure(
        "CW-C022",
        spec=on_ec2(rule, {**placed, "compute.1.instance_type": "x99.large"}),
        path="compute[1].placement_group",
        message="no source states whether",
    )
    rule.passes("CW-C022", spec=on_ec2(rule, placed))
