"""Keys without effect must not be set.

If a key has no effect on this platform, the hint lists the platforms where it has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.unused_fields import unused_fields
from clusterwright.platforms.registry import PLATFORMS


def problems(cluster: Cluster) -> Iterator[Problem]:
    elsewhere = _Elsewhere(cluster)
    for item in unused_fields(cluster):
        if item.written:
            hint = elsewhere.hint(item.path) if item.because == ("platform",) else None
            yield Problem(item.reason, item.path, hint=hint, other_path=item.because)


class _Elsewhere:
    """Platforms on which a key of this cluster would have an effect."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.without = cache(self._without)

    def hint(self, path: Path) -> str | None:
        able = [
            platform
            for platform in PLATFORMS
            if platform != self.cluster.platform
            and not any(path[: len(taken)] == taken for taken in self.without(platform))
        ]
        return f"platform: {' or '.join(able)}" if able else None

    def _without(self, platform: str) -> frozenset[Path]:
        other = self.cluster.model_copy(update={"platform": platform})
        return frozenset(item.path for item in unused_fields(other))
