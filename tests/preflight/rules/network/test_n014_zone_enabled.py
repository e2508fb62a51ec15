"""Tests of CW-N014."""

from __future__ import annotations

import dataclasses

from clusterwright.preflight.facts import network
from tests.preflight.harness import Harness
from tests.preflight.rules.support.networks import ZONE


def test_disabled_zone_is_reported(rule: Harness) -> None:
    path = "network.availability_zone_id"
    other = dataclasses.replace(ZONE, zone_id="use1-az1")
    found = rule.fails(
        "CW-N014",
        facts={network.Zones(): (other,)},
        path=path,
        message="us-east-1 has no zone use1-az6 for this account",
    )
    assert found.hint == "zones: use1-az1"
    closed = dataclasses.replace(ZONE, opt_in_status="not-opted-in")
    rule.fails("CW-N014", facts={network.Zones(): (closed,)}, path=path, message="is not-opted-in")
    rule.unsure("CW-N014", facts={network.Zones(): ()}, path=path, message="lists no zones")
    rule.passes("CW-N014", facts={network.Zones(): (ZONE,)})
