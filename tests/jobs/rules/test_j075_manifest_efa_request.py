"""CW-J075: Pods that train on several nodes with EFA request its interfaces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import HOPPER, SPEC, SYSTEM, fails, passes, pod, pytorch_job

GPUS = {"nvidia.com/gpu": 8}


def test_whole_nodes_without_interfaces() -> None:
    found = fails("CW-J075", pytorch_job(pod(GPUS)))
    assert found.hint == "limits: {vpc.amazonaws.com/efa: 32}"
    assert found.severity == "warning"


@pytest.mark.parametrize("replicas", [1, "$NODES"])
def test_one_node_or_an_unknown_number(replicas: object) -> None:
    passes("CW-J075", pytorch_job(pod(GPUS), replicas))


def test_interfaces_parts_of_nodes_privileged_pods_and_types_without_efa() -> None:
    passes("CW-J075", pytorch_job(pod()))
    passes("CW-J075", pytorch_job(pod({"nvidia.com/gpu": 4})))
    privileged = pod(GPUS)
    privileged["containers"][0]["securityContext"] = {"privileged": True}
    passes("CW-J075", pytorch_job(privileged))
    single = {**HOPPER, "instance_type": "g5.2xlarge"}
    spec = {**SPEC, "compute": [SYSTEM, single]}
    passes("CW-J075", pytorch_job(pod({"nvidia.com/gpu": 1})), spec)


def manifest(kind: str, spec: dict[str, Any]) -> str:
    return json.dumps({"kind": kind, "spec": spec})


def group(size: int, leader: dict[str, Any] | None = None) -> str:
    """Groups of a LeaderWorkerSet."""
    made = {"size": size, "workerTemplate": {"spec": pod(GPUS)}}
    if leader is not None:
        made["leaderTemplate"] = {"spec": leader}
    return manifest("LeaderWorkerSet", {"replicas": 2, "leaderWorkerTemplate": made})


def replicas(**numbers: object) -> str:
    """Roles of a PyTorchJob, whose pods are the same."""
    roles = {
        role: {"replicas": number, "template": {"spec": pod(GPUS)}}
        for role, number in numbers.items()
    }
    return manifest("PyTorchJob", {"pytorchReplicaSpecs": roles})


@pytest.mark.parametrize(
    "text",
    [
        manifest("Deployment", {"replicas": 2, "template": {"spec": pod(GPUS)}}),
        manifest("Job", {"parallelism": 2, "template": {"spec": pod(GPUS)}}),
        manifest(
            "Job",
            {"parallelism": 2, "completionMode": "Indexed", "template": {"spec": pod(GPUS)}},
        ),
        group(1),
        group(2, pod({"cpu": "4"})),
        replicas(Master=1),
        replicas(Master=1, Worker=0),
        replicas(Master=1, Worker="$N"),
    ],
)
def test_pods_that_are_independent_or_alone(text: str) -> None:
    passes("CW-J075", text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (replicas(Master=1, Worker=1), 2),
        (replicas(Master=1, Worker=2, Evaluator="$N"), 3),
        (group(2), 2),
        (group(4, pod(GPUS)), 4),
        (
            manifest(
                "Job",
                {
                    "parallelism": 2,
                    "completionMode": "Indexed",
                    "template": {"spec": pod(GPUS, subdomain="train")},
                },
            ),
            2,
        ),
    ],
)
def test_pods_that_run_together(text: str, number: int) -> None:
    found = fails("CW-J075", text)
    assert found.message.startswith(f"{number} pods have all accelerators of a node each")


def test_some_of_the_pods_have_interfaces() -> None:
    roles = {
        "Master": {"template": {"spec": pod()}},
        "Worker": {"replicas": 3, "template": {"spec": pod(GPUS)}},
    }
    found = fails("CW-J075", manifest("PyTorchJob", {"pytorchReplicaSpecs": roles}))
    assert found.message.startswith("3 of 4 pods with all accelerators of a node each request")


def test_roles_with_one_alias() -> None:
    text = f"""kind: PyTorchJob
spec:
  pytorchReplicaSpecs:
    Master: {{replicas: 1, template: &t {{spec: {json.dumps(pod(GPUS))}}}}}
    Worker: {{replicas: 7, template: *t}}
"""
    assert fails("CW-J075", text).message.startswith("8 pods")


def test_pods_of_nested_numbers() -> None:
    job = {"parallelism": 2, "template": {"spec": pod(GPUS)}}
    jobs = [{"replicas": 4, "template": {"spec": job}}]
    text = json.dumps({"kind": "JobSet", "spec": {"replicatedJobs": jobs}})
    assert fails("CW-J075", text).message.startswith("8 pods")
