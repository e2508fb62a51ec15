"""How groups of running HyperPod clusters count against quotas."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.aws.sagemaker import Cluster, ClusterGroup
from clusterwright.preflight.context import Context


def others(clusters: Iterable[Cluster], context: Context) -> list[Cluster]:
    """Every cluster but the one of this spec: an update keeps what it already has."""
    return [cluster for cluster in clusters if cluster.name != context.cluster.environment]


def own(clusters: Iterable[Cluster], context: Context) -> Cluster | None:
    """The cluster of this spec as it stands, if it is deployed."""
    return next((c for c in clusters if c.name == context.cluster.environment), None)


def uses_on_demand(group: ClusterGroup) -> bool:
    """Neither spot nor from a training plan."""
    return not group.spot and group.training_plan_arn is None
