"""Validation of the hold of nodes that are not accepted."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.platforms.kubernetes.groups import held_taints, runs_addons


def problems(cluster: Cluster) -> Iterator[Problem]:
    """A cluster whose nodes are all held has none for DNS, which the tests of nodes need."""
    groups = [group for group in cluster.compute if runs_addons(group)]
    if groups and all(held_taints(cluster, group) for group in groups):
        yield Problem(
            "all nodes are held until they are accepted: DNS and other add-ons could not run",
            ("acceptance", "hold"),
            hint="add a group: {name: system, role: system, instance_type: m5.4xlarge, count: 2}, "
            "or state acceptance.hold: false",
            other_path=("compute",),
        )
