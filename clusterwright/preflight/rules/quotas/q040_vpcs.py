"""VPCs of the region."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.network import Vpcs
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class VpcQuota(QuotaRule):
    id = "CW-Q040"
    title = "VPCs of the region"
    prevents = (
        "CreateVpc fails with VpcLimitExceeded: five are the default, the default VPC included"
    )
    source = "AWS documentation, VPC quotas; Percona-Lab/jenkins-pipelines PR #4010"
    usage_facts = (Vpcs(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        if context.cluster.network.existing is None:
            want = Want(1, "a new VPC needs", "VPCs per Region", "vpc", "L-F678F1CE")
            yield Subject(("network",), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [Use(1, context.stack_is_ours(vpc.stack)) for vpc in facts[Vpcs()]]


RULE = VpcQuota()
