"""CW-J081: The values of a pod agree with each other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.jobs.made_manifests import MEMORY, MOUNT, WHOLE, fails, passes, pod, pytorch_job


def container(**more: Any) -> dict[str, Any]:
    return pod(containers=[{"name": "main", "image": "a", "volumeMounts": MOUNT, **more}])


def pages(request: Any, limit: Any) -> dict[str, Any]:
    return {
        "requests": {"hugepages-2Mi": request},
        "limits": {"hugepages-2Mi": limit, "memory": "64Gi"},
    }


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (container(volumeMounts=[{"name": "fsx", "mountPath": "/fsx"}]), "no volume fsx"),
        (container(volumeMounts=[*MOUNT, *MOUNT]), "several volumes are mounted at /dev/shm"),
        (
            container(resources={"requests": {"nvidia.com/gpu": 4}, "limits": WHOLE}),
            "the request of nvidia.com/gpu is 4 and its limit 8: they must be equal",
        ),
        (
            container(resources=pages("5120Mi", "5G")),
            "the request of hugepages-2Mi is 5120Mi and its limit 5G: they must be equal",
        ),
        (
            container(imagePullPolicy="always"),
            "imagePullPolicy: expected Always or IfNotPresent or",
        ),
        (pod(volumes=[{"name": "shm", "emptyDir": {"medium": "memory"}}]), "medium: expected Mem"),
        (container(resources={"limits": {"memory": "512GB"}}), "memory: 512GB is no quantity"),
        (
            container(resources={"requests": {"vpc.amazonaws.com/efa": 32}}),
            "vpc.amazonaws.com/efa has a request without a limit of the same amount",
        ),
        (
            container(resources={"limits": {"hugepages-2Mi": "5120Mi"}}),
            "huge pages need a request of cpu or memory beside them",
        ),
        (container(name="Main_1"), "the name Main_1 of a container has at most 63"),
        (pod(volumes=[*MEMORY["volumes"], *MEMORY["volumes"]]), "several volumes have the name"),
    ],
)
def test_values_that_an_api_server_refuses(spec: dict[str, Any], message: str) -> None:
    assert message in fails("CW-J081", pytorch_job(spec)).message


def test_names_of_objects() -> None:
    text = pytorch_job(pod())
    found = fails("CW-J081", text.replace('"train"', '"Train_Job"'))
    assert found.message.startswith("Train_Job is not a name of lower case letters")
    passes("CW-J081", text.replace('"train"', '"train-$USER"'))
    role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: system:a_B}\n"
    passes("CW-J081", role)


@pytest.mark.parametrize(
    "api", ["eksctl.io/v1alpha5", "kustomize.config.k8s.io/v1beta1", "kustomize.config.k8s.io/v1"]
)
def test_names_in_files_of_programs(api: str) -> None:
    """No API server takes these objects."""
    text = "apiVersion: {}\nkind: ClusterConfig\nmetadata: {{name: My_Cluster}}\n"
    passes("CW-J081", text.format(api))
    fails("CW-J081", text.format("example.com/v1"))


def test_a_patch_of_kustomize_is_incomplete() -> None:
    patch = """
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec:
      containers: [{name: train, volumeMounts: [{name: cache, mountPath: /cache}]}]
      volumes: [{$patch: delete, name: old}]
"""
    passes("CW-J081", patch)
    fails("CW-J081", patch.replace("name: train, vol", "name: train, image: a, vol"))


@pytest.mark.parametrize(
    "spec",
    [
        pod(),
        container(volumeMounts=[{"name": "$VOLUME", "mountPath": "/fsx"}]),
        container(resources={"requests": {"cpu": 4}, "limits": {"cpu": 8, **WHOLE}}),
        container(resources={"limits": {"hugepages-2Mi": "5120Mi", "memory": "64Gi"}}),
        container(resources={"requests": {"nvidia.com/gpu": "$N"}, "limits": WHOLE}),
        container(resources=pages("5120Mi", "5Gi")),
        container(resources=pages("512Mi", 536870912)),
        container(resources={"requests": {"nvidia.com/gpu": "8"}, "limits": WHOLE}),
    ],
)
def test_values_that_agree(spec: dict[str, Any]) -> None:
    passes("CW-J081", pytorch_job(spec))


def test_claims_of_a_stateful_set_are_volumes() -> None:
    text = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: a}
spec:
  volumeClaimTemplates: [{metadata: {name: data}}]
  template:
    spec:
      containers: [{name: a, image: b, volumeMounts: [{name: data, mountPath: /data}]}]
"""
    passes("CW-J081", text)
    fails("CW-J081", text.replace("volumeClaimTemplates", "x-claims"))
    passes("CW-J081", text.replace("volumeClaimTemplates", "x-claims").replace("Stateful", "X"))


def test_values_of_labels() -> None:
    found = fails("CW-J081", pytorch_job(pod(), labels={"team": "language models"}))
    assert found.message.startswith("team: language models is no value of a label")
    passes("CW-J081", pytorch_job(pod(), labels={"team": "language-models_7.b", "empty": ""}))


def test_a_variable_that_is_set_twice() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    found = fails("CW-J081", pytorch_job(container(env=env)))
    assert (found.message, found.severity) == ("A is set twice: the last value counts", "warning")


def test_null_is_an_absent_value() -> None:
    made = container(imagePullPolicy=None, terminationMessagePolicy=None)
    passes("CW-J081", pytorch_job({**made, "dnsPolicy": None}, labels={"team": None}))


def test_devices_are_whole() -> None:
    found = fails("CW-J081", pytorch_job(pod({"nvidia.com/gpu": 0.5})))
    assert found.message.startswith("nvidia.com/gpu: 0.5 is not an integer")
    passes("CW-J081", pytorch_job(pod({"nvidia.com/gpu": 1, "cpu": 0.5})))


def test_names_of_objects_in_a_pod() -> None:
    found = fails("CW-J081", pytorch_job(pod(serviceAccountName="Train_SA")))
    assert found.message.startswith("serviceAccountName: Train_SA is not a name")
    passes("CW-J081", pytorch_job(pod(serviceAccountName="train-sa")))
