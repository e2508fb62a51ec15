"""Tests of CW-C036."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import BLOCK, RESERVED, fact, on_ec2


def test_reservation_that_ends_before_the_run_is_reported(rule: Harness) -> None:
    week = on_ec2(rule, {"run": {"hours": 200}}, kind="capacity-block")
    rule.fails(
        "CW-C036",
        None,
        fact(BLOCK),
        spec=week,
        path="compute[1].capacity.id",
        message="the run takes 200 hours, the capacity block cr-0123456789abcdef0 provides 179 "
        "until 2026-11-27 11:30 UTC",
        severity="warning",
    )
    rule.passes("CW-C036", None, fact(RESERVED), spec=week)
    rule.passes(
        "CW-C036", None, fact(BLOCK), spec=on_ec2(rule, {"run": {"hours": 179}}, "capacity-block")
    )
    rule.passes("CW-C036", spec=on_ec2(rule), tested=False)


def test_later_start_leaves_less_of_the_block(rule: Harness) -> None:
    run = {"hours": 48, "start": "2026-11-26"}
    rule.fails(
        "CW-C036",
        None,
        fact(BLOCK),
        spec=on_ec2(rule, {"run": run}, "capacity-block"),
        path="compute[1].capacity.id",
        message="provides 35 until",
    )
