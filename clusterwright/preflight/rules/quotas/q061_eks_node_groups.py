"""Managed node groups of the cluster."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.platforms.eks.launch_templates import all_node_groups
from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Want


class NodeGroupQuota(QuotaRule):
    id = "CW-Q061"
    title = "Managed node groups of an EKS cluster"
    prevents = "CreateNodegroup fails with ResourceLimitExceededException: 30 are the default"
    source = "AWS General Reference, EKS quotas"
    usage_facts = ()

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        if context.cluster.platform == "eks":
            groups = len(all_node_groups(context.cluster))
            words = "Managed node groups per cluster"
            want = Want(groups, f"{groups} groups need", words, "eks", "L-6D54EA21")
            yield Subject(("compute",), want)


RULE = NodeGroupQuota()
