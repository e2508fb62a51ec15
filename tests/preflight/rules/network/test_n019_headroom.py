"""Tests of CW-N019."""

from __future__ import annotations

from tests.preflight.existing_network import EXISTING
from tests.preflight.harness import Harness


def test_insufficient_headroom_is_reported(rule: Harness) -> None:
    without = {"network.address_headroom_percent": 0}
    rule.fails(
        "CW-N019",
        {**EXISTING, "network": {**EXISTING["network"], "address_headroom_percent": 0}},
        path="network.address_headroom_percent",
        message="address_headroom_percent is 0, and failed nodes are replaced automatically",
        severity="warning",
    )
    rule.passes("CW-N019", EXISTING)
    # A created network has more addresses than the cluster needs, at any percentage.
    rule.passes("CW-N019", without)
