"""CW-J093: Volumes, their classes and claims of one file agree."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import fails, in_list, passes, pod, pytorch_job

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


def _object(kind: str, name: str, **content: Any) -> str:
    found = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **content}
    return json.dumps(found)


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
        volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
        own = pytorch_job({**pod(), "volumes": volumes})
        return in_list(own, _object("PersistentVolumeClaim", "data-claim", spec=CLAIM))

    found = fails("CW-J093", job("data-clam"))
    assert (found.severity, found.hint) == ("warning", "did you mean `data-claim`?")
    passes("CW-J093", job("data-claim"))
    passes("CW-J093", job("fsx-of-another-file"))


def test_volumes_and_claims_that_agree() -> None:
    passes("CW-J093", storage({}, {}, {}))
    passes("CW-J093", storage({"storageClassName": ""}, {"storageClassName": ""}, FLOCK))


def test_a_claim_for_one_node_of_a_training_on_two() -> None:
    def job(mode: str, replicas: int = 2) -> str:
        volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data-claim"}}]
        claim = {**CLAIM, "accessModes": [mode]}
        own = pytorch_job({**pod(), "volumes": volumes}, replicas)
        return in_list(own, _object("PersistentVolumeClaim", "data-claim", spec=claim))

    found = fails("CW-J093", job("ReadWriteOnce"))
    assert found.message.endswith("for one node (ReadWriteOnce), and the training has 2 pods")
    passes("CW-J093", job("ReadWriteMany"))
    passes("CW-J093", job("ReadWriteOnce", 1))
