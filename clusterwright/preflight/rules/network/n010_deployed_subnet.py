"""The deployed subnet has enough free addresses for the new nodes."""

from __future__ import annotations

from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.network.addresses_in_use import addresses_in_use


class DeployedSubnet(Rule[None]):
    id = "CW-N010"
    prevents = "an update that adds nodes which never start: the subnet is full"
    source = "awslabs/awsome-distributed-ai #1122"

    def subjects(self, context: Context) -> Subjects[None]:
        if context.cluster.network.existing is None:
            yield ("network", "cidr"), None

    needs = (Subnets(), HyperPodClusters())

    def check(self, context: Context, facts: FactValues) -> Results:
        planned = {subnet.cidr for subnet in context.network_plan.node_subnets}
        deployed = [
            subnet
            for subnet in facts[Subnets()]
            if context.stack_is_ours(subnet.stack) and subnet.cidr in planned
        ]
        if not deployed:
            return  # nothing is deployed yet: CW-N003 checks the plan
        plan = context.network_plan
        present = addresses_in_use(context, facts[HyperPodClusters()])
        more = plan.node_addresses_needed - present
        free = sum(subnet.free_addresses for subnet in deployed)
        if more > free:
            names = ", ".join(subnet.id for subnet in deployed)
            yield Fail(
                message=f"the nodes need {more:,} more addresses, {names} "
                f"{'has' if len(deployed) == 1 else 'have'} {free:,} free",
                requested=plan.node_addresses_needed,
                used=present,
                limit=free + present,
                where=names,
                hint="remove other resources from the subnet, or add fewer nodes",
            )
