"""Tests of CW-N005."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.support import specs


def test_efa_file_system_across_two_ranges_is_reported(rule: Harness) -> None:
    large = {
        "compute.1.count": 2100,
        "network.secondary_cidrs": ["10.1.0.0/16", "10.2.0.0/16"],
        "storage.lustre": [specs.LUSTRE],
    }
    rule.fails(
        "CW-N005",
        large,
        path="network.cidr",
        message="an EFA file system and its clients must be in one /16",
    )
    rule.passes("CW-N003", large)
    plain = {**large, "storage.lustre": [{**specs.LUSTRE, "efa": False}]}
    rule.passes("CW-N005", plain, tested=False)
    rule.passes("CW-N005", {"storage.lustre": [specs.LUSTRE]})
