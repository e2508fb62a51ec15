"""EKS clusters of the region."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import EksClusters
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class EksClusterQuota(QuotaRule):
    id = "CW-Q060"
    title = "EKS clusters of the region"
    prevents = (
        "CreateCluster of EKS fails with ResourceLimitExceededException: 100 are the default"
    )
    source = "AWS General Reference, EKS quotas"
    usage_facts = (EksClusters(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        if context.cluster.platform.endswith("eks"):
            want = Want(1, "the cluster needs", "Clusters", "eks", "L-1194D53C")
            yield Subject(("platform",), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        own = context.cluster.environment
        return [Use(1, name == own) for name in facts[EksClusters()]]


RULE = EksClusterQuota()
