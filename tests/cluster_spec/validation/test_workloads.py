"""Queues, charts and jobs: existing names, valid sizes, supported by the platform."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import workloads
from tests.platforms.kubernetes.specs import EKS, HYPERPOD
from tests.support.validation import ABSENT, found

W = "kubernetes.workloads"
JOB = f"{W}.jobs.0"
RESTARTS = ["hyperpodrun", "--inprocess-restart", "train.py"]


@pytest.mark.parametrize("base", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_consistent_specs_pass(base: dict[str, Any]) -> None:
    assert found(workloads.problems, base=base) == {}


def test_workloads_are_refused_on_other_platforms() -> None:
    assert found(workloads.problems) == {}


CASES: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    (EKS, {f"{W}.priorities.1.name": "urgent"}, "priorities[1].name", "duplicate `urgent`"),
    (EKS, {f"{W}.jobs.1.name": "fsdp"}, "jobs[1].name", "duplicate `fsdp`"),
    (EKS, {f"{W}.charts.1.name": "kueue"}, "charts[1].name", "duplicate `kueue`"),
    (
        EKS,
        {f"{W}.charts.1.name": "hyperpod-helm-chart"},
        "charts[1].name",
        "eks does not install the chart hyperpod-helm-chart",
    ),
    (
        EKS,
        {f"{W}.queueing": "none"},
        "charts[0].name",
        "Kueue is not installed with these settings",
    ),
    (
        HYPERPOD,
        {"hyperpod.task_governance": {}},
        "queueing",
        "HyperPod's task governance installs Kueue and creates the queues",
    ),
    (
        EKS,
        {f"{W}.topology_api": "v1beta1"},
        "topology_api",
        "topology labels of nodes are known for HyperPod only",
    ),
    (
        EKS,
        {f"{W}.priorities.1.name": "system-critical"},
        "priorities[1].name",
        "the name prefix `system-` is reserved by Kubernetes",
    ),
    (
        EKS,
        {f"{W}.charts.1.values": {"gfd": "on", "gfd.enabled": True}},
        "charts[1].values.gfd.enabled",
        "`gfd` is a value and cannot also have nested values",
    ),
    (EKS, {f"{JOB}.tenant": ABSENT}, "jobs[0].tenant", "`tenant` is missing"),
    (EKS, {f"{JOB}.tenant": "pretrainin"}, "jobs[0].tenant", "tenant `pretrainin` does not exist"),
    (EKS, {f"{JOB}.group": "system"}, "jobs[0].group", "compute group `system` does not exist"),
    (EKS, {f"{JOB}.node_count": 9}, "jobs[0].node_count", "`workers` has 8 nodes for jobs"),
    (
        EKS,
        {f"{JOB}.kind": "hyperpod-pytorch"},
        "jobs[0].kind",
        "eks does not support HyperPod's training operator",
    ),
    (
        EKS,
        {f"{JOB}.elastic": {"min_nodes": 2}},
        "jobs[0].elastic",
        "elastic training requires HyperPod's training operator",
    ),
    (
        HYPERPOD,
        {"hyperpod.addons": []},
        "jobs[0].kind",
        "HyperPod's training operator is not installed",
    ),
    (
        HYPERPOD,
        {f"{JOB}.elastic.min_nodes": 9},
        "jobs[0].elastic.min_nodes",
        "min_nodes 9 must be at most node_count 8",
    ),
    (
        HYPERPOD,
        {f"{JOB}.elastic.step": 5},
        "jobs[0].elastic.step",
        "the range 2 to 8 must be a multiple of step 5",
    ),
    (
        HYPERPOD,
        {"compute.1.capacity": {"kind": "spot"}},
        "jobs[0].elastic",
        "elastic training does not support spot instances",
    ),
    (
        HYPERPOD,
        {f"{JOB}.checkpointless": {}, f"{JOB}.command": RESTARTS},
        "jobs[0].checkpointless",
        "elastic training does not support checkpointless training",
    ),
    (
        HYPERPOD,
        {f"{JOB}.elastic": ABSENT, f"{JOB}.checkpointless": {}},
        "jobs[0].command",
        "hyperpodrun restarts processes in place only with --inprocess-restart",
    ),
    (
        HYPERPOD,
        {
            f"{JOB}.elastic": ABSENT,
            f"{JOB}.checkpointless": {},
            f"{JOB}.command": RESTARTS,
            f"{JOB}.node_count": 1,
        },
        "jobs[0].checkpointless",
        "a failed process recovers its state from another node, so one node is not enough",
    ),
    (
        EKS,
        {f"{JOB}.checkpointless": {}, f"{JOB}.command": RESTARTS},
        "jobs[0].checkpointless",
        "restarting processes in place requires HyperPod's training operator",
    ),
    (
        HYPERPOD,
        {"compute.1.restricted": True},
        "jobs[0].group",
        "example jobs cannot run on a restricted group",
    ),
    (
        HYPERPOD,
        {"compute.1.mig_profile": "all-1g.10gb"},
        "jobs[0].group",
        "example jobs use whole accelerators, and those of the group are partitioned",
    ),
]


@pytest.mark.parametrize(("base", "changes", "path", "message"), CASES)
def test_errors_have_their_positions(
    base: dict[str, Any], changes: dict[str, Any], path: str, message: str
) -> None:
    assert found(workloads.problems, changes, base=base) == {f"{W}.{path}": message}


def test_shared_memory_path_is_reserved() -> None:
    changes = {"storage.lustre.0.mount_path": "/dev/shm"}
    assert found(workloads.problems, changes, base=EKS) == {
        "storage.lustre[0].mount_path": "pods of jobs mount their shared memory at this path"
    }


def test_flavours_per_queue_are_limited() -> None:
    group = EKS["compute"][1]
    groups = [{**group, "name": f"g{number}"} for number in range(65)]
    changes = {"compute": groups, f"{W}.jobs": []}
    assert found(workloads.problems, changes, base=EKS) == {
        "compute[64]": "a queue has at most 64 flavours, one for each compute group"
    }
    changes["compute"] = groups[:64]
    assert found(workloads.problems, changes, base=EKS) == {}


def test_taints_per_flavour_are_limited() -> None:
    taints = [{"key": f"t{number}", "effect": "NoSchedule"} for number in range(9)]
    assert found(workloads.problems, {"compute.1.taints": taints}, base=EKS) == {
        "compute[1].taints": "Kueue supports at most 8 taints per group"
    }
    assert found(workloads.problems, {"compute.1.taints": taints[:8]}, base=EKS) == {}


def test_elastic_training_requires_a_recent_operator() -> None:
    """Its first version is 1.2; an omitted version is EKS's default."""

    def problems(version: str) -> dict[str, str]:
        addons = [{"name": "training-operator", "version": version}]
        return found(workloads.problems, {"hyperpod.addons": addons}, base=HYPERPOD)

    assert problems("v1.2.0-eksbuild.1") == {}
    assert problems("v1.10.0-eksbuild.1") == {}
    (message,) = problems("v1.1.9-eksbuild.9").values()
    assert "v1.2 or later" in message


def test_checkpointless_job_with_two_nodes_passes() -> None:
    changes = {f"{JOB}.elastic": ABSENT, f"{JOB}.checkpointless": {}, f"{JOB}.command": RESTARTS}
    assert found(workloads.problems, changes, base=HYPERPOD) == {}
