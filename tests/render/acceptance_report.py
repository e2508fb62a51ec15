"""A report of an acceptance run for the tests of its forms."""

from __future__ import annotations

from decimal import Decimal

from clusterwright.cluster_state.acceptance import (
    RunCheck,
    RunClusterCheck,
    RunNode,
    RunSuspect,
)
from clusterwright.operate.acceptance_results import AcceptReport, GroupPlan

CHECKS = (
    RunCheck(id="gpu-count", verdict="fail", reason="7 of 8 <GPUs>", action="replace"),
    RunCheck(id="host-copy", verdict="pass", value=53.0, floor=52.0, unit="GB/s"),
    RunCheck(id="neuron-devices", verdict="skipped", reason="the type has no Neuron devices"),
    RunCheck(id="clock", verdict="unknown", reason="chronyc is missing"),
)
REPORT = AcceptReport(
    file="configs/test.yaml",
    environment="test",
    account="111122223333",
    region="us-east-1",
    level="standard",
    status="ended",
    run="20261123T080000Z-1",
    plan=(
        GroupPlan("workers", "p5.48xlarge", 4, 732, Decimal("44.00")),
        GroupPlan("more", "trn1.32xlarge", 1, 240, Decimal("1.44")),
    ),
    nodes=(
        RunNode(
            name="n1",
            verdict="rejected",
            reason="gpu-count: 7 of 8 <GPUs>",
            action="replace",
            checks=CHECKS,
        ),
        RunNode(name="n2", verdict="accepted", checks=CHECKS[1:2]),
        RunNode(name="n3", verdict="unknown", reason="the node is powered down"),
    ),
    cluster_checks=(
        RunClusterCheck(
            id="cluster-allreduce",
            verdict="pass",
            value=300.0,
            floor=238.0,
            unit="GB/s",
            source="a source",
            nodes=4,
            size_mib=1024,
        ),
        RunClusterCheck(
            id="lustre-write", verdict="unknown", reason="no fio", nodes=4, mount_path="/fsx"
        ),
    ),
    suspects=(RunSuspect(kind="path", names=("n2", "n3"), evidence="bad twice"),),
)

BASELINE = (
    RunClusterCheck(
        id="cluster-allreduce",
        verdict="unknown",
        value=300.0,
        unit="GB/s",
        reason="no floor is known",
        nodes=4,
        size_mib=1024,
    ),
)
"""A figure that becomes the cluster's baseline."""
