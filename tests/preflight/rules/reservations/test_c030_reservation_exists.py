"""Tests of CW-C030."""

from __future__ import annotations

from dataclasses import replace

from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import BLOCK, ID, RESERVED, fact, on_ec2


def test_missing_or_different_reservation_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-C030",
        None,
        fact(None),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message=f"there is no reservation {ID} in us-east-1 for this account",
    )
    rule.fails(
        "CW-C030",
        None,
        fact(BLOCK),
        spec=on_ec2(rule),
        path="compute[1].capacity.kind",
        message=f"{ID} is a capacity block, `workers` has kind reservation",
    )
    rule.fails(
        "CW-C030",
        None,
        fact(RESERVED),
        spec=on_ec2(rule, kind="capacity-block"),
        path="compute[1].capacity.kind",
        message=f"{ID} is a reservation, `workers` has kind capacity-block",
    )
    rule.fails(
        "CW-C030",
        None,
        fact(replace(RESERVED, interruptible=True)),
        spec=on_ec2(rule),
        path="compute[1].capacity.interruptible",
        message=f"{ID} is interruptible, `workers` has `interruptible: false`",
    )
    rule.passes("CW-C030", None, fact(RESERVED), spec=on_ec2(rule))
    rule.passes("CW-C030", None, fact(BLOCK), spec=on_ec2(rule, kind="capacity-block"))
