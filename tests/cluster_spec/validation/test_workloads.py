"""Queues, charts and jobs: names that exist, sizes that fit, what the platform has."""

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


def test_other_platforms_have_none() -> None:
    assert found(workloads.problems) == {}


CASES: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    (EKS, {f"{W}.priorities.1.name": "urgent"}, "priorities[1].name", "`urgent` is given twice"),
    (EKS, {f"{W}.jobs.1.name": "fsdp"}, "jobs[1].name", "`fsdp` is given twice"),
    (EKS, {f"{W}.charts.1.name": "kueue"}, "charts[1].name", "`kueue` is given twice"),
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
        "Kueue is not installed by us here",
    ),
    (
        HYPERPOD,
        {"hyperpod.task_governance": {}},
        "queueing",
        "HyperPod's task governance brings Kueue and makes the queues itself",
    ),
    (
        EKS,
        {f"{W}.topology_api": "v1beta1"},
        "topology_api",
        "which labels of the network's layers nodes carry is known of HyperPod only",
    ),
    (
        EKS,
        {f"{W}.priorities.1.name": "system-critical"},
        "priorities[1].name",
        "names that begin with `system-` are Kubernetes' own",
    ),
    (
        EKS,
        {f"{W}.charts.1.values": {"gfd": "on", "gfd.enabled": True}},
        "charts[1].values.gfd.enabled",
        "`gfd` is a value itself, and has values below it",
    ),
    (EKS, {f"{JOB}.tenant": ABSENT}, "jobs[0].tenant", "whose job is it?"),
    (EKS, {f"{JOB}.tenant": "pretrainin"}, "jobs[0].tenant", "no tenant is called `pretrainin`"),
    (EKS, {f"{JOB}.group": "system"}, "jobs[0].group", "no compute group is called `system`"),
    (EKS, {f"{JOB}.node_count": 9}, "jobs[0].node_count", "`workers` has 8 nodes for jobs"),
    (
        EKS,
        {f"{JOB}.kind": "hyperpod-pytorch"},
        "jobs[0].kind",
        "eks has no training operator of HyperPod",
    ),
    (
        EKS,
        {f"{JOB}.elastic": {"min_nodes": 2}},
        "jobs[0].elastic",
        "only HyperPod's training operator is told how a job shrinks and grows",
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
        "min_nodes 9 is more than node_count 8",
    ),
    (
        HYPERPOD,
        {f"{JOB}.elastic.step": 5},
        "jobs[0].elastic.step",
        "2 to 8 nodes are no whole number of steps of 5",
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
        "hyperpodrun restarts processes in place with --inprocess-restart only",
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
        "a lost process gets its state from another node, and there is one node",
    ),
    (
        EKS,
        {f"{JOB}.checkpointless": {}, f"{JOB}.command": RESTARTS},
        "jobs[0].checkpointless",
        "only HyperPod's training operator restarts processes in place",
    ),
    (
        HYPERPOD,
        {"compute.1.restricted": True},
        "jobs[0].group",
        "nobody's jobs run on a restricted group",
    ),
    (
        HYPERPOD,
        {"compute.1.mig_profile": "all-1g.10gb"},
        "jobs[0].group",
        "example jobs take whole accelerators, and those of the group are divided",
    ),
]


@pytest.mark.parametrize(("base", "changes", "path", "message"), CASES)
def test_what_is_wrong_is_said_at_its_place(
    base: dict[str, Any], changes: dict[str, Any], path: str, message: str
) -> None:
    assert found(workloads.problems, changes, base=base) == {f"{W}.{path}": message}


def test_shared_memory_is_nobody_elses_place() -> None:
    changes = {"storage.lustre.0.mount_path": "/dev/shm"}
    assert found(workloads.problems, changes, base=EKS) == {
        "storage.lustre[0].mount_path": "the pods of a job have their shared memory there"
    }


def test_as_many_flavours_as_a_queue_takes() -> None:
    group = EKS["compute"][1]
    groups = [{**group, "name": f"g{number}"} for number in range(65)]
    changes = {"compute": groups, f"{W}.jobs": []}
    assert found(workloads.problems, changes, base=EKS) == {
        "compute[64]": "a queue has at most 64 flavours, one for each compute group"
    }
    changes["compute"] = groups[:64]
    assert found(workloads.problems, changes, base=EKS) == {}


def test_as_many_taints_as_a_flavour_takes() -> None:
    taints = [{"key": f"t{number}", "effect": "NoSchedule"} for number in range(9)]
    assert found(workloads.problems, {"compute.1.taints": taints}, base=EKS) == {
        "compute[1].taints": "Kueue takes at most 8 taints of a group"
    }
    assert found(workloads.problems, {"compute.1.taints": taints[:8]}, base=EKS) == {}


def test_elastic_training_needs_an_operator_that_knows_it() -> None:
    """Its first version is 1.2; a version that is not named is EKS's default."""

    def problems(version: str) -> dict[str, str]:
        addons = [{"name": "training-operator", "version": version}]
        return found(workloads.problems, {"hyperpod.addons": addons}, base=HYPERPOD)

    assert problems("v1.2.0-eksbuild.1") == {}
    assert problems("v1.10.0-eksbuild.1") == {}
    (message,) = problems("v1.1.9-eksbuild.9").values()
    assert "v1.2 or later" in message


def test_a_checkpointless_job_of_two_nodes_passes() -> None:
    changes = {f"{JOB}.elastic": ABSENT, f"{JOB}.checkpointless": {}, f"{JOB}.command": RESTARTS}
    assert found(workloads.problems, changes, base=HYPERPOD) == {}
