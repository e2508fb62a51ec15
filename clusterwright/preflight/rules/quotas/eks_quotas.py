"""Quotas of EKS: clusters, node groups and nodes."""

from __future__ import annotations

from clusterwright.cluster_spec.karpenter import is_scaled
from clusterwright.platforms.eks.launch_templates import all_node_groups
from clusterwright.preflight.facts.counts import EksClusters
from clusterwright.preflight.rule import Context, FactValues, Subjects
from clusterwright.preflight.rules.quotas.quota_rule import (
    QuotaDemand,
    QuotaRule,
    QuotaUsage,
    ServiceQuota,
    Usage,
)

_SOURCE = "AWS General Reference, EKS quotas"


def _clusters(demand: QuotaDemand, context: Context, facts: FactValues) -> list[QuotaUsage]:
    own = context.cluster.environment
    return [QuotaUsage(1, name == own) for name in facts[EksClusters()]]


def _node_groups(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("eks", "L-6D54EA21", "Managed node groups per cluster")
    if context.platform.managed_node_groups:
        count = len(all_node_groups(context.cluster))
        yield ("compute",), quota.demand(count, f"{count} groups need")


def _nodes(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("eks", "L-BD136A63", "Nodes per managed node group")
    if not context.platform.managed_node_groups:
        return
    for path, group in context.groups():
        # Karpenter's nodes are in no managed node group.
        scaled = is_scaled(context.cluster, group)
        most = group.count if scaled else max(group.count, group.max_count or 0)
        key = "max_count" if most > group.count else "count"
        yield (*path, key), quota.demand(most, f"the group {group.name} needs")


RULES = (
    QuotaRule(
        id="CW-Q060",
        title="EKS clusters of the region",
        prevents="CreateCluster of EKS fails with ResourceLimitExceededException: the default is "
        "100",
        source=_SOURCE,
        demands=ServiceQuota("eks", "L-1194D53C", "Clusters").at(
            ("platform",),
            "the cluster needs",
            lambda context: 1 if context.cluster.uses_kubernetes else None,
        ),
        usage=Usage((EksClusters(),), _clusters),
    ),
    QuotaRule(
        id="CW-Q061",
        title="Managed node groups of an EKS cluster",
        prevents="CreateNodegroup fails with ResourceLimitExceededException: the default is 30",
        source=_SOURCE,
        demands=_node_groups,
    ),
    QuotaRule(
        id="CW-Q062",
        title="Nodes of a managed node group",
        prevents="CreateNodegroup fails with ResourceLimitExceededException: the default is 450",
        source=_SOURCE,
        demands=_nodes,
    ),
)
