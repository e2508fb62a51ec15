"""How groups of running HyperPod clusters count against quotas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clusterwright.aws.sagemaker import Cluster, ClusterGroup
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules.quotas.quota_rule import Use


def group_uses(
    clusters: Iterable[Cluster], context: Context, counts: Callable[[ClusterGroup], bool]
) -> Iterator[Use]:
    """Instances of the groups that count, each marked whether it is of this spec's cluster."""
    for cluster in clusters:
        ours = cluster.name == context.cluster.environment
        for group in cluster.groups:
            if counts(group):
                yield Use(group.count, ours)


def own(clusters: Iterable[Cluster], context: Context) -> Cluster | None:
    """The cluster of this spec as it stands, if it is deployed."""
    return next((c for c in clusters if c.name == context.cluster.environment), None)


def uses_on_demand(group: ClusterGroup) -> bool:
    """Neither spot nor from a training plan."""
    return not group.spot and group.training_plan_arn is None
