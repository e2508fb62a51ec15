"""The nodes' subnets are private."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import FactValues, Fail, Results
from clusterwright.preflight.rules.network.existing_network import (
    ExistingNetworkRule,
    node_subnets,
)


class NoPublicAddresses(ExistingNetworkRule):
    id = "CW-N012"
    severity = "warning"
    prevents = "launches fail: instances with several network cards cannot have a public address"
    source = "aws/aws-parallelcluster, MultiNetworkInterfacesInstancesValidator"
    needs = (Subnets(),)

    def check(self, network: ExistingNetwork, facts: FactValues) -> Results:
        for path, subnet_id, subnet in node_subnets(network, facts[Subnets()]):
            if subnet is not None and subnet.public_addresses_on_launch:
                yield Fail(
                    message=f"{subnet_id} assigns public addresses at launch",
                    path=path,
                    where=subnet_id,
                    hint="use a subnet with MapPublicIpOnLaunch disabled",
                )
