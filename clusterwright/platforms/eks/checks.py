"""Offline checks of a spec that belong to EKS alone."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.platforms.kubernetes import checks as kubernetes


def problems(cluster: Cluster) -> Iterator[Problem]:
    """What every platform with Kubernetes refuses."""
    yield from kubernetes.problems(cluster)
