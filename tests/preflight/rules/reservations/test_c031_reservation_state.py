"""Tests of CW-C031."""

from __future__ import annotations

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import ID, RESERVED, fact, on_ec2


@pytest.mark.parametrize(
    ("state", "severity"),
    [
        ("expired", "error"),
        ("cancelled", "error"),
        ("payment-failed", "error"),
        ("unavailable", "error"),
        ("payment-pending", "error"),
        ("scheduled", "warning"),
        ("delayed", "warning"),
    ],
)
def test_reservation_without_capacity_is_reported(
    rule: Harness, state: str, severity: str
) -> None:
    rule.fails(
        "CW-C031",
        None,
        fact(RESERVED, state=state),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message=f"the reservation {ID} is {state}",
        severity=severity,
    )
    rule.passes("CW-C031", None, fact(RESERVED), spec=on_ec2(rule))


def test_unknown_reservation_state_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-C031",
        None,
        fact(RESERVED, state="resting"),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message="the reservation cr-0123456789abcdef0 has an unknown state: resting",
    )
