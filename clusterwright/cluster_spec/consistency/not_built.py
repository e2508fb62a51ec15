"""Values of the contract that nothing builds yet are refused, never accepted in silence."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.platforms.registry import PLATFORMS

BUILT_PLATFORMS: tuple[str, ...] = PLATFORMS

NOT_BUILT: tuple[str, ...] = ()
"""Keys of the file's first level that no stack reads yet."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    if cluster.platform not in BUILT_PLATFORMS:
        yield Problem(
            f"platform {cluster.platform} is not built yet",
            ("platform",),
            hint=f"built so far: {', '.join(BUILT_PLATFORMS)}",
        )
    for key in NOT_BUILT:
        if key in cluster.model_fields_set and getattr(cluster, key):
            here: Path = (key,)
            yield Problem(f"`{key}` is not built yet", here, on_key=True, hint="leave it out")
