"""Instances in one HyperPod cluster."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Want


class InstancesPerCluster(QuotaRule):
    id = "CW-Q003"
    title = "Instances in one HyperPod cluster"
    prevents = (
        "CreateCluster fails with ResourceLimitExceeded: 20 instances per cluster are the "
        "default, whatever the quota of the type"
    )
    source = "AWS General Reference, SageMaker quotas"
    usage_facts = ()

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        groups = context.groups()
        count = sum(group.count for _, group in groups)
        if context.on_hyperpod and count:
            want = Want(
                amount=count,
                what=f"{count} instances in one cluster need",
                label="number of instances allowed per HyperPod cluster",
                service="sagemaker",
                code="L-2CE978FC",
            )
            yield Subject(largest(groups), want)


RULE = InstancesPerCluster()
