"""NAT gateways of the zone."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.network import NatGateways, Subnets
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class NatGatewayQuota(QuotaRule):
    id = "CW-Q042"
    title = "NAT gateways of the zone"
    prevents = "CreateNatGateway fails with NatGatewayLimitExceeded: five per zone are the default"
    source = "AWS documentation, VPC quotas; Percona-Lab/jenkins-pipelines PR #4010"
    usage_facts = (NatGateways(), Subnets())

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        network = context.cluster.network
        if network.existing is None and network.egress == "nat":
            want = Want(
                1,
                "a NAT gateway needs",
                "NAT gateways per Availability Zone",
                "vpc",
                "L-FE5A380F",
                key=network.availability_zone_id,
            )
            yield Subject(("network", "egress"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        here = {s.id for s in facts[Subnets()] if want.key in (s.zone_id, s.zone)}
        return [
            Use(1, context.stack_is_ours(gateway.stack))
            for gateway in facts[NatGateways()]
            if gateway.subnet_id in here
        ]


RULE = NatGatewayQuota()
