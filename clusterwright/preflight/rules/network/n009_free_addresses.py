"""The subnets that exist have enough free addresses."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.network.existing_network import (
    HERE,
    ExistingNetworkRule,
    known_subnets,
)
from clusterwright.preflight.rules.network.free_addresses import shortage


class FreeAddresses(ExistingNetworkRule):
    id = "CW-N009"
    title = "The nodes' subnets have enough free addresses"
    prevents = "nodes that never start because the subnet is full"
    source = "awslabs/awsome-distributed-ai #1122"
    needs = (Subnets(), HyperPodClusters())

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        plan = context.network_plan
        path = (*HERE, "subnet_ids")
        if plan.unknown_types:
            yield Unknown(
                message=f"addresses of {', '.join(plan.unknown_types)}: no source says how many a "
                "node takes",
                path=path,
            )
        subnets = known_subnets(existing, facts[Subnets()])
        if not subnets:
            return  # CW-N007 says that they do not exist
        lacking = shortage(context, subnets, facts[HyperPodClusters()])
        if lacking is not None:
            yield Fail(
                message=lacking.message,
                path=path,
                severity=None if lacking.certain else "warning",
                requested=lacking.requested,
                used=lacking.used,
                limit=lacking.limit,
                where=", ".join(subnet.id for subnet in subnets),
                hint="name a larger subnet, or several of the same zone",
            )


RULE = FreeAddresses()
