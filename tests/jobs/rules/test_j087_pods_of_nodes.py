"""CW-J087: The nodes have places for all pods of a job at the same time."""

from __future__ import annotations

import pytest

from tests.jobs.made_manifests import HOPPER, SPEC, SYSTEM, fails, passes, pod, pytorch_job


def test_more_pods_than_nodes() -> None:
    found = fails("CW-J087", pytorch_job(pod(), replicas=9))
    assert found.message == "9 pods with these devices, and the nodes of hopper have places for 8"
    assert (found.severity, found.requested, found.limit) == ("error", 9, 8)


def test_a_deployment_may_wait() -> None:
    text = pytorch_job(pod(), replicas=9).replace("PyTorchJob", "Deployment")
    assert fails("CW-J087", text).severity == "warning"


@pytest.mark.parametrize(("gpus", "replicas"), [(8, 8), (4, 16), (2, 32), (8, "$NODES")])
def test_pods_with_places(gpus: int, replicas: int | str) -> None:
    passes("CW-J087", pytorch_job(pod({"nvidia.com/gpu": gpus}), replicas=replicas))


def test_the_maximum_of_autoscaling_counts() -> None:
    spec = {**SPEC, "compute": [SYSTEM, {**HOPPER, "min_count": 1, "max_count": 9}]}
    passes("CW-J087", pytorch_job(pod(), replicas=9), spec)
