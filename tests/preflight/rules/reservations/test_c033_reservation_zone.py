"""Tests of CW-C033."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts import network
from tests.preflight.capacity import ZONES
from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import ID, RESERVED, fact, on_ec2


def test_reservation_in_another_zone_is_reported(rule: Harness) -> None:
    zones: dict[Any, Any] = {network.Zones(): ZONES}
    rule.fails(
        "CW-C033",
        None,
        {**fact(RESERVED, zone="us-east-1c", zone_id=None), **zones},
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message=f"the reservation {ID} is in use1-az2, the nodes are in use1-az6",
    )
    rule.passes("CW-C033", None, {**fact(RESERVED, zone_id=None), **zones}, spec=on_ec2(rule))
