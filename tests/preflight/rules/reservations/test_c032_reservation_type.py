"""Tests of CW-C032."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import RESERVED, fact, on_ec2


def test_reservation_of_another_type_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-C032",
        None,
        fact(RESERVED, instance_type="p5en.48xlarge"),
        spec=on_ec2(rule),
        path="compute[1].instance_type",
        message="is for p5en.48xlarge, not p5.48xlarge",
    )
    rule.passes("CW-C032", None, fact(RESERVED), spec=on_ec2(rule))
