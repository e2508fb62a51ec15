"""Validation of groups for managed node groups of EKS."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec import karpenter
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.platforms.kubernetes.groups import runs_addons

LONGEST_NAME = 63
"""Maximum length of a label's value, such as the group's name (Kubernetes, "Labels and
Selectors").
"""

MOST_LABELS = 48
"""A node group has at most 50 labels (EKS user guide, managed node groups); the stacks set two."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    if cluster.platform != "eks":
        return
    yield from _room_for_addons(cluster)
    for index, group in enumerate(cluster.compute):
        yield from _group(cluster, group, ("compute", index))


def _room_for_addons(cluster: Cluster) -> Iterator[Problem]:
    """DNS and the controllers fail to install without a node on which their pods can run."""
    if not any(runs_addons(group) for group in cluster.compute):
        yield Problem(
            "no group has nodes without taints: DNS and other add-ons could not run",
            ("compute",),
            on_key=True,
            hint="add {name: system, role: system, instance_type: m5.4xlarge, count: 2}",
        )


def _group(cluster: Cluster, group: ComputeGroup, here: Path) -> Iterator[Problem]:
    if len(group.labels) > MOST_LABELS:
        yield Problem(
            f"{len(group.labels)} labels: a node group has at most 50, and two are set "
            "automatically",
            (*here, "labels"),
        )
    if (
        group.capacity.kind == "capacity-block"
        and group.max_count not in (None, group.count)
        # Karpenter launches into the rest of the block for pending pods.
        and not karpenter.is_scaled(cluster, group)
    ):
        yield Problem(
            "a capacity block has a fixed number of instances: the group cannot grow",
            (*here, "max_count"),
            hint=(
                "kubernetes.autoscaling: karpenter, which launches the other instances of the "
                "block"
            ),
            other_path=(*here, "capacity", "kind"),
        )
