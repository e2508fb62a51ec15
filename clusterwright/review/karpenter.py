"""Changes to the nodes that Karpenter launches on plain EKS, which no template holds.

Sources: aws/karpenter-provider-aws, documentation of v1.14, concepts/disruption.md: with budgets
of 0 drift replaces no nodes, limits terminate no nodes, and deleting a pool drains its nodes,
which waits for pods with `karpenter.sh/do-not-disrupt`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright.cluster_spec.karpenter import runs_in_cluster, scaled_groups
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.kubernetes.groups import held_taints
from clusterwright.platforms.kubernetes.karpenter import added_nodes
from clusterwright.review.results import NodesChange

APPLY = "once the manifests are applied (`clusterwright render kubernetes`)"


def pool_changes(before: Cluster | None, after: Cluster) -> Iterator[NodesChange]:
    """Changes to the node pools of each group; `before` is None where nothing is deployed.

    None of them ends a job: running nodes do not change until they are empty.
    """
    old = _pools(before) if before is not None else {}
    new = _pools(after)
    for name, pool in old.items():
        if name not in new:
            yield _change(
                pool,
                "removed",
                before=added_nodes(pool),
                after=0,
                message=(
                    "the node pool must be deleted (`kubectl delete nodepool`), which removes "
                    "its nodes "
                    "once they are empty; until then they keep running outside every stack"
                ),
            )
    for name, pool in new.items():
        most = added_nodes(pool)
        if name not in old:
            yield _change(
                pool,
                "added",
                before=0,
                after=most,
                message=f"Karpenter may launch up to {most} of {pool.instance_type}, {APPLY}",
            )
            continue
        # A pool before the change implies a cluster.
        assert before is not None
        yield from _kept(old[name], pool, _launched(before, old[name]), _launched(after, pool))


def _kept(
    old: ComputeGroup, new: ComputeGroup, was: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[NodesChange]:
    before, after = added_nodes(old), added_nodes(new)
    differ = [name for name, value in now.items() if was[name] != value]
    if differ:
        yield _change(
            new,
            "updated",
            before=before,
            after=after,
            message=(
                f"{', '.join(differ)}: nodes launched by Karpenter do not change until they "
                f"are empty, new ones differ, {APPLY}"
            ),
        )
    elif before != after:
        yield _change(
            new,
            "grown" if after > before else "shrunk",
            before=before,
            after=after,
            message=(
                f"Karpenter may launch up to {after} instead of {before}, {APPLY}; running nodes "
                "stay until they are empty"
            ),
        )


def _pools(cluster: Cluster) -> dict[str, ComputeGroup]:
    if not runs_in_cluster(cluster):
        return {}
    return {group.name: group for group in scaled_groups(cluster)}


def _launched(cluster: Cluster, group: ComputeGroup) -> dict[str, Any]:
    """The launch settings of a node, by display name."""
    return {
        "instance type": group.instance_type,
        "image": cluster.image.image_id,
        "zone": cluster.network.availability_zone_id,
        "Kubernetes": cluster.kubernetes.version,
        "capacity": group.capacity,
        "network interface": group.network_interface,
        "placement group": group.placement_group,
        "drives": group.scratch is not None,
        "root volume": cluster.kubernetes.node_volume_gib,
        "key": cluster.identity.kms_key_arn,
        "labels": dict(group.labels),
        "taints": [*group.taints, *held_taints(cluster, group)],
        "tags": dict(cluster.tags),
    }


def _change(
    group: ComputeGroup, change: Any, *, before: int, after: int, message: str
) -> NodesChange:
    return NodesChange(
        group=group.name, change=change, before=before, after=after, jobs="none", message=message
    )
