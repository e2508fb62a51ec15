"""The cluster with every group at its `max_count`."""

from __future__ import annotations

from clusterwright.cluster_spec.models import Cluster


def growing(cluster: Cluster) -> tuple[str, ...]:
    """Names of groups whose `max_count` exceeds `count`, in the order of the spec."""
    return tuple(group.name for group in cluster.compute if (group.max_count or 0) > group.count)


def grown(cluster: Cluster) -> Cluster:
    """The cluster with every group at its `max_count`, if it has one."""
    groups = [
        group.model_copy(update={"count": max(group.count, group.max_count or 0)})
        for group in cluster.compute
    ]
    return cluster.model_copy(update={"compute": groups})
