"""Tests of CW-S004."""

from __future__ import annotations

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import lustre


@pytest.mark.parametrize(
    ("throughput", "step"), [(125, 38_400), (250, 19_200), (500, 9_600), (1000, 4_800)]
)
def test_invalid_efa_capacity_is_reported(rule: Harness, throughput: int, step: int) -> None:
    finding = rule.fails(
        "CW-S004",
        lustre(throughput_mbps_per_tib=throughput, capacity_gib=2400),
        path="storage.lustre[0].capacity_gib",
        message=f"{throughput} MB/s per TiB requires a multiple of {step:,} GiB, not 2,400",
    )
    assert finding.hint == f"capacity_gib: {step:,}"
    rule.passes("CW-S004", lustre(throughput_mbps_per_tib=throughput, capacity_gib=2 * step))
