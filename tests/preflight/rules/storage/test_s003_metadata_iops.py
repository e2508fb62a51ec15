"""Tests of CW-S003."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import lustre


def test_invalid_metadata_iops_are_reported(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S003",
        lustre(metadata={"mode": "provisioned", "iops": 13000}),
        path="storage.lustre[0].metadata.iops",
        message="not 13,000",
    )
    assert finding.hint == "iops: 12000"
    rule.passes("CW-S003", lustre(metadata={"mode": "provisioned", "iops": 24000}))


def test_intelligent_tiering_supports_two_values_of_metadata_iops(rule: Harness) -> None:
    tiering = {
        "mount_path": "/fsx", "storage_type": "INTELLIGENT_TIERING", "throughput_mbps": 4000,
        "metadata": {"mode": "provisioned", "iops": 24000},
    }  # fmt: skip
    rule.fails(
        "CW-S003",
        {"storage.lustre": [tiering]},
        path="storage.lustre[0].metadata.iops",
        message="metadata IOPS must be 6,000 and 12,000, not 24,000",
    )
