"""Spot instances in one HyperPod cluster."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Want


class SpotPerCluster(QuotaRule):
    id = "CW-Q006"
    title = "Spot instances in one HyperPod cluster"
    prevents = (
        "CreateCluster fails with ResourceLimitExceeded: 20 spot instances per cluster are the "
        "default"
    )
    source = "AWS General Reference, SageMaker quotas"
    usage_facts = ()

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        groups = context.groups("spot")
        count = sum(group.count for _, group in groups)
        if context.on_hyperpod and count:
            want = Want(
                amount=count,
                what=f"{count} spot instances in one cluster need",
                label="number of spot instances allowed per HyperPod cluster",
                service="sagemaker",
                code="L-41BFBF41",
            )
            yield Subject(largest(groups), want)


RULE = SpotPerCluster()
