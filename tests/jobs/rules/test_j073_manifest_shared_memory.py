"""CW-J073: Pods that train have more shared memory than 64 MiB."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import MEMORY, fails, passes, pod, pytorch_job


def bare(gpus: int, **more: Any) -> dict[str, Any]:
    """A pod without mounts."""
    found = pod({"nvidia.com/gpu": gpus}, **more)
    del found["containers"][0]["volumeMounts"]
    return found


def ray(kind: str, spec: dict[str, Any]) -> str:
    """Workers of Ray."""
    group = {"groupName": "gpu", "replicas": 2, "template": {"spec": spec}}
    return json.dumps({"kind": kind, "spec": {"workerGroupSpecs": [group]}})


@pytest.mark.parametrize("gpus", [1, 8])
def test_no_volume(gpus: int) -> None:
    found = fails("CW-J073", pytorch_job(bare(gpus)))
    assert (found.severity, found.hint is not None) == ("warning", True)
    # A volume that no container mounts.
    fails("CW-J073", pytorch_job(bare(gpus, **MEMORY)))
    fails("CW-J073", json.dumps({"kind": "Job", "spec": {"template": {"spec": bare(8)}}}))


def test_shared_memory() -> None:
    passes("CW-J073", pytorch_job(pod()))
    passes("CW-J073", pytorch_job(bare(8, hostIPC=True)))
    passes("CW-J073", json.dumps({"kind": "Job", "spec": {"template": {"spec": bare(1)}}}))
    passes("CW-J073", json.dumps({"kind": "Pod", "spec": bare(0)}))


@pytest.mark.parametrize("kind", ["RayCluster", "RayJob", "RayService"])
def test_kuberay_mounts_memory_in_the_first_container(kind: str) -> None:
    passes("CW-J073", ray(kind, bare(8)))
    second = bare(8)
    second["containers"].insert(0, {"name": "ray", "image": "ray"})
    fails("CW-J073", ray(kind, second))


def test_gpus_of_init_containers_only() -> None:
    tests = bare(8)["containers"]
    passes("CW-J073", pytorch_job(bare(0, initContainers=tests)))
