"""File systems of the spec as `SharedStorage`: by id; ParallelCluster creates none."""

from __future__ import annotations

from typing import Any

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.platforms.parallelcluster.supplied import Supplied

HOME = "home"
"""Name of the entry of home directories."""


def mounted_by_parallelcluster(file_system: Lustre) -> bool:
    """Return whether it is in `SharedStorage`; the node program mounts the others.

    ParallelCluster mounts before any node script runs, and over TCP. A mount keeps the network
    with which it was created: for EFA, LNet has its EFA interfaces first
    (`lifecycle_scripts/clusterwright_node/steps/lnet_efa.py`).
    """
    return not file_system.efa


def shared_storage(cluster: Cluster, supplied: Supplied) -> list[dict[str, Any]]:
    """Return Lustre by FileSystemId and OpenZFS by VolumeId.

    File systems of ParallelCluster have neither EFA nor metadata settings (issue 7616) and
    are deleted with the cluster by default. Raises KeyError for a file system without an id.
    """
    found: list[dict[str, Any]] = []
    home = cluster.storage.home
    if home is not None:
        volume = home.existing.volume_id if home.existing is not None else supplied.home_volume_id
        if volume is None:
            raise KeyError("the volume id of the home directories is not supplied")
        found.append(
            {
                "Name": HOME,
                "StorageType": "FsxOpenZfs",
                "MountDir": home.mount_path,
                "FsxOpenZfsSettings": {"VolumeId": volume},
            }
        )
    for fs in filter(mounted_by_parallelcluster, cluster.storage.lustre):
        name = str(fs.name)
        identifier = fs.existing.id if fs.existing is not None else supplied.lustre_ids[name]
        found.append(
            {
                "Name": name,
                "StorageType": "FsxLustre",
                "MountDir": fs.mount_path,
                "FsxLustreSettings": {"FileSystemId": identifier},
            }
        )
    return found
