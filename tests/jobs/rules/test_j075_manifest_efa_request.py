"""CW-J075: Pods that train on several nodes with EFA request its interfaces."""

from __future__ import annotations

import json

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


def test_pods_of_nested_numbers() -> None:
    job = {"parallelism": 2, "template": {"spec": pod(GPUS)}}
    jobs = [{"replicas": 4, "template": {"spec": job}}]
    text = json.dumps({"kind": "JobSet", "spec": {"replicatedJobs": jobs}})
    assert fails("CW-J075", text).message.startswith("8 pods")
