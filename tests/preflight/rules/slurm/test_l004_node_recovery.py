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


def test_node_groups_of_eks_without_repair_are_reported(rule: Harness) -> None:
    """Node auto repair is a setting of each managed node group."""
    workers = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 16}
    changes = {"platform": "eks", "compute": [workers]}
    rule.fails(
        "CW-L004",
        {**changes, "resilience.node_recovery": "none"},
        path="resilience.node_recovery",
        message="failed nodes are not replaced automatically, and the cluster has 16 nodes",
    )
    rule.passes("CW-L004", changes)
