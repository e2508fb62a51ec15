"""Root volumes of nodes that are instances of the account."""

from __future__ import annotations

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path


def root_volume(cluster: Cluster, group: ComputeGroup) -> tuple[Path, int | None] | None:
    """Return the key of the capacity of a group's root volumes, and the capacity in GiB.

    Without a capacity, a volume has that of the image. The result is None where the spec has no
    such key: on HyperPod, whose volumes are in its own account, and for login nodes of
    ParallelCluster.
    """
    if cluster.traits.managed_node_groups:
        return ("kubernetes", "node_volume_gib"), cluster.kubernetes.node_volume_gib
    if "pcs" in cluster.traits.sections:
        return ("pcs", "root_volume_gib"), cluster.pcs.root_volume_gib
    ours = cluster.parallelcluster
    if "parallelcluster" in cluster.traits.sections and group.role == "controller":
        return ("parallelcluster", "head_node_root_volume_gib"), ours.head_node_root_volume_gib
    if "parallelcluster" in cluster.traits.sections and group.role == "compute":
        return ("parallelcluster", "root_volume_gib"), ours.root_volume_gib
    return None
