"""Offline checks of a spec that belong to HyperPod with EKS alone."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.platforms.hyperpod_eks import compute_quotas
from clusterwright.platforms.kubernetes import checks as kubernetes


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Quotas that cannot be expressed, and what every platform with Kubernetes refuses."""
    yield from compute_quotas.problems(cluster)
    yield from kubernetes.problems(cluster)
