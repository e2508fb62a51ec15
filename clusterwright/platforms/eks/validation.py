"""What managed node groups take, and what a plain EKS cluster has no counterpart of."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec import karpenter
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path, Problem

LONGEST_NAME = 63
"""Of a label's value, which the group's name becomes (Kubernetes, "Labels and Selectors")."""

MOST_LABELS = 48
"""A node group has 50 (EKS user guide, managed node groups); two are set by us."""


TOLERATED = "CriticalAddonsOnly"
"""The taint that EKS's own add-ons tolerate (EKS user guide, CoreDNS add-on)."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    if cluster.platform != "eks":
        return
    yield from _room_for_addons(cluster)
    for index, group in enumerate(cluster.compute):
        yield from _group(cluster, group, ("compute", index))


def _room_for_addons(cluster: Cluster) -> Iterator[Problem]:
    """DNS and the controllers need a node when the add-ons are installed, or they fail."""
    if not any(_open(group) for group in cluster.compute):
        yield Problem(
            "no group has a node without taints: DNS and the other add-ons could run nowhere",
            ("compute",),
            on_key=True,
            hint="add {name: system, role: system, instance_type: m5.4xlarge, count: 2}",
        )


def _open(group: ComputeGroup) -> bool:
    keeps_away = (
        taint.effect != "PreferNoSchedule" and taint.key != TOLERATED for taint in group.taints
    )
    return group.count > 0 and not any(keeps_away)


def _group(cluster: Cluster, group: ComputeGroup, here: Path) -> Iterator[Problem]:
    if len(group.labels) > MOST_LABELS:
        yield Problem(
            f"{len(group.labels)} labels; a node group has 50, of which two are ours",
            (*here, "labels"),
        )
    if (
        group.capacity.kind == "capacity-block"
        and group.max_count not in (None, group.count)
        # Karpenter launches into what is left of the block, as pods wait.
        and not karpenter.is_scaled(cluster, group)
    ):
        yield Problem(
            "a capacity block has as many instances as were bought: the group cannot grow",
            (*here, "max_count"),
            hint="kubernetes.autoscaling: karpenter launches those of the block beyond `count`",
            other_path=(*here, "capacity", "kind"),
        )
