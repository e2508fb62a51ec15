"""Security groups of every node, and their maximum number.

Source of the limit: CreateCluster, VpcConfig.SecurityGroupIds (botocore 1.44.5).
"""

from __future__ import annotations

from clusterwright.cluster_spec.models.cluster import Cluster

MAXIMUM_SECURITY_GROUPS = 5


def network_groups(cluster: Cluster) -> int:
    """Return the most security groups that a node has from its network.

    A created network has one for the nodes, and one more for Slurm's controller.
    """
    if cluster.network.existing is not None:
        return len(cluster.network.existing.security_group_ids)
    return 2 if cluster.uses_slurm else 1


def existing_storage_groups(cluster: Cluster) -> list[str]:
    """Return the security groups of existing file systems, without those of the network.

    Nodes join the file system's group, because its rules are never modified: the traffic that it
    allows among its members (Lustre or NFS) is then allowed for nodes.
    """
    taken = list(cluster.network.existing.security_group_ids) if cluster.network.existing else []
    found: list[str] = []
    home = cluster.storage.home
    file_systems = (
        *(fs.existing for fs in cluster.storage.lustre),
        *([home.existing] if home is not None else []),
    )
    for existing in file_systems:
        if existing is not None and existing.security_group_id not in [*taken, *found]:
            found.append(existing.security_group_id)
    return found
