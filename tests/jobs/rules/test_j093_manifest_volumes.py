"""CW-J093: Volumes, their classes and claims of one file agree."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import SPEC, fails, in_list, passes, pod, pytorch_job

VOLUME: dict[str, Any] = {
    "capacity": {"storage": "1200Gi"},
    "accessModes": ["ReadWriteMany"],
    "storageClassName": "fsx",
    "csi": {"driver": "fsx.csi.aws.com", "volumeHandle": "fs-0123456789abcdef0"},
}
CLAIM: dict[str, Any] = {
    "accessModes": ["ReadWriteMany"],
    "storageClassName": "fsx",
    "resources": {"requests": {"storage": "1200Gi"}},
    "volumeName": "data",
}
FLOCK = {"mountOptions": ["flock"]}


def _object(kind: str, name: str, metadata: dict[str, Any] | None = None, **content: Any) -> str:
    own = {"name": name, **(metadata or {})}
    found = {"apiVersion": "v1", "kind": kind, "metadata": own, **content}
    return json.dumps(found)


def _job(*claims: str, limits: dict[str, int] | None = None, replicas: int = 2) -> str:
    """A PyTorchJob that mounts claims."""
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
    return pytorch_job({**pod(limits), "volumes": volumes}, replicas)


def storage(volume: dict[str, Any], claim: dict[str, Any], of_class: dict[str, Any]) -> str:
    """A class, a volume, a claim for it, and a job that uses the claim."""
    return in_list(
        _object("StorageClass", "fsx", provisioner="fsx.csi.aws.com", **of_class),
        _object("PersistentVolume", "data", spec={**VOLUME, **volume}),
        _object("PersistentVolumeClaim", "data-claim", spec={**CLAIM, **claim}),
    )


def test_options_of_a_class_are_not_those_of_an_existing_volume() -> None:
    found = fails("CW-J093", storage({}, {}, FLOCK))
    assert found.severity == "warning"
    assert found.hint == "mountOptions: [flock] in `spec` of the PersistentVolume"
    passes("CW-J093", storage(FLOCK, {}, FLOCK))


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"storageClassName": "gp3"}, "the claim has the class gp3, and its volume fsx"),
        ({"storageClassName": ""}, "the claim has the class (none), and its volume fsx"),
        ({"accessModes": ["ReadWriteOnce"]}, "the claim asks for ReadWriteOnce"),
        ({"resources": {"requests": {"storage": "2400Gi"}}}, "the claim asks for 2400Gi"),
    ],
)
def test_a_claim_that_its_volume_does_not_meet(claim: dict[str, Any], message: str) -> None:
    found = fails("CW-J093", storage({}, claim, {}))
    assert found.message.startswith(message)
    assert found.severity == "error"


def test_a_claim_without_a_class() -> None:
    found = fails("CW-J093", storage({}, {"storageClassName": None}, {}))
    assert (found.severity, found.hint) == ("warning", "storageClassName: fsx")


def test_a_claim_whose_name_is_misspelt() -> None:
    def job(claim: str) -> str:
        return in_list(_job(claim), _object("PersistentVolumeClaim", "data-claim", spec=CLAIM))

    found = fails("CW-J093", job("data-clam"))
    assert (found.severity, found.hint) == ("warning", "did you mean `data-claim`?")
    passes("CW-J093", job("data-claim"))
    passes("CW-J093", job("fsx-of-another-file"))


@pytest.mark.parametrize(
    ("used", "own"),
    [
        (["efs"], "fsx"),
        (["efs"], "nfs"),
        (["fsx2"], "fsx"),
        (["data-2"], "data-1"),
        (["models-b"], "models-a"),
        (["training-data", "training-date"], "training-data"),
        (["lustre-data"], "lustre-date"),
    ],
)
def test_claims_whose_names_differ_by_design(used: list[str], own: str) -> None:
    """Short words and numbers tell claims apart, a used claim is meant, one is the spec's."""
    lustre = {"name": "data", "mount_path": "/fsx", "capacity_gib": 4800}
    spec = {**SPEC, "storage": {"lustre": [{**lustre, "throughput_mbps_per_tib": 250}]}}
    text = in_list(_job(*used), _object("PersistentVolumeClaim", own, spec=CLAIM))
    passes("CW-J093", text, spec)


