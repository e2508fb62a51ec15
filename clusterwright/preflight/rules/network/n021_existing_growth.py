"""The nodes' subnets have enough free addresses for max_count."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Subjects
from clusterwright.preflight.rules.growth import at_growth, grown, grows
from clusterwright.preflight.rules.network.existing_network import (
    ExistingNetworkRule,
    known_subnets,
)
from clusterwright.preflight.rules.network.free_addresses import shortage


class ExistingGrowth(ExistingNetworkRule):
    id = "CW-N021"
    severity = "warning"
    prevents = "a cluster that cannot grow to its max_count: the subnet is full before that"
    source = "awslabs/awsome-distributed-ai #1122"

    def subjects(self, context: Context) -> Subjects[ExistingNetwork]:
        existing = context.cluster.network.existing
        if existing is not None and grows(context):
            yield at_growth(context, ()), existing

    needs = (Subnets(), HyperPodClusters())

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        subnets = known_subnets(existing, facts[Subnets()])
        if not subnets:
            return  # CW-N007 reports them
        clusters = facts[HyperPodClusters()]
        missing = shortage(grown(context), subnets, clusters)
        if missing is None:
            return
        fits = shortage(context, subnets, clusters) is None
        yield Fail(
            message=f"{'this fits today, max_count will not' if fits else 'at max_count'}: "
            f"{missing.message}",
            requested=missing.requested,
            used=missing.used,
            limit=missing.limit,
            where=", ".join(subnet.id for subnet in subnets),
            hint="use a larger subnet, or several in the same zone",
        )
