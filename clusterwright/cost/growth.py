"""What the cluster costs when every group has grown to its `max_count`."""

from __future__ import annotations

from clusterwright.cluster_spec.models import Cluster


def growing(cluster: Cluster) -> tuple[str, ...]:
    """Names of the groups that may have more nodes than `count`, in the order of the file."""
    return tuple(group.name for group in cluster.compute if (group.max_count or 0) > group.count)


def grown(cluster: Cluster) -> Cluster:
    """The same cluster with every group at its `max_count`, where it has one."""
    groups = [
        group.model_copy(update={"count": max(group.count, group.max_count or 0)})
        for group in cluster.compute
    ]
    return cluster.model_copy(update={"compute": groups})
