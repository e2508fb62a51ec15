"""Tests of CW-S007."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import DALLAS, lustre


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"throughput_mbps_per_tib": 250, "capacity_gib": 19200},
            "storage.lustre[0].efa",
            "does not support EFA for Lustre",
        ),
        (
            {"efa": False, "throughput_mbps_per_tib": 500},
            "storage.lustre[0].throughput_mbps_per_tib",
            "us-east-1-dfw-2a supports 125 and 250 MB/s per TiB, not 500",
        ),
        (
            {"efa": False, "deployment_type": "PERSISTENT_1", "throughput_mbps_per_tib": 50},
            "storage.lustre[0].deployment_type",
            "us-east-1-dfw-2a supports PERSISTENT_2 SSD only",
        ),
    ],
)
def test_unsupported_file_systems_in_local_zones_are_reported(
    rule: Harness, changes: dict[str, Any], path: str, message: str
) -> None:
    rule.fails("CW-S007", {**DALLAS, **lustre(**changes)}, path=path, message=message)
    rule.passes("CW-S007", {**DALLAS, **lustre(efa=False, throughput_mbps_per_tib=250)})
    rule.passes("CW-S007", lustre(**changes))
