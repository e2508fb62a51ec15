"""The cluster's file systems as volumes of every tenant; claims create and delete nothing.

Each namespace has a separate pair of volume and claim, bound to each other: a volume has one
claim. Sources: kubernetes-sigs/aws-fsx-csi-driver,
examples/kubernetes/static_provisioning/specs/pv.yaml, commit 1737a50;
awslabs/mountpoint-s3-csi-driver, docs/CONFIGURATION.md (e70d6db) and
examples/kubernetes/static_provisioning (1591f6f, 39d25e3); Kubernetes, "Persistent Volumes"
(static provisioning, reserving a volume).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.storage import Bucket, Home, Lustre
from clusterwright.platforms.derived_names import bucket_name
from clusterwright.platforms.kubernetes.control_plane import mounted_buckets
from clusterwright.platforms.kubernetes.objects import (
    TENANT_LABEL,
    Manifest,
    manifest,
    object_name,
)
from clusterwright.platforms.kubernetes.tenants import namespace_of, tenants_of

LUSTRE_DRIVER = "fsx.csi.aws.com"
BUCKET_DRIVER = "s3.csi.aws.com"
LUSTRE_OPTIONS = ("flock", "noatime")
HOME_OPTIONS = ("nfsvers=4.2", "nconnect=16", "noatime")
"""Mount options, the same as on the Slurm platforms."""

HOME_ROOT = "/fsx"
"""Where every OpenZFS file system exports its root volume (FSx documentation, mounting)."""

NOMINAL_GIB = 1
"""Size of a volume whose file system is external: Kubernetes only compares it with that of the
claim.
"""


class UnknownVolumeError(Exception):
    """The outputs of the deployment lack the address of a file system."""

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(f"no output {' and no '.join(missing)}")
        self.missing = tuple(missing)


@dataclass(frozen=True)
class Volume:
    """A file system that pods mount."""

    name: str
    """The name of the claim in every namespace."""

    mount_path: str
    is_read_only: bool = False


def volumes_of(cluster: Cluster) -> list[Volume]:
    """Return the claims of each namespace: Lustre, home directories, buckets."""
    storage = cluster.storage
    found = [Volume(object_name("lustre", str(fs.name)), fs.mount_path) for fs in storage.lustre]
    if storage.home is not None:
        found.append(Volume("home", storage.home.mount_path))
    found += [
        Volume(object_name("bucket", bucket.name), str(bucket.mount_path), is_read_only=True)
        for bucket in mounted_buckets(cluster)
    ]
    return found


def storage_manifests(cluster: Cluster, outputs: Mapping[str, str]) -> Iterator[Manifest]:
    """Volumes and claims.

    Parameters
    ----------
    outputs:
        Outputs of all stacks of the deployment: `LustreDnsName`, `LustreMountName`, `HomeDnsName`;
        those of the second file system and later ones end with its number.

    Raises
    ------
    UnknownVolumeError
        A file system is created, and `outputs` does not have it.
    """
    sources = _sources(cluster, outputs)
    for tenant in tenants_of(cluster):
        namespace = namespace_of(cluster, tenant)
        labels = {TENANT_LABEL: tenant.name}
        for volume, (capacity_gib, options, source) in zip(
            volumes_of(cluster), sources, strict=True
        ):
            size = {"storage": f"{capacity_gib}Gi"}
            modes = ["ReadOnlyMany" if volume.is_read_only else "ReadWriteMany"]
            name = object_name(volume.name, namespace)
            yield manifest(
                "v1",
                "PersistentVolume",
                name,
                labels=labels,
                spec={
                    "capacity": size,
                    "volumeMode": "Filesystem",
                    "accessModes": modes,
                    "persistentVolumeReclaimPolicy": "Retain",
                    # No storage class: the default class would create another file system.
                    "storageClassName": "",
                    "mountOptions": list(options),
                    "claimRef": {
                        "apiVersion": "v1",
                        "kind": "PersistentVolumeClaim",
                        "namespace": namespace,
                        "name": volume.name,
                    },
                    **_for(source, namespace),
                },
            )
            yield manifest(
                "v1",
                "PersistentVolumeClaim",
                volume.name,
                namespace=namespace,
                labels=labels,
                spec={
                    "accessModes": modes,
                    "storageClassName": "",
                    "volumeName": name,
                    "resources": {"requests": size},
                },
            )


_Source = tuple[int, tuple[str, ...], dict[str, Any]]


def _sources(cluster: Cluster, outputs: Mapping[str, str]) -> list[_Source]:
    missing: list[str] = []
    found: list[_Source] = []
    for index, file_system in enumerate(cluster.storage.lustre):
        suffix = "" if index == 0 else str(index + 1)
        found.append(_lustre(file_system, suffix, outputs, missing))
    if cluster.storage.home is not None:
        found.append(_home(cluster.storage.home, outputs, missing))
    found += [_bucket(cluster, bucket) for bucket in mounted_buckets(cluster)]
    if missing:
        raise UnknownVolumeError(missing)
    return found


def _lustre(
    file_system: Lustre, suffix: str, outputs: Mapping[str, str], missing: list[str]
) -> _Source:
    existing = file_system.existing
    if existing is not None:
        dns_name, mount_name = existing.dns_name, existing.mount_name
    else:
        dns_name = _output(outputs, f"LustreDnsName{suffix}", missing)
        mount_name = _output(outputs, f"LustreMountName{suffix}", missing)
    source = {
        "csi": {
            "driver": LUSTRE_DRIVER,
            "volumeHandle": f"{dns_name}:{mount_name}",
            "volumeAttributes": {"dnsname": dns_name, "mountname": mount_name},
        }
    }
    return file_system.capacity_gib or NOMINAL_GIB, LUSTRE_OPTIONS, source


def _home(home: Home, outputs: Mapping[str, str], missing: list[str]) -> _Source:
    dns_name = (
        home.existing.dns_name
        if home.existing is not None
        else _output(outputs, "HomeDnsName", missing)
    )
    # Kubernetes mounts NFS without a driver, so none can delete the volume.
    source = {"nfs": {"server": dns_name, "path": HOME_ROOT}}
    return home.capacity_gib or NOMINAL_GIB, HOME_OPTIONS, source


def _bucket(cluster: Cluster, bucket: Bucket) -> _Source:
    name = bucket_name(bucket, cluster)
    source = {
        "csi": {
            "driver": BUCKET_DRIVER,
            "volumeHandle": name,
            "volumeAttributes": {"bucketName": name},
        }
    }
    # The driver cannot read the region from the metadata service; jobs run as other users than the
    # mount.
    return NOMINAL_GIB, ("read-only", "allow-other", f"region {cluster.region}"), source


def _output(outputs: Mapping[str, str], name: str, missing: list[str]) -> str:
    if name not in outputs:
        missing.append(name)
    return outputs.get(name, "")


def _for(source: dict[str, Any], namespace: str) -> dict[str, Any]:
    """Return the handle of a CSI volume, its identity, which is different in each namespace."""
    if "csi" not in source:
        return source
    csi = source["csi"]
    return {"csi": csi | {"volumeHandle": f"{csi['volumeHandle']}:{namespace}"}}
