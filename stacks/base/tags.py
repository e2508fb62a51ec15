"""The tags of every resource: the environment, and those of the spec."""

from __future__ import annotations

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.tags import ENVIRONMENT_TAG

__all__ = ["ENVIRONMENT_TAG", "tags_of"]


def tags_of(cluster: Cluster) -> dict[str, str]:
    """Keys and values, sorted as the CDK writes tags."""
    return dict(sorted({ENVIRONMENT_TAG: cluster.environment, **cluster.tags}.items()))
