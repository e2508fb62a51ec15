"""CW-J077: Objects have the fields and the types of values that Kubernetes knows."""

from __future__ import annotations

import pytest

from tests.jobs.made_manifests import check, fails, passes, pod, pytorch_job

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {{name: train, labels: {{run: "7"}}}}
spec:
  {0}
  template:
    spec:
      restartPolicy: Never
      {1}
      containers:
        - name: main
          image: registry/train:1
          {2}
"""


@pytest.mark.parametrize(
    ("places", "message", "hint"),
    [
        (("", "imagePullPolicy: Always", ""), "PodSpec has no field imagePullPolicy", "Container"),
        (("restartPolicy: Never", "", ""), "JobSpec has no field restartPolicy", "PodSpec has it"),
        (("", "", "nodeSelector: {a: b}"), "Container has no field nodeSelector", "PodSpec has"),
        (("", "", "volumemounts: []"), "Container has no field volumemounts", "`volumeMounts`"),
        (("", "", "gpus: 8"), "Container has no field gpus", None),
        (
            ("", "", "env: [{name: NCCL_DEBUG_SUBSYS, value: 1}]"),
            "value: expected a string, got the number 1",
            'in quotes: value: "1"',
        ),
        (
            ("", "", "env: [{name: A, value: yes}]"),
            "value: expected a string, got the boolean yes",
            'in quotes: value: "yes"',
        ),
        (
            ("", "nodeSelector: {nvidia.com/gpu.present: true}", ""),
            "nvidia.com/gpu.present: expected a string, got the boolean true",
            "in quotes",
        ),
        (
            ('backoffLimit: "3"', "", ""),
            "backoffLimit: expected an integer, got the string 3",
            "without quotes: backoffLimit: 3",
        ),
        (("", 'hostNetwork: "true"', ""), "hostNetwork: expected a boolean, got", "without"),
        (("", "", "command: python train.py"), "command: expected a list", None),
        (
            ("", "", "args: [--nodes, 4]"),
            "args: expected a string, got the number 4",
            'in quotes: "4"',
        ),
        (
            ('backoffLimit: "__LIMIT__"', "", ""),
            "backoffLimit: expected an integer, got the string __LIMIT__",
            None,
        ),
        (("", 'hostNetwork: "__HOST__"', ""), "hostNetwork: expected a boolean, got", None),
        (
            ('backoffLimit: "1.5"', "", ""),
            "backoffLimit: expected an integer, got the string 1.5",
            None,
        ),
        (("", "", "resources: [a]"), "resources: expected a mapping", None),
        (("", "", "env: [{value: a}]"), "EnvVar lacks the required field name", None),
    ],
)
def test_what_an_api_server_refuses(
    places: tuple[str, str, str], message: str, hint: str | None
) -> None:
    found = fails("CW-J077", JOB.format(*places))
    assert found.message.startswith(message)
    assert (found.hint is None) is (hint is None)
    assert hint is None or hint in (found.hint or "")


@pytest.mark.parametrize(
    "places",
    [
        ("backoffLimit: 3", "hostNetwork: true", 'env: [{name: A, value: "1"}]'),
        ("backoffLimit: $LIMIT", "", "env: [{name: A, value: $VALUE}]"),
        ("", "volumes: [{name: a, emptyDir: {sizeLimit: 64Gi}}]", "resources: {limits: {cpu: 8}}"),
        ("", "", 'resources: {limits: {cpu: "8", memory: 1.5Gi}}'),
        ("", "", "livenessProbe: {httpGet: {port: 80}}"),
        ("", "", "livenessProbe: {httpGet: {port: http}}"),
        ("", "nodeSelector: null", "args: [--date, 2026-11-29]"),
    ],
)
def test_what_it_accepts(places: tuple[str, str, str]) -> None:
    passes("CW-J077", JOB.format(*places))


def test_pods_of_training_jobs_and_of_kinds_that_are_not_known() -> None:
    wrong = pod(imagePullPolicy="Always")
    assert fails("CW-J077", pytorch_job(wrong)).message.startswith("PodSpec has no field")
    passes("CW-J077", pytorch_job(pod()))
    passes("CW-J077", pytorch_job(wrong).replace("PyTorchJob", "Workflow"))


def test_a_patch_of_kustomize_is_incomplete() -> None:
    patch = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager}
spec: {template: {spec: {containers: [{name: manager, args: [--config=a]}]}}}
"""
    passes("CW-J077", patch)
    fails("CW-J077", patch.replace("args", "arg"))


