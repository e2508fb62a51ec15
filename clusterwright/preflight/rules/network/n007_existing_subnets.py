"""The nodes' subnets are in the VPC and in the Availability Zone."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Context, FactValues, Fail, Results
from clusterwright.preflight.rules.network.existing_network import (
    ExistingNetworkRule,
    misplaced,
    node_subnets,
)


class ExistingSubnets(ExistingNetworkRule):
    id = "CW-N007"
    prevents = (
        "EFA does not cross zones: jobs in two subnets hang; a wrong id makes the stack fail"
    )
    source = "AWS documentation, HyperPod prerequisites; AWS documentation, EFA"
    needs = (Subnets(),)

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        zone = context.cluster.network.availability_zone_id
        for path, subnet_id, subnet in node_subnets(existing, facts[Subnets()]):
            yield from misplaced(subnet_id, subnet, existing, context, path)
            if subnet is not None and zone not in (subnet.zone_id, subnet.zone):
                yield Fail(
                    message=f"{subnet_id} is in {subnet.zone_id}, the nodes must be in {zone}",
                    path=path,
                    requested=zone,
                    where=subnet_id,
                )
