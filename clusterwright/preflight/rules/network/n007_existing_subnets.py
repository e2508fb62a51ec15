"""The nodes' subnets exist, in the VPC and in the zone."""

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
    misplaced,
    node_subnets,
)


class ExistingSubnets(ExistingNetworkRule):
    id = "CW-N007"
    title = "The nodes' subnets are in the VPC and in the zone"
    prevents = "EFA does not cross zones: jobs over two subnets hang; a wrong id fails the stack"
    source = "AWS documentation, HyperPod prerequisites; AWS documentation, EFA"

    def needs(self, subject: Subject[ExistingNetwork], context: Context) -> Iterable[Fact[Any]]:
        del subject, context
        return (Subnets(),)

    def check(
        self, subject: Subject[ExistingNetwork], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        zone = context.cluster.network.availability_zone_id
        for path, subnet_id, subnet in node_subnets(subject.value, facts[Subnets()]):
            yield from misplaced(subnet_id, subnet, subject.value, context, path)
            if subnet is not None and zone not in (subnet.zone_id, subnet.zone):
                yield Fail(
                    message=f"{subnet_id} is in {subnet.zone_id}, the nodes are to be in {zone}",
                    path=path,
                    requested=zone,
                    where=subnet_id,
                )


RULE = ExistingSubnets()