@pytest.mark.parametrize(
    ("reference", "reserved"),
    [
        ({"name": "data-claim", "namespace": "team"}, True),
        ({"name": "data-claim", "namespace": "other"}, False),
        ({"name": "another", "namespace": "team"}, False),
    ],
)
def test_a_volume_that_is_reserved_for_the_claim(
    reference: dict[str, str], reserved: bool
) -> None:
    """Kubernetes binds the two without a comparison."""
    requests = {"requests": {"storage": "2400Gi"}}
    spec = {**CLAIM, "storageClassName": "", "accessModes": ["ReadWriteOnce"]}
    text = in_list(
        _object("PersistentVolume", "data", spec={**VOLUME, "claimRef": reference}),
        _object(
            "PersistentVolumeClaim",
            "data-claim",
            {"namespace": "team"},
            spec={**spec, "resources": requests},
        ),
    )
    if reserved:
        passes("CW-J093", text)
    else:
        fails("CW-J093", text)


def test_a_class_by_annotation() -> None:
    def text(name: str) -> str:
        own = {"annotations": {"volume.beta.kubernetes.io/storage-class": name}}
        volume = {key: value for key, value in VOLUME.items() if key != "storageClassName"}
        return in_list(
            _object("PersistentVolume", "data", own, spec=volume),
            _object("PersistentVolumeClaim", "data-claim", spec=CLAIM),
        )

    passes("CW-J093", text("fsx"))
    found = fails("CW-J093", text("slow"))
    assert found.message == "the claim has the class fsx, and its volume slow"


def test_volumes_and_claims_that_agree() -> None:
    passes("CW-J093", storage({}, {}, {}))
    passes("CW-J093", storage({"storageClassName": ""}, {"storageClassName": ""}, FLOCK))


def one_node(mode: str, *more: str, job: str = "", **metadata: str) -> str:
    """A claim with an access mode, and a job on two whole nodes, or another one."""
    claim = {**CLAIM, "accessModes": [mode]}
    own = _object("PersistentVolumeClaim", "data-claim", metadata, spec=claim)
    return in_list(job or _job("data-claim"), own, *more)


def test_a_claim_for_one_node_of_a_training_on_two() -> None:
    found = fails("CW-J093", one_node("ReadWriteOnce"))
    assert found.message.endswith("for one node (ReadWriteOnce), and the training has 2 pods")
    passes("CW-J093", one_node("ReadWriteMany"))
    passes("CW-J093", one_node("ReadWriteOnce", job=_job("data-claim", replicas=1)))


def test_a_claim_of_another_namespace_is_another_one() -> None:
    passes("CW-J093", one_node("ReadWriteOnce", namespace="other"))


def test_a_claim_for_one_node_that_takes_all_pods() -> None:
    small = _job("data-claim", limits={"nvidia.com/gpu": 1})
    passes("CW-J093", one_node("ReadWriteOnce", job=small))
    found = fails("CW-J093", one_node("ReadWriteOncePod", job=small))
    assert found.message.endswith("for one pod (ReadWriteOncePod), and the training has 2 pods")
    fails(
        "CW-J093", one_node("ReadWriteOnce", job=_job("data-claim", limits={"nvidia.com/gpu": 5}))
    )


def test_a_claim_that_only_the_master_has() -> None:
    job = json.loads(_job("data-claim", replicas=1))
    replicas = job["spec"]["pytorchReplicaSpecs"]
    replicas["Master"] = replicas["Worker"]
    replicas["Worker"] = {"replicas": 3, "template": {"spec": pod()}}
    passes("CW-J093", one_node("ReadWriteOnce", job=json.dumps(job)))
