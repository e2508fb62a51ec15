"""Tests of CW-S008."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import tiering


def test_invalid_intelligent_tiering_sizes_are_reported(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S008",
        tiering(throughput_mbps=5000),
        path="storage.lustre[0].throughput_mbps",
        message="multiple of 4,000 MB/s",
    )
    assert finding.hint == "throughput_mbps: 4000"
    rule.fails(
        "CW-S008",
        tiering(throughput_mbps=8000, read_cache={"mode": "provisioned", "capacity_gib": 63}),
        path="storage.lustre[0].read_cache.capacity_gib",
        message="the read cache must have 64 to 262,144 GiB, not 63",
    )
    rule.passes(
        "CW-S008",
        tiering(throughput_mbps=8000, read_cache={"mode": "provisioned", "capacity_gib": 64}),
    )
