"""The nodes' subnets have enough free addresses."""

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
    prevents = "nodes that never start because the subnet is full"
    source = "awslabs/awsome-distributed-ai #1122"
    needs = (Subnets(), HyperPodClusters())

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        plan = context.network_plan
        path = (*HERE, "subnet_ids")
        if plan.unknown_types:
            yield Unknown(
                message="no source states how many addresses a node of "
                f"{', '.join(plan.unknown_types)} needs",
                path=path,
            )
        subnets = known_subnets(existing, facts[Subnets()])
        if not subnets:
            return  # CW-N007 reports them
        missing = shortage(context, subnets, facts[HyperPodClusters()])
        if missing is not None:
            yield Fail(
                message=missing.message,
                path=path,
                severity=None if missing.certain else "warning",
                requested=missing.requested,
                used=missing.used,
                limit=missing.limit,
                where=", ".join(subnet.id for subnet in subnets),
                hint="use a larger subnet, or several in the same zone",
            )
