"""Addresses that a cluster needs of subnets that exist, and whether they are there."""

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
    """Addresses that are missing."""

    message: str
    requested: int
    used: int
    limit: int
    certain: bool = True


def shortage(
    context: Context, subnets: Sequence[Subnet], clusters: Sequence[Cluster]
) -> Shortage | None:
    """What the nodes, their replacements and the file systems of `context` lack in `subnets`."""
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
    rooms = [subnet.free_addresses for subnet in subnets]
    # File systems stand in the first of the nodes' subnets.
    if plan.storage_addresses > rooms[0]:
        return Shortage(
            f"the file systems need {plan.storage_addresses:,} addresses in {subnets[0].id}, "
            f"which has {rooms[0]:,} free",
            plan.storage_addresses,
            0,
            rooms[0],
        )
    rooms[0] -= plan.storage_addresses
    placing = place(_new_nodes(context, clusters), rooms)
    if not placing.nodes:
        return None
    sizes = " and ".join(f"{count} of {each}" for each, count in placing.unplaced.items())
    may = "no subnet has room" if placing.certain else "it may be that no subnet has room"
    return Shortage(
        f"{names} {verb} {free:,} free addresses, but {may} for {placing.nodes:,} of the nodes: "
        f"all addresses of a node are in one subnet ({sizes} addresses)",
        needed,
        present,
        free + present,
        placing.certain,
    )


def _new_nodes(context: Context, clusters: Sequence[Cluster]) -> Iterator[tuple[int, int]]:
    """Addresses per node and nodes that are not there yet, by type."""
    present = deployed_cluster(clusters, context.cluster.environment)
    standing: dict[str, int] = {}
    for group in present.groups if present else ():
        name = ec2_name(group.instance_type)
        standing[name] = standing.get(name, 0) + group.count
    for addresses in context.network_plan.groups:
        held = min(standing.get(addresses.instance_type, 0), addresses.nodes)
        standing[addresses.instance_type] = standing.get(addresses.instance_type, 0) - held
        each = context.catalog.addresses_per_node(
            addresses.instance_type, context.cluster.platform
        )
        if isinstance(each, Known):
            yield each.value, addresses.nodes - held
