"""CW-J084: The processes of a job's pods fit its slots and the pods' accelerators."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import WHOLE, fails, passes, pod, pytorch_job


def mpi(command: list[str], slots: int | None = None, workers: int = 2, **spec: Any) -> str:
    launcher = pod({"cpu": 1})
    launcher["containers"][0]["command"] = command
    return json.dumps(
        {
            "apiVersion": "kubeflow.org/v2beta1",
            "kind": "MPIJob",
            "metadata": {"name": "train"},
            "spec": {
                **({} if slots is None else {"slotsPerWorker": slots}),
                "mpiReplicaSpecs": {
                    "Launcher": {"replicas": 1, "template": {"spec": launcher}},
                    "Worker": {"replicas": workers, "template": {"spec": pod()}},
                },
                **spec,
            },
        }
    )


def pytorch(master: int, worker: int, **spec: Any) -> str:
    job = json.loads(pytorch_job(pod({**WHOLE, "nvidia.com/gpu": worker})))
    job["spec"].update(spec)
    job["spec"]["pytorchReplicaSpecs"]["Master"] = {
        "replicas": 1,
        "template": {"spec": pod({**WHOLE, "nvidia.com/gpu": master})},
    }
    return json.dumps(job)


@pytest.mark.parametrize(
    ("text", "severity", "message"),
    [
        (
            mpi(["mpirun", "-np", "4", "python"]),
            "error",
            "mpirun starts 4 processes, and the workers have 2 slots",
        ),
        (
            mpi(["bash", "-c", "exec mpirun --np 17 python a.py"], 8),
            "error",
            "mpirun starts 17 processes, and the workers have 16 slots",
        ),
        (
            mpi(["mpirun", "python"], 16),
            "warning",
            "slotsPerWorker is 16, and a worker has 8 accelerators",
        ),
        (
            pytorch(1, 2),
            "warning",
            "the pods have different numbers of accelerators (Worker 2 and Master 1)",
        ),
        (
            pytorch(8, 8, nprocPerNode="16"),
            "error",
            "nprocPerNode is 16, and a pod of Worker has 8 accelerators",
        ),
    ],
)
def test_processes_that_do_not_fit(text: str, severity: str, message: str) -> None:
    found = fails("CW-J084", text)
    assert found.severity == severity
    assert found.message.startswith(message)


@pytest.mark.parametrize(
    "text",
    [
        mpi(["mpirun", "-np", "16", "python"], 8),
        mpi(["mpirun", "--oversubscribe", "-np", "99", "python"], 8),
        mpi(["mpirun", "-np", "24", "python"], 8, runLauncherAsWorker=True),
        mpi(["mpirun", "-np", "$(N)", "python"], 8),
        pytorch(8, 8),
        pytorch(1, 2, nprocPerNode="1"),
    ],
)
def test_processes_that_fit(text: str) -> None:
    passes("CW-J084", text)
