"""Tests of CW-N020."""

from __future__ import annotations

from tests.preflight.existing_network import EXISTING, VPC
from tests.preflight.harness import Harness
from tests.preflight.rules.support.ip_ranges import vpcs


def test_existing_vpc_overlapping_a_peer_is_reported(rule: Harness) -> None:
    network_ = {**EXISTING["network"], "peered_cidrs": ["10.9.0.0/16", "100.64.0.0/16"]}
    rule.fails(
        "CW-N020",
        {"network": network_},
        vpcs("10.1.0.0/16", "100.64.0.0/18"),
        path="network.peered_cidrs[1]",
        message=f"100.64.0.0/16 overlaps 100.64.0.0/18 of {VPC}",
        severity="error",
    )
    rule.fails(
        "CW-N020",
        EXISTING,
        vpcs("10.1.0.0/16", "172.17.0.0/20"),
        path="network.existing.vpc_id",
        message="overlaps 172.17.0.0/16, which Docker uses",
        severity="warning",
    )
    rule.passes("CW-N020", {"network": network_}, vpcs("10.1.0.0/16"))
    rule.passes("CW-N020", tested=False)
