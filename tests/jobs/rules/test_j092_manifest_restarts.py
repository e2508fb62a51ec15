"""CW-J092: A job whose pods restart ends after a number of failures, or a time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job


def job(policy: dict[str, Any], restart: str | None = None, spec: Any = None) -> str:
    """A PyTorchJob with a run policy, and a restart policy of its workers."""
    found = json.loads(pytorch_job(spec or pod()))
    found["spec"]["runPolicy"] = policy
    if restart is not None:
        found["spec"]["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] = restart
    return json.dumps(found, indent=1)


@pytest.mark.parametrize("restart", [None, "OnFailure", "Always"])
def test_restarts_without_an_end(restart: str | None) -> None:
    found = fails("CW-J092", job({"cleanPodPolicy": "Running"}, restart))
    assert found.hint == "runPolicy: {backoffLimit: 3}"


def test_restarts_with_an_end_or_none() -> None:
    passes("CW-J092", job({"backoffLimit": 3}, "OnFailure"))
    passes("CW-J092", job({"activeDeadlineSeconds": 3600}))
    passes("CW-J092", job({}, "Never"))
    passes("CW-J092", job({}, spec=pod({"cpu": 1})))
