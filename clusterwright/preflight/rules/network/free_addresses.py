"""Whether existing subnets have the addresses that a cluster needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.aws.sagemaker import Cluster
from clusterwright.catalog import Known
from clusterwright.platforms.hyperpod.instance_groups import ec2_name
from clusterwright.preflight.facts.hyperpod import deployed_cluster
from clusterwright.preflight.rule import Context
from clusterwright.preflight.rules.network.addresses_in_use import addresses_in_use
from clusterwright.preflight.rules.network.subnet_packing import place


@dataclass(frozen=True)
class Shortage:
    """Missing addresses."""

    message: str
    requested: int
    used: int
    limit: int
    certain: bool = True


def shortage(
    context: Context, subnets: Sequence[Subnet], clusters: Sequence[Cluster]
) -> Shortage | None:
    """What `subnets` lack for the nodes, their replacements and the file systems of `context`."""
    plan = context.network_plan
    present = addresses_in_use(context, clusters)
    free = sum(subnet.free_addresses for subnet in subnets)
    needed = plan.node_addresses_needed + plan.headroom_addresses + plan.storage_addresses
    names = ", ".join(subnet.id for subnet in subnets)
    verb = "has" if len(subnets) == 1 else "have"
    if needed > free + present:
        return Shortage(
            f"the cluster needs {needed:,} addresses ({plan.node_addresses_needed:,} for nodes), "
            f"{names} {verb} {free:,} free",
            needed,
            present,
            free + present,
        )
    capacities = [subnet.free_addresses for subnet in subnets]
    # File systems are in the first of the nodes' subnets.
    if plan.storage_addresses > capacities[0]:
        return Shortage(
            f"the file systems need {plan.storage_addresses:,} addresses in {subnets[0].id}, "
            f"which has {capacities[0]:,} free",
            plan.storage_addresses,
            0,
            capacities[0],
        )
    capacities[0] -= plan.storage_addresses
    placing = place(_new_nodes(context, clusters), capacities)
    if not placing.nodes:
        return None
    sizes = " and ".join(f"{count} of {each}" for each, count in placing.unplaced.items())
    may = "no subnet has space" if placing.certain else "possibly no subnet has space"
    return Shortage(
        f"{names} {verb} {free:,} free addresses, but {may} for {placing.nodes:,} of the nodes: "
        f"all addresses of a node must be in one subnet ({sizes} addresses)",
        needed,
        present,
        free + present,
        placing.certain,
    )


def _new_nodes(context: Context, clusters: Sequence[Cluster]) -> Iterator[tuple[int, int]]:
    """Pairs of addresses per node and count of new nodes, by type."""
    deployed = deployed_cluster(clusters, context.cluster.environment)
    deployed_counts: dict[str, int] = {}
    for group in deployed.groups if deployed else ():
        name = ec2_name(group.instance_type)
        deployed_counts[name] = deployed_counts.get(name, 0) + group.count
    for addresses in context.network_plan.groups:
        existing = min(deployed_counts.get(addresses.instance_type, 0), addresses.nodes)
        deployed_counts[addresses.instance_type] = (
            deployed_counts.get(addresses.instance_type, 0) - existing
        )
        each = context.catalog.addresses_per_node(
            addresses.instance_type, context.cluster.platform
        )
        if isinstance(each, Known):
            yield each.value, addresses.nodes - existing
