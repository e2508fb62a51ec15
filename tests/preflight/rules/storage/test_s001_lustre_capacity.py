"""Tests of CW-S001."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import PLAIN, lustre
from tests.support import specs


@pytest.mark.parametrize(
    ("changes", "message", "hint"),
    [
        ({**PLAIN, "capacity_gib": 4900}, "multiple of 2,400 GiB, not 4,900", "4,800 or 7,200"),
        ({**PLAIN, "capacity_gib": 600}, "not 600", "capacity_gib: 1,200"),
        (
            {
                "efa": False, "deployment_type": "SCRATCH_2", "capacity_gib": 3600,
                "throughput_mbps_per_tib": None,
            },
            "SCRATCH_2 SSD must be 1,200 and 2,400, then a multiple of 2,400 GiB, not 3,600",
            "2,400 or 4,800",
        ),
        (
            {
                "efa": False, "deployment_type": "SCRATCH_1", "capacity_gib": 4800,
                "throughput_mbps_per_tib": None,
            },
            "multiple of 3,600 GiB, not 4,800",
            "3,600 or 7,200",
        ),
        (
            {
                "efa": False, "deployment_type": "PERSISTENT_1", "storage_type": "HDD",
                "capacity_gib": 1800, "throughput_mbps_per_tib": 12,
            },
            "PERSISTENT_1 HDD must be a multiple of 6,000 GiB, not 1,800",
            "capacity_gib: 6,000",
        ),
    ],
)  # fmt: skip
def test_invalid_capacity_is_reported(
    rule: Harness, changes: dict[str, Any], message: str, hint: str
) -> None:
    fs = {k: v for k, v in {**specs.LUSTRE, **changes}.items() if v is not None}
    finding = rule.fails(
        "CW-S001",
        {"storage.lustre": [fs]},
        path="storage.lustre[0].capacity_gib",
        message=message,
    )
    assert finding.hint
    assert hint in finding.hint


@pytest.mark.parametrize("capacity_gib", [1200, 2400, 4800, 7200, 100_800])
def test_valid_capacity_passes(rule: Harness, capacity_gib: int) -> None:
    rule.passes("CW-S001", lustre(**PLAIN, capacity_gib=capacity_gib))
