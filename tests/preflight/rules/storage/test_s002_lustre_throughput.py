"""Tests of CW-S002."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import lustre


def test_unsupported_throughput_is_reported(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S002",
        lustre(efa=False, throughput_mbps_per_tib=200),
        path="storage.lustre[0].throughput_mbps_per_tib",
        message="PERSISTENT_2 SSD supports 125, 250, 500 and 1,000 MB/s per TiB, not 200",
    )
    assert finding.hint == "throughput_mbps_per_tib: 250"
    rule.passes("CW-S002", lustre(efa=False, throughput_mbps_per_tib=250))
