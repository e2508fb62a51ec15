"""Interface endpoints of the VPC."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.platforms.endpoints import interface_services
from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Want


class InterfaceEndpointQuota(QuotaRule):
    id = "CW-Q048"
    title = "Interface endpoints per VPC"
    prevents = "CreateVpcEndpoint fails with VpcEndpointLimitExceeded: 50 per VPC are the default"
    source = "tables of default quotas in public repositories"
    usage_facts = ()

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        services = interface_services(context.cluster)
        if services:
            want = Want(
                len(services),
                f"a closed network needs {len(services)} endpoints:",
                "Interface VPC endpoints per VPC",
                "vpc",
                "L-29B6F2EB",
            )
            yield Subject(("network", "egress"), want)


RULE = InterfaceEndpointQuota()
