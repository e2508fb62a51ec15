"""Tests of CW-L004."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_large_cluster_without_node_recovery_is_reported(rule: Harness) -> None:
    alone = {"resilience.node_recovery": "none"}
    rule.fails(
        "CW-L004",
        {**alone, "compute.1.count": 16},
        path="resilience.node_recovery",
        message="replaced automatically, and the cluster has",
        severity="warning",
    )
    rule.passes("CW-L004", alone)
    rule.passes("CW-L004", {"compute.1.count": 16})
