"""Nodes of each managed node group, those that it may grow to."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.cluster_spec.karpenter import is_scaled
from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Want


class NodesPerGroupQuota(QuotaRule):
    id = "CW-Q062"
    title = "Nodes of a managed node group"
    prevents = "CreateNodegroup fails with ResourceLimitExceededException: 450 are the default"
    source = "AWS General Reference, EKS quotas"
    usage_facts = ()

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        if context.cluster.platform != "eks":
            return
        for path, group in context.groups():
            # Karpenter's nodes are in no managed node group.
            scaled = is_scaled(context.cluster, group)
            most = group.count if scaled else max(group.count, group.max_count or 0)
            key = "max_count" if most > group.count else "count"
            want = Want(
                most,
                f"the group {group.name} needs",
                "Nodes per managed node group",
                "eks",
                "L-BD136A63",
            )
            yield Subject((*path, key), want)


RULE = NodesPerGroupQuota()