def test_a_merged_value_is_reported_once() -> None:
    text = """
x-env: &env [{name: A, value: 1}]
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
    - {name: one, env: *env}
    - {name: two, env: *env}
"""
    found = [f.message for f in check(text).findings if f.rule == "CW-J077"]
    assert sorted(found) == [
        "Pod has no field x-env",
        "value: expected a string, got the number 1",
    ]


CUSTOM = """
apiVersion: {0}
kind: {1}
metadata: {{name: train}}
spec: {{{2}}}
"""


@pytest.mark.parametrize(
    ("api", "kind", "spec", "message"),
    [
        (
            "kubeflow.org/v1",
            "PyTorchJob",
            "pytorchReplicaSpecs: {Worker: {replicas: 1, runtimeClassName: nvidia}}",
            "pytorchReplicaSpecs has no field runtimeClassName",
        ),
        (
            "kubeflow.org/v1",
            "PyTorchJob",
            "nprocPerNode: 8",
            "nprocPerNode: expected a string, got the number 8",
        ),
        (
            "kubeflow.org/v2beta1",
            "MPIJob",
            "slotsPerWorkers: 8",
            "MPIJobSpec has no field slotsPerWorkers",
        ),
        (
            "jobset.x-k8s.io/v1alpha2",
            "JobSet",
            "replicatedJobs: [{name: w, parallelism: 2}]",
            "replicatedJobs has no field parallelism",
        ),
        (
            "ray.io/v1",
            "RayJob",
            'shutdownAfterJobFinishes: "true"',
            "shutdownAfterJobFinishes: expected a boolean, got the string true",
        ),
        (
            "kubeflow.org/v1",
            "TFJob",
            "cleanPodPolicy: None",
            "TFJobSpec has no field cleanPodPolicy",
        ),
        (
            "kubeflow.org/v1",
            "MPIJob",
            'slotsPerWorker: "8"',
            "slotsPerWorker: expected an integer, got the string 8",
        ),
        (
            "kubeflow.org/v1",
            "JAXJob",
            "jaxReplicaSpecs: {Worker: {replica: 2}}",
            "jaxReplicaSpecs has no field replica",
        ),
        (
            "sagemaker.amazonaws.com/v1",
            "HyperPodPyTorchJob",
            "runPolicy: {maxFullJobRestarts: 3}",
            "runPolicy has no field maxFullJobRestarts",
        ),
        (
            "batch.volcano.sh/v1alpha1",
            "Job",
            "tasks: [{replica: 2}]",
            "tasks has no field replica",
        ),
        (
            "kueue.x-k8s.io/v1beta1",
            "LocalQueue",
            "clusterqueue: jobs",
            "LocalQueueSpec has no field clusterqueue",
        ),
    ],
)
def test_fields_of_custom_resources(api: str, kind: str, spec: str, message: str) -> None:
    assert fails("CW-J077", CUSTOM.format(api, kind, spec)).message == message


def test_custom_resources_whose_fields_are_not_known() -> None:
    passes("CW-J077", CUSTOM.format("example.org/v1alpha9", "PyTorchJob", "anything: 1"))
    passes("CW-J077", CUSTOM.format("ray.io/v1", "RayJob", "ttlSecondsAfterFinished: RAY_TTL"))
    passes("CW-J077", CUSTOM.format("kubeflow.org/v2", "PyTorchJob", "anything: 1"))
    passes("CW-J077", CUSTOM.format("ray.io/v1alpha1", "RayJob", "anything: 1"))


@pytest.mark.parametrize(
    ("api", "kind", "now"),
    [
        ("kubeflow.org/v1beta1", "PyTorchJob", "kubeflow.org/v1"),
        ("extensions/v1beta1", "Deployment", "apps/v1"),
        ("batch/v1beta1", "CronJob", "batch/v1"),
    ],
)
def test_versions_that_are_gone(api: str, kind: str, now: str) -> None:
    found = fails("CW-J077", CUSTOM.format(api, kind, ""))
    assert (found.message, found.hint) == (f"{api} has no {kind}", f"apiVersion: {now}")


def test_templates_that_are_filled_in() -> None:
    passes("CW-J077", JOB.format("backoffLimit: {{ .Values.limit }}", "", ""))
