"""Internet gateways of the region."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import InternetGateways
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class InternetGatewayQuota(QuotaRule):
    id = "CW-Q043"
    title = "Internet gateways of the region"
    prevents = (
        "CreateInternetGateway fails with InternetGatewayLimitExceeded: five are the default"
    )
    source = "AWS documentation, VPC quotas"
    usage_facts = (InternetGateways(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        network = context.cluster.network
        if network.existing is None and network.egress == "nat":
            want = Want(
                1, "a NAT gateway needs", "Internet gateways per Region", "vpc", "L-A4707A72"
            )
            yield Subject(("network", "egress"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [Use(1, context.stack_is_ours(stack)) for stack in facts[InternetGateways()]]


RULE = InternetGatewayQuota()
