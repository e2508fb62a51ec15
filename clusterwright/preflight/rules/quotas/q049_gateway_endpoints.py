"""Gateway endpoints of the region."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.platforms.endpoints import gateway_services
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.routes import Endpoints
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class GatewayEndpointQuota(QuotaRule):
    id = "CW-Q049"
    title = "Gateway endpoints of the region"
    prevents = (
        "CreateVpcEndpoint fails with VpcEndpointLimitExceeded: 20 per region are the default"
    )
    source = "tables of default quotas in public repositories"
    usage_facts = (Endpoints(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        if context.cluster.network.existing is not None:
            return
        count = len(gateway_services(context.cluster))
        want = Want(
            count, "a new network needs", "Gateway VPC endpoints per Region", "vpc", "L-1B52E74A"
        )
        yield Subject(("network",), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [
            Use(1, context.stack_is_ours(endpoint.stack))
            for endpoint in facts[Endpoints()]
            if endpoint.kind == "gateway"
        ]


RULE = GatewayEndpointQuota()
