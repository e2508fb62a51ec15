"""Tests of CW-N017."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_overlapping_peered_range_is_reported(rule: Harness) -> None:
    peers = ["10.1.0.0/16", "10.0.7.0/24", "10.2.0.0/16"]
    finding = rule.fails(
        "CW-N017",
        {"network.peered_cidrs": peers},
        path="network.peered_cidrs[1]",
        message="10.0.7.0/24 overlaps 10.0.0.0/16 of this VPC",
        severity="error",
    )
    assert finding.hint == "cidr: 10.3.0.0/16"
    rule.passes("CW-N017", {"network.peered_cidrs": peers, "network.cidr": "10.3.0.0/16"})
    rule.passes("CW-N017", tested=False)


def test_wide_peered_range_covers_secondary_ranges(rule: Harness) -> None:
    changes = {
        "network.secondary_cidrs": ["172.31.0.0/24"],
        "network.peered_cidrs": ["172.16.0.0/12"],
    }
    finding = rule.fails(
        "CW-N017", changes, path="network.peered_cidrs[0]", message="overlaps 172.31.0.0/24"
    )
    assert finding.hint
    assert finding.hint.startswith("instead: 10.")
