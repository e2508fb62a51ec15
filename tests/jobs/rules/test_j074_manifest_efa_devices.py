"""CW-J074: EFA devices come from the device plug-in only."""

from __future__ import annotations

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job


def test_folder_of_the_node() -> None:
    volumes = [{"name": "ib", "hostPath": {"path": "/dev/infiniband"}}]
    found = fails("CW-J074", pytorch_job(pod(volumes=volumes)))
    assert found.position is not None
    assert "/dev/infiniband" in found.position.source_line
    # A monitor of all adapters.
    passes("CW-J074", pytorch_job(pod({}, volumes=volumes)))


def test_other_volumes() -> None:
    passes("CW-J074", pytorch_job(pod()))
    volumes = [{"name": "data", "hostPath": {"path": "/mnt/k8s-disks"}}]
    passes("CW-J074", pytorch_job(pod(volumes=volumes)))
