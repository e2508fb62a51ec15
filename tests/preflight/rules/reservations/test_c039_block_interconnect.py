"""Tests of CW-C039."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.ec2.capacity_reservations import BlockStatus
from clusterwright.preflight.facts import reservations
from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import BLOCK, ULTRA, fact, on_ec2


def test_incomplete_ultraserver_of_a_block_is_reported(rule: Harness) -> None:
    spec = on_ec2(rule, ULTRA, "capacity-block")

    def status(*values: Any) -> dict[Any, Any]:
        found = (BlockStatus("cb-1", *values),)
        return {**fact(BLOCK), reservations.BlockStatuses(): found}

    rule.fails(
        "CW-C039",
        None,
        status("impaired", 18, 0),
        spec=spec,
        path="compute[1].capacity.id",
        message="the capacity block cb-1 has interconnect status impaired, not ok",
        severity="error",
    )
    rule.fails(
        "CW-C039",
        None,
        status("ok", 18, 2),
        spec=spec,
        path="compute[1].capacity.id",
        message="2 of 18 instances of the capacity block cb-1 are unavailable",
        severity="warning",
    )
    rule.passes("CW-C039", None, status("ok", 18, 0), spec=spec)
    for words, values in (
        (
            "EC2 has insufficient data about the interconnect of cr-0123456789abcdef0",
            ("insufficient-data", 18, 0),
        ),
        ("does not report how many", ("ok", 18, None)),
    ):
        rule.unsure(
            "CW-C039",
            None,
            status(*values),
            spec=spec,
            path="compute[1].capacity.id",
            message=words,
        )
    rule.passes("CW-C039", spec=on_ec2(rule, kind="capacity-block"), tested=False)
