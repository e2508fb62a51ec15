"""Offline checks of a spec that platforms with Kubernetes share."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.platforms.kubernetes import node_memory, spares, value_schemas


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Values that a chart refuses, spares that no quota keeps free, jobs that fit no node."""
    yield from value_schemas.problems(cluster)
    yield from spares.problems(cluster)
    yield from node_memory.problems(cluster)
