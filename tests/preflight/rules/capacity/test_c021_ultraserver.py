"""Tests of CW-C021."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_ultraservers_must_be_complete(rule: Harness) -> None:
    local = {
        "network.availability_zone_id": "us-east-1-dfw-2a",
        "compute.1.instance_type": "p6e-gb200.36xlarge",
    }
    found = rule.fails(
        "CW-C021",
        {**local, "compute.1.count": 17},
        path="compute[1].count",
        message="17 × p6e-gb200.36xlarge: an UltraServer has 9 or 18 of them",
        severity="warning",
    )
    assert found.hint
    assert "count: 18" in found.hint
    rule.passes("CW-C021", {**local, "compute.1.count": 18})
