"""Tests of CW-C005."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_type_without_spot_support_is_reported(rule: Harness) -> None:
    spot = {"compute.1.capacity": {"kind": "spot"}}
    rule.fails(
        "CW-C005",
        {**spot, "compute.1.instance_type": "p6e-gb200.36xlarge"},
        path="compute[1].capacity.kind",
        message="p6e-gb200.36xlarge is not available as Spot",
    )
    rule.passes("CW-C005", spot)
