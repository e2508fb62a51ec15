"""The nodes' subnets give no public addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.preflight.rules.network.existing_network import (
    ExistingNetworkRule,
    node_subnets,
)


class NoPublicAddresses(ExistingNetworkRule):
    id = "CW-N012"
    title = "The nodes' subnets are private"
    severity = "warning"
    prevents = "instances with several network cards get no public address: launches fail"
    source = "aws/aws-parallelcluster, MultiNetworkInterfacesInstancesValidator"

    def needs(self, subject: Subject[ExistingNetwork], context: Context) -> Iterable[Fact[Any]]:
        del subject, context
        return (Subnets(),)

    def check(
        self, subject: Subject[ExistingNetwork], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del context
        for path, subnet_id, subnet in node_subnets(subject.value, facts[Subnets()]):
            if subnet is not None and subnet.public_addresses_on_launch:
                yield Fail(
                    message=f"{subnet_id} gives public addresses at launch",
                    path=path,
                    where=subnet_id,
                    hint="use a subnet with MapPublicIpOnLaunch off",
                )


RULE = NoPublicAddresses()
