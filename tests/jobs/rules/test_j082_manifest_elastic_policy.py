"""CW-J082: An elastic job has workers, as many as its policy allows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job


def elastic(policy: dict[str, Any], replicas: Any = 2, role: str = "Worker") -> str:
    """A PyTorchJob with an elastic policy."""
    job = json.loads(pytorch_job(pod(), replicas))
    specs = job["spec"]["pytorchReplicaSpecs"]
    job["spec"]["pytorchReplicaSpecs"] = {role: specs["Worker"]}
    job["spec"]["elasticPolicy"] = {"rdzvBackend": "c10d", **policy}
    return json.dumps(job)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (elastic({"minReplicas": 1}, 1, "Master"), "the job has an elastic policy and no Worker"),
        (elastic({"minReplicas": 4, "maxReplicas": 2}), "maxReplicas is 2, and minReplicas 4"),
        (elastic({}, 0), "the job has an elastic policy and 0 workers"),
        (elastic({}, -1), "the job has an elastic policy and -1 workers"),
        (elastic({"minReplicas": -1}), "minReplicas is -1, and torchrun needs"),
        (elastic({"minReplicas": 0, "maxReplicas": 2}), "minReplicas is 0, and torchrun needs"),
        (
            elastic({"minReplicas": 4, "maxReplicas": 8}),
            "the job has 2 workers, and minReplicas is 4",
        ),
        (
            elastic({"minReplicas": 1, "maxReplicas": 1}),
            "the job has 2 workers, and maxReplicas is 1",
        ),
        (elastic({"maxReplicas": 4}), "the job has 2 workers, and minReplicas is 4"),
    ],
)
def test_policies_that_no_job_can_have(text: str, message: str) -> None:
    assert fails("CW-J082", text).message.startswith(message)


def test_an_elastic_job_of_workers() -> None:
    passes("CW-J082", elastic({"minReplicas": 1, "maxReplicas": 2}))
    passes("CW-J082", elastic({"minReplicas": 4, "maxReplicas": 8, "metrics": [{}]}))
    passes("CW-J082", pytorch_job(pod()))
