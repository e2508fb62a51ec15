"""Tests of CW-C038."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.preflight.facts import reservations
from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import GROUP_ARN, RESERVED, SECOND, fact, on_ec2


@pytest.mark.parametrize(
    ("own", "theirs", "path", "message", "severity"),
    [
        (True, None, "compute[1].placement_group", "is in none", "warning"),
        (
            True,
            GROUP_ARN,
            "compute[1].placement_group",
            "new placement group, the reservation",
            "error",
        ),
        (None, GROUP_ARN, "compute[1].capacity.id", "do not match the", "error"),
    ],
)
def test_different_placement_of_group_and_reservation_is_reported(
    rule: Harness, own: bool | None, theirs: str | None, path: str, message: str, severity: str
) -> None:
    changes = {} if own is None else {"compute.1.placement_group": own}
    rule.fails(
        "CW-C038",
        None,
        fact(RESERVED, placement_group=theirs),
        spec=on_ec2(rule, changes),
        path=path,
        message=message,
        severity=severity,
    )
    rule.passes("CW-C038", None, fact(RESERVED), spec=on_ec2(rule))


def test_result_of_one_group_does_not_affect_the_next(rule: Harness) -> None:
    """ParallelCluster 3.16.1 does not reset it (`ec2_validators.py:760`)."""
    other = "cr-0123456789abcdef1"
    second = {**SECOND, "capacity": {"kind": "reservation", "id": other}, "placement_group": True}
    facts: dict[Any, Any] = {
        **fact(RESERVED),
        reservations.Reservation(other): dataclasses.replace(
            RESERVED, id=other, placement_group=GROUP_ARN
        ),
    }
    rule.fails(
        "CW-C038",
        None,
        facts,
        spec=on_ec2(rule, {"compute.2": second}),
        path="compute[2].placement_group",
        message="`more` gets a new placement group, the reservation cr-0123456789abcdef1",
    )
