"""Tests of CW-C020."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_multi_node_training_without_efa_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-C020",
        {"compute.1.instance_type": "g5.xlarge"},
        path="compute[1].instance_type",
        message="4 × g5.xlarge do not support EFA",
        severity="warning",
    )
    rule.passes("CW-C020")
    rule.passes("CW-C020", {"compute.1.instance_type": "g5.xlarge", "compute.1.count": 1})
