"""Instances of each type in HyperPod clusters, on demand."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.compute_groups import by_type, largest
from clusterwright.preflight.rules.quotas.hyperpod_usage import group_uses, uses_on_demand
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want, type_want


class ClusterUsage(QuotaRule):
    id = "CW-Q001"
    title = "HyperPod quota of each on-demand instance type"
    prevents = (
        "CreateCluster fails with ResourceLimitExceeded: the account-level service limit "
        "'ml.<type> for cluster usage' is 0 in a new account"
    )
    source = "AWS General Reference, SageMaker quotas; awslabs/awsome-distributed-ai #198"
    usage_facts = (HyperPodClusters(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        if not context.on_hyperpod:
            return
        for instance_type, groups in by_type(context.groups("on-demand")).items():
            quota = context.catalog.quota_for(instance_type, "hyperpod-cluster")
            count = sum(group.count for _, group in groups)
            want = type_want(instance_type, count, quota, "{name} for cluster usage")
            yield Subject(largest(groups), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        return group_uses(
            facts[HyperPodClusters()],
            context,
            lambda group: uses_on_demand(group) and group.instance_type == ml_name(want.key),
        )


RULE = ClusterUsage()
