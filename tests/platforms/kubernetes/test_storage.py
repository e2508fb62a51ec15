"""Read-only buckets in pods; local disks in the pods of jobs."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import SpecErrors
from clusterwright.platforms.kubernetes.jobs import job_manifests
from clusterwright.platforms.kubernetes.storage import UnknownVolumeError, storage_manifests
from tests.platforms.kubernetes import validator
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HYPERPOD, OUTPUTS
from tests.support.rich_specs import changed

BUCKETS = [
    {"name": "acme.corpus", "mount_path": "/s3/corpus"},
    {"name": "acme-shards", "mount_path": "/s3/shards", "directory": True, "create": True},
    {"name": "acme-results"},
]


def of_buckets(spec: dict[str, Any], load: Load, kind: str) -> list[dict[str, Any]]:
    found = [
        m
        for m in storage_manifests(load(spec), OUTPUTS)
        if m["kind"] == kind and "bucket" in m["metadata"]["name"]
    ]
    assert [e for m in found for e in validator.errors(m, "1.35")] == []
    return found


@pytest.mark.parametrize("base", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_every_tenant_has_a_volume_of_each_mounted_bucket(
    load: Load, base: dict[str, Any]
) -> None:
    spec = changed(base, storage__buckets=BUCKETS)
    volumes = of_buckets(spec, load, "PersistentVolume")
    claims = of_buckets(spec, load, "PersistentVolumeClaim")
    assert len(volumes) == len(claims) == 2 * len(EKS["tenants"])
    drivers = {v["spec"]["csi"]["volumeAttributes"]["bucketName"] for v in volumes}
    # A directory bucket's full name has the nodes' zone; the bucket without a path is omitted.
    assert drivers == {"acme.corpus", "acme-shards--use1-az6--x-s3"}
    # A handle that two volumes share is processed once (the driver's documentation).
    assert len({v["spec"]["csi"]["volumeHandle"] for v in volumes}) == len(volumes)
    for volume in volumes:
        body = volume["spec"]
        assert body["csi"]["driver"] == "s3.csi.aws.com"
        assert body["accessModes"] == ["ReadOnlyMany"]
        assert body["persistentVolumeReclaimPolicy"] == "Retain"
        # Pods of jobs cannot use the metadata service, from which the driver would read the
        # region.
        assert body["mountOptions"] == ["read-only", "allow-other", "region us-east-1"]
        [claim] = [
            c
            for c in claims
            if c["metadata"]["name"] == body["claimRef"]["name"]
            and c["metadata"]["namespace"] == body["claimRef"]["namespace"]
        ]
        assert claim["spec"]["volumeName"] == volume["metadata"]["name"]
        assert claim["spec"]["accessModes"] == ["ReadOnlyMany"]


def test_jobs_mount_buckets_read_only_and_file_systems_writable(load: Load) -> None:
    spec = changed(EKS, storage__buckets=BUCKETS)
    job = next(iter(job_manifests(load(spec), load_catalog())))
    pod = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
    read_only = {
        m["mountPath"]: m.get("readOnly", False) for m in pod["containers"][0]["volumeMounts"]
    }
    assert read_only == {
        "/dev/shm": False,
        "/fsx": False,
        "/s3/corpus": True,
        "/s3/shards": True,
    }
    names = {volume["name"] for volume in pod["volumes"]}
    assert {m["name"] for m in pod["containers"][0]["volumeMounts"]} == names


def test_jobs_of_groups_with_scratch_mount_it(load: Load) -> None:
    """An emptyDir: on EKS the kubelet's volumes are on the local disks, and host paths are
    forbidden.
    """
    spec = changed(EKS, compute__1__scratch={"mount_path": "/nvme"})
    for job in job_manifests(load(spec), load_catalog()):
        replicas = job["spec"].get("pytorchReplicaSpecs") or job["spec"]["mpiReplicaSpecs"]
        pod = replicas["Worker"]["template"]["spec"]
        assert {"name": "scratch", "emptyDir": {}} in pod["volumes"]
        assert {"name": "scratch", "mountPath": "/nvme"} in pod["containers"][0]["volumeMounts"]
    for job in job_manifests(load(EKS), load_catalog()):
        assert "scratch" not in str(job)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            changed(EKS, storage__buckets=[{"name": "acme", "mount_path": "/dev/shm"}]),
            "pods of jobs mount their shared memory at this path",
        ),
        (
            changed(EKS, kubernetes__addons=[{"name": "aws-mountpoint-s3-csi-driver"}]),
            "no bucket with a mount_path",
        ),
        (
            changed(
                EKS,
                storage__buckets=BUCKETS,
                kubernetes__addons=[
                    {"name": "aws-mountpoint-s3-csi-driver", "version": "v1.15.0-eksbuild.1"}
                ],
            ),
            "must be version 2.0.0 or later, which supports EKS Pod Identity",
        ),
        (
            changed(EKS, compute__1__scratch={"mount_path": "/fsx"}),
            "overlap",
        ),
    ],
)
def test_unmountable_storage_is_refused(load: Load, spec: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecErrors, match=words):
        load(spec)


def test_unknown_file_system_is_refused(load: Load) -> None:
    with pytest.raises(UnknownVolumeError) as raised:
        list(storage_manifests(load(HYPERPOD), {"LustreDnsName": "a"}))
    assert raised.value.missing == ("LustreMountName", "HomeDnsName")
