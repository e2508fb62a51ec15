"""Tests of CW-C037."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import ID, RESERVED, fact, on_ec2


def test_open_reservation_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-C037",
        None,
        fact(RESERVED, match="open"),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message=f"the reservation {ID} is open",
        severity="warning",
    )
    rule.passes("CW-C037", None, fact(RESERVED), spec=on_ec2(rule))
