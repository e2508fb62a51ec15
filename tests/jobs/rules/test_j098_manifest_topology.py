"""CW-J098: A pod asks for one kind of network topology, where its scheduler reads it."""

from __future__ import annotations

import json
from typing import Any

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job

REQUIRED = "kueue.x-k8s.io/podset-required-topology"
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
BLOCK = "topology.k8s.aws/network-node-layer-2"
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"


def job(*annotations: str) -> str:
    """A PyTorchJob whose pods have annotations."""
    found = json.loads(pytorch_job(pod()))
    template = found["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    template["metadata"] = {"annotations": dict.fromkeys(annotations, BLOCK)}
    return json.dumps(found, indent=1)


def test_two_annotations_of_the_same_pod() -> None:
    found = fails("CW-J098", job(REQUIRED, PREFERRED))
    assert found.message == f"{REQUIRED} and preferred-topology exclude each other"
    passes("CW-J098", job(REQUIRED))


def test_an_annotation_of_the_object_is_not_read() -> None:
    found = fails("CW-J098", pytorch_job(pod(), annotations={REQUIRED: BLOCK}))
    assert found.severity == "warning"


def test_exclusive_placement_is_an_annotation_of_the_set() -> None:
    def job_set(of_set: bool) -> str:
        mark: dict[str, Any] = {"annotations": {EXCLUSIVE: "topology.kubernetes.io/zone"}}
        template = {"spec": pod(), "metadata": {} if of_set else mark}
        one = {"name": "workers", "template": {"spec": {"template": template}}}
        metadata = {"name": "train", **(mark if of_set else {})}
        named = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata}
        return json.dumps({**named, "spec": {"replicatedJobs": [one]}}, indent=1)

    assert "not of its pods" in fails("CW-J098", job_set(of_set=False)).message
    passes("CW-J098", job_set(of_set=True))
