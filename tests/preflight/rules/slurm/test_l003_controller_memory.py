"""Tests of CW-L003."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_insufficient_controller_memory_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-L003",
        {"compute.0.instance_type": "m5.large", "compute.1.count": 512},
        path="compute[0].instance_type",
        message="m5.large has 8 GiB, a controller of 512 nodes needs 16.0",
        severity="warning",
    )
    rule.passes("CW-L003", {"compute.1.count": 512})
    rule.passes("CW-L003", {"compute.0.instance_type": "m5.large", "compute.1.count": 185})
