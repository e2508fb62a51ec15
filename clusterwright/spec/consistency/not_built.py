"""Values of the contract that nothing builds yet are refused, never accepted in silence."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Problem

BUILT_PLATFORMS = ("hyperpod-slurm", "hyperpod-eks", "parallelcluster", "eks")


def problems(cluster: Cluster) -> Iterator[Problem]:
    if cluster.platform not in BUILT_PLATFORMS:
        yield Problem(
            f"platform {cluster.platform} is not built yet",
            ("platform",),
            hint=f"built so far: {', '.join(BUILT_PLATFORMS)}",
        )
