"""CW-J083: The operator of a job accepts it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job

POD = {"spec": pod()}
LONG = "a-name-that-is-much-longer-than-what-a-cluster-of-ray-has-room-for"


def ray(kind: str = "RayJob", name: str = "train", **spec: Any) -> str:
    cluster = {
        "headGroupSpec": {"rayStartParams": {}, "template": POD},
        "workerGroupSpecs": spec.pop("groups", []),
    }
    labels = {"kueue.x-k8s.io/queue-name": "jobs"} if spec.pop("queued", False) else {}
    inner = spec if kind == "RayJob" else {}
    whole = {**inner, "rayClusterSpec": cluster} if kind == "RayJob" else cluster
    metadata = {"name": name, "labels": labels}
    return json.dumps(
        {"apiVersion": "ray.io/v1", "kind": kind, "metadata": metadata, "spec": whole}
    )


def group(**more: Any) -> dict[str, Any]:
    return {"groupName": "gpu", "rayStartParams": {}, "template": POD, **more}


def job_set(name: str = "train", replicas: int = 1, **spec: Any) -> str:
    job = {"name": "w", "replicas": replicas, "template": {"spec": {"template": POD}}}
    return json.dumps(
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": name},
            "spec": {"replicatedJobs": [job], **spec},
        }
    )


def pytorch(roles: dict[str, dict[str, Any]], **spec: Any) -> str:
    job = json.loads(pytorch_job(pod()))
    replicas = {role: {"template": POD, **more} for role, more in roles.items()}
    job["spec"] = {"pytorchReplicaSpecs": replicas, **spec}
    return json.dumps(job)


def mpi(name: str = "train", **roles: dict[str, Any]) -> str:
    replicas = {role: {"template": POD, **more} for role, more in roles.items()}
    return json.dumps(
        {
            "apiVersion": "kubeflow.org/v2beta1",
            "kind": "MPIJob",
            "metadata": {"name": name},
            "spec": {"mpiReplicaSpecs": replicas},
        }
    )


def volcano(*tasks: dict[str, Any], **spec: Any) -> str:
    whole = {"tasks": [{"template": POD, **task} for task in tasks], **spec}
    return json.dumps(
        {
            "apiVersion": "batch.volcano.sh/v1alpha1",
            "kind": "Job",
            "metadata": {"name": "train"},
            "spec": whole,
        }
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (pytorch({"Master": {"replicas": 2}}), "the job has 2 masters"),
        (pytorch({"Master": {"replicas": 1}, "Worker": {"replicas": 0}}), "the job has 0 workers"),
        (pytorch({"Chief": {}}), "a PyTorchJob has no Chief"),
        (
            pytorch({"Worker": {}}, nprocPerNode="8", elasticPolicy={"nProcPerNode": 8}),
            "nProcPerNode of the elastic policy is not used with nprocPerNode",
        ),
        (
            pytorch({"Worker": {"template": {"spec": {"containers": [{"name": "pytorch1"}]}}}}),
            "no container of Worker has the name pytorch",
        ),
        (pytorch_job(pod(), name="Train"), "the name Train is no DNS label"),
        (mpi(Worker={"replicas": 2}), "the job has no Launcher"),
        (mpi(Launcher={"replicas": 2}), "the job has 2 launchers"),
        (mpi(Launcher={}, Worker={"replicas": 0}), "the job has 0 workers"),
        (
            mpi(LONG, Launcher={}, Worker={"replicas": 9}),
            f"the last worker's name {LONG}-worker-8",
        ),
        (job_set(LONG), f"names of pods and jobs like {LONG}-w-0"),
        (
            job_set(coordinator={"replicatedJob": "leader"}),
            "the coordinator is in no replicated job: leader",
        ),
        (
            job_set(coordinator={"replicatedJob": "w", "jobIndex": 1}),
            "the coordinator has the index 1 of 1 jobs",
        ),
        (
            job_set(LONG[:40], coordinator={"replicatedJob": "w"}),
            f"the coordinator's label {LONG[:40]}-w-0-0.{LONG[:40]} has 87 characters",
        ),
        (
            job_set(successPolicy={"operator": "All", "targetReplicatedJobs": ["x"]}),
            "the success policy names no replicated job: x",
        ),
        (ray(ttlSecondsAfterFinished=10), "ttlSecondsAfterFinished has no effect, or is refused"),
        (ray(suspend=True), "a RayJob whose cluster stays is not suspended"),
        (ray(queued=True), "Kueue refuses a RayJob whose cluster stays after the job"),
        (ray(name=LONG), f"the name {LONG} has 66 characters, and at most 47 fit"),
        (ray("RayCluster", LONG), f"the name {LONG} has 66 characters, and at most 53 fit"),
        (
            ray("RayCluster", groups=[group(minReplicas=3, maxReplicas=2)]),
            "minReplicas is 3, and maxReplicas 2",
        ),
        (
            ray("RayCluster", groups=[group(rayStartParams={"resources": '{"a": 1}'})]),
            "the shell of `ray start` removes the quotes of resources",
        ),
        (
            volcano({"name": "a", "replicas": 2}, minAvailable=3),
            "minAvailable is 3, and the tasks",
        ),
        (
            volcano({"name": "a", "replicas": 2, "minAvailable": 3}),
            "minAvailable is 3, and the task",
        ),
        (volcano({"name": "a"}, {"name": "a"}), "two tasks have the name a"),
    ],
)
def test_objects_that_the_operator_refuses(text: str, message: str) -> None:
    assert fails("CW-J083", text).message.startswith(message)


@pytest.mark.parametrize(
    "text",
    [
        pytorch_job(pod()),
        pytorch_job(pod(), name="${NAME}"),
        pytorch({"Master": {"replicas": 1}, "Worker": {"replicas": 3}}),
        mpi(Launcher={"replicas": 1}, Worker={"replicas": 2}),
        job_set(coordinator={"replicatedJob": "w"}),
        ray(shutdownAfterJobFinishes=True, ttlSecondsAfterFinished=10, queued=True),
        ray("RayCluster", groups=[group(rayStartParams={"resources": '"{\\"a\\": 1}"'})]),
        volcano({"name": "a", "replicas": 2}, {"name": "b"}, minAvailable=3),
    ],
)
def test_objects_that_the_operator_accepts(text: str) -> None:
    passes("CW-J083", text)
