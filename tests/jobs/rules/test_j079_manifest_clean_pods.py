"""CW-J079: Jobs that have ended leave no running pods behind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import WHOLE, fails, passes, pod, pytorch_job


@pytest.mark.parametrize("policy", [None, "None"])
def test_pods_that_are_kept(policy: str | None) -> None:
    text = job(policy)
    found = fails("CW-J079", text)
    assert found.message == (
        "after one pod has failed the others go on, and keep their accelerators: the default of a "
        "PyTorchJob is to delete none"
    )
    found = fails("CW-J079", text.replace("PyTorchJob", "MPIJob"))
    assert "the default of an MPIJob is" in found.message


@pytest.mark.parametrize("policy", ["Running", "All", "$POLICY"])
def test_pods_that_are_deleted(policy: str) -> None:
    passes("CW-J079", job(policy))


@pytest.mark.parametrize("policy", ["Running", "All"])
def test_the_field_of_the_first_version_of_mpi_jobs(policy: str) -> None:
    """kubeflow.org/v1 has it beside runPolicy; for v2beta1 it is no field."""
    document = json.loads(job(None).replace("PyTorchJob", "MPIJob"))
    document["spec"]["cleanPodPolicy"] = policy
    passes("CW-J079", json.dumps(document))
    fails("CW-J079", json.dumps(document).replace(f'"{policy}"', '"None"'))
    fails("CW-J079", json.dumps(document).replace("kubeflow.org/v1", "kubeflow.org/v2beta1"))
    fails("CW-J079", json.dumps(document).replace("MPIJob", "PyTorchJob"))


def test_one_pod_other_kinds_and_pods_without_accelerators() -> None:
    passes("CW-J079", job(None, replicas=1))
    passes("CW-J079", job(None).replace("PyTorchJob", "TFJob"))
    passes("CW-J079", job(None, limits=dict.fromkeys(WHOLE, 0)))


def job(policy: str | None, replicas: int = 2, limits: dict[str, Any] | None = None) -> str:
    """A PyTorchJob with a policy, or without one."""
    document = json.loads(pytorch_job(pod(limits), replicas))
    document["spec"]["runPolicy"] = {"cleanPodPolicy": policy} if policy else {}
    return json.dumps(document)
