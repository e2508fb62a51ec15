"""Instances in all HyperPod clusters of the account."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.quotas.hyperpod_usage import group_uses
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class InstancesInAllClusters(QuotaRule):
    id = "CW-Q004"
    title = "Instances in all HyperPod clusters together"
    prevents = (
        "CreateCluster fails with ResourceLimitExceeded: the total over all clusters has a quota "
        "beside those of the types"
    )
    source = "a public account's quotas of 2026-10-04"
    usage_facts = (HyperPodClusters(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        groups = context.groups()
        count = sum(group.count for _, group in groups)
        if context.on_hyperpod and count:
            want = Want(
                amount=count,
                what=f"{count} instances in one cluster need",
                label="number of instances allowed across HyperPod clusters",
                service="sagemaker",
                code="L-3308CCC7",
            )
            yield Subject(largest(groups), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return group_uses(facts[HyperPodClusters()], context, lambda _: True)


RULE = InstancesInAllClusters()
