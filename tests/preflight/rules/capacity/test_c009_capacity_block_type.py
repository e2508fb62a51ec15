"""Tests of CW-C009."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import on_ec2


def test_capacity_block_type_is_checked(rule: Harness) -> None:
    rule.fails(
        "CW-C009",
        spec=on_ec2(rule, {"compute.1.instance_type": "g5.48xlarge"}, "capacity-block"),
        path="compute[1].capacity.kind",
        message="capacity blocks of g5.48xlarge are not sold in us-east-1",
    )
    rule.unsure(
        "CW-C009",
        spec=on_ec2(rule, {"compute.1.instance_type": "x99.large"}, "capacity-block"),
        path="compute[1].capacity.kind",
        message="no source states where capacity blocks of",
    )
    rule.passes("CW-C009", spec=on_ec2(rule, kind="capacity-block"))
