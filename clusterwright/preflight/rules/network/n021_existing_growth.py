"""The subnets that exist have enough free addresses for every group at its max_count."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Subject, Subjects
from clusterwright.preflight.rules.growth import at_growth, grown, grows
from clusterwright.preflight.rules.network.existing_network import (
    ExistingNetworkRule,
    known_subnets,
)
from clusterwright.preflight.rules.network.free_addresses import shortage


class ExistingGrowth(ExistingNetworkRule):
    id = "CW-N021"
    title = "The nodes' subnets have enough free addresses for the growth"
    severity = "warning"
    prevents = "a cluster that cannot grow to its max_count: the subnet is full before"
    source = "awslabs/awsome-distributed-ai #1122"

    def subjects(self, context: Context) -> Subjects[ExistingNetwork]:
        existing = context.cluster.network.existing
        if existing is not None and grows(context):
            yield Subject(at_growth(context, ()), existing)

    needs = (Subnets(), HyperPodClusters())

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        subnets = known_subnets(existing, facts[Subnets()])
        if not subnets:
            return  # CW-N007 says that they do not exist
        clusters = facts[HyperPodClusters()]
        lacking = shortage(grown(context), subnets, clusters)
        if lacking is None:
            return
        fits = shortage(context, subnets, clusters) is None
        yield Fail(
            message=f"{'this fits today, max_count will not' if fits else 'at max_count'}: "
            f"{lacking.message}",
            requested=lacking.requested,
            used=lacking.used,
            limit=lacking.limit,
            where=", ".join(subnet.id for subnet in subnets),
            hint="name a larger subnet, or several of the same zone",
        )


RULE = ExistingGrowth()
