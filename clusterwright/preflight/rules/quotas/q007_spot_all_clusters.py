"""Spot instances in all HyperPod clusters of the account."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.quotas.hyperpod_usage import group_uses
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class SpotInAllClusters(QuotaRule):
    id = "CW-Q007"
    title = "Spot instances in all HyperPod clusters together"
    prevents = (
        "CreateCluster fails with ResourceLimitExceeded: the total of spot instances over all "
        "clusters has a quota of its own"
    )
    source = "a public account's quotas of 2026-10-04"
    usage_facts = (HyperPodClusters(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        groups = context.groups("spot")
        count = sum(group.count for _, group in groups)
        if context.on_hyperpod and count:
            want = Want(
                amount=count,
                what=f"{count} spot instances in one cluster need",
                label="number of spot instances allowed across HyperPod clusters",
                service="sagemaker",
                code="L-97A2C724",
            )
            yield Subject(largest(groups), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return group_uses(facts[HyperPodClusters()], context, lambda group: group.spot)


RULE = SpotInAllClusters()
