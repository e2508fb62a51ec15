"""The subnets that exist have enough free addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.preflight.context import Context
from clusterwright.preflight.existing import HERE, ExistingNetworkRule, known_subnets
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.present import addresses_in_use
from clusterwright.preflight.rule import Fail, Subject, Unsure, Verdict
from clusterwright.spec.models.network import ExistingNetwork


class FreeAddresses(ExistingNetworkRule):
    id = "CW-N009"
    title = "The nodes' subnets have enough free addresses"
    prevents = "nodes that never start because the subnet is full"
    source = "awslabs/awsome-distributed-ai #1122"

    def needs(self, subject: Subject[ExistingNetwork], context: Context) -> Iterable[Fact[Any]]:
        del subject, context
        return (Subnets(), HyperPodClusters())

    def check(
        self, subject: Subject[ExistingNetwork], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        plan = context.network_plan
        path = (*HERE, "subnet_ids")
        if plan.unknown_types:
            yield Unsure(
                message=f"addresses of {', '.join(plan.unknown_types)}: no source says how many a "
                "node takes",
                path=path,
            )
        subnets = known_subnets(subject.value, facts[Subnets()])
        if not subnets:
            return  # CW-N007 says that they do not exist
        present = addresses_in_use(context, facts[HyperPodClusters()])
        free = sum(subnet.free_addresses for subnet in subnets)
        needed = plan.node_addresses_needed + plan.headroom_addresses + plan.storage_addresses
        if needed > free + present:
            names = ", ".join(subnet.id for subnet in subnets)
            yield Fail(
                message=f"the cluster needs {needed:,} addresses "
                f"({plan.node_addresses_needed:,} for nodes), {names} "
                f"{'has' if len(subnets) == 1 else 'have'} {free:,} free",
                path=path,
                requested=needed,
                used=present,
                limit=free + present,
                where=names,
                hint="name a larger subnet, or several of the same zone",
            )


RULE = FreeAddresses()
