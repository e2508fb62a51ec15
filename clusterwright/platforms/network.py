"""Addresses that the cluster needs, and the division of the ranges into subnets.

A subnet cannot be resized: a change of its range replaces it with all resources in it. So nodes
have at least half of the range from the start, and growth within it changes nothing. If the nodes
do not fit, the plan has a range that is large enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Literal

from clusterwright.catalog import Catalog, Fact, Known
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.cluster_spec.problems import Problem
from clusterwright.cluster_spec.validation import kubernetes

RESERVED_BY_AWS = 5
"""Addresses of every subnet that AWS reserves (VPC documentation, subnet sizing)."""

LARGEST_VPC_PREFIX = 16
"""A VPC's range is at most a /16 (VPC documentation)."""

SHARED_ADDRESSES = 64
"""Addresses for other resources in the nodes' subnet: interface endpoints, OpenZFS."""

OTHER_SUBNETS = ("database1", "database2", "public", "endpoints", "control1", "control2")
"""Purposes of the other subnets, in the order of their ranges."""

SHARED_PLACES = {"control1": "database1", "control2": "database2"}
"""If a range is too small for all, the control plane of EKS uses the ranges of the accounting
database, which only Slurm has. A cluster then cannot change between the two in place.
"""

ZONES_WITHOUT_CONTROL_PLANES = kubernetes.ZONES_WITHOUT_CONTROL_PLANES
"""Zones in which EKS does not support subnets of a control plane."""

OTHER_SUBNET_PREFIX = 27
"""Database, control plane, NAT and endpoint subnets have few addresses each."""

Purpose = Literal["nodes", "database", "control", "public", "endpoints"]


@dataclass(frozen=True)
class GroupAddresses:
    """Addresses of a group; `per_node` is None if no source has it."""

    group: str
    instance_type: str
    nodes: int
    per_node: int | None
    derived: bool
    """Whether the figure is derived from the type's network cards and has no direct source."""

    source: str


@dataclass(frozen=True)
class PlannedSubnet:
    name: str
    purpose: Purpose
    zone: str
    """Zone id, or name of a local zone."""

    cidr: str

    @property
    def addresses_usable(self) -> int:
        return usable(IPv4Network(self.cidr).prefixlen)


@dataclass(frozen=True)
class NetworkPlan:
    groups: tuple[GroupAddresses, ...]
    node_addresses_needed: int
    """Addresses of the nodes, without headroom."""

    headroom_addresses: int
    storage_addresses: int
    addresses_needed: int
    """Addresses of nodes, headroom, file systems and shared resources."""

    subnets: tuple[PlannedSubnet, ...]
    problem: Problem | None
    unknown_types: tuple[str, ...] = field(default=())

    @property
    def node_subnets(self) -> tuple[PlannedSubnet, ...]:
        return tuple(s for s in self.subnets if s.purpose == "nodes")


def usable(prefix: int) -> int:
    """Return the addresses of a subnet of this prefix that instances can use."""
    return int(2 ** (32 - prefix)) - RESERVED_BY_AWS


def smallest_prefix(addresses: int) -> int:
    """Return the longest prefix (smallest subnet, at least /28) whose subnet fits `addresses`."""
    prefix = 28
    while usable(prefix) < addresses:
        prefix -= 1
    return prefix


def plan_network(cluster: Cluster, catalog: Catalog) -> NetworkPlan:
    """The needed addresses and the subnets that provide them; `problem` if they do not fit.

    An existing network has no planned subnets: its free addresses are read from the account.
    """
    groups = tuple(group_addresses(cluster, catalog))
    nodes = sum(g.nodes * (g.per_node or 0) for g in groups)
    headroom = headroom_addresses(cluster, groups)
    storage = sum(lustre_addresses(fs, catalog) for fs in cluster.storage.lustre)
    needed = nodes + headroom + storage + SHARED_ADDRESSES
    unknown = tuple(sorted({g.instance_type for g in groups if g.per_node is None}))
    subnets: tuple[PlannedSubnet, ...] = ()
    problem: Problem | None = None
    if cluster.network.existing is None:
        subnets, problem = _cut(cluster, catalog, needed, nodes)
    return NetworkPlan(groups, nodes, headroom, storage, needed, subnets, problem, unknown)


def room_beside_the_nodes(cluster: Cluster, catalog: Catalog) -> str | None:
    """Additional range for the small subnets, if the nodes fill the first; else None."""
    if plan_network(cluster, catalog).problem is None:
        return None
    further = str(_next_range(cluster, 24))
    ranges = [*cluster.network.secondary_cidrs, further]
    network = cluster.network.model_copy(update={"secondary_cidrs": ranges})
    larger = cluster.model_copy(update={"network": network})
    return further if plan_network(larger, catalog).problem is None else None


def group_addresses(cluster: Cluster, catalog: Catalog) -> list[GroupAddresses]:
    """Return the addresses per node of each group on the cluster's platform."""
    result = []
    for group in cluster.compute:
        fact = _per_node(cluster, group, catalog)
        known = isinstance(fact, Known)
        result.append(
            GroupAddresses(
                group.name,
                group.instance_type,
                group.count,
                fact.value if isinstance(fact, Known) else None,
                bool(getattr(fact, "derived", False)),
                fact.source if isinstance(fact, Known) and known else "unknown",
            )
        )
    return result


def _per_node(cluster: Cluster, group: ComputeGroup, catalog: Catalog) -> Fact[int]:
    """Return the addresses of a node; with `network_interface: efa` in a launch template of ours,
    each network card has one.
    """
    if cluster.traits.node_addresses == "template" and group.network_interface == "efa":
        instance = catalog.instance(group.instance_type)
        if instance is not None:
            return instance.network_cards
    return catalog.addresses_per_node(group.instance_type, cluster.platform)


def headroom_addresses(cluster: Cluster, groups: tuple[GroupAddresses, ...]) -> int:
    """Return the addresses for replacements: the spec's percentage of each group, at least one
    node.
    """
    percent = cluster.network.address_headroom_percent
    return sum(
        max(1, math.ceil(g.nodes * percent / 100)) * (g.per_node or 0)
        if percent and g.nodes
        else 0
        for g in groups
    )


def lustre_addresses(file_system: Lustre, catalog: Catalog) -> int:
    """Return the maximum number of addresses of a file system: one per metadata and object server.

    If the size of the servers has no source this is an upper bound (`LustreFacts.servers`). An
    existing file system already has its addresses.
    """
    if file_system.existing is not None:
        return 0
    tiering = file_system.storage_type == "INTELLIGENT_TIERING"
    tier = catalog.lustre.tier(
        file_system.deployment_type,
        file_system.storage_type,
        file_system.throughput_mbps_per_tib,
    )
    return catalog.lustre.servers(
        tier,
        capacity_gib=file_system.capacity_gib or 0,
        tiering_mbps=(file_system.throughput_mbps or 0) if tiering else None,
        metadata_iops=file_system.metadata.iops if file_system.metadata else None,
        efa=file_system.efa,
    ).most


def _cut(
    cluster: Cluster, catalog: Catalog, needed: int, nodes: int
) -> tuple[tuple[PlannedSubnet, ...], Problem | None]:
    network = cluster.network
    ranges = [IPv4Network(network.cidr), *(IPv4Network(c) for c in network.secondary_cidrs)]
    others = _other_subnets(cluster, catalog)
    zone = network.availability_zone_id
    first = ranges[0]
    half = first.prefixlen + 1
    if half <= 28 and usable(half) >= needed:
        nodes_at, rest = first.subnets(new_prefix=half)
        placed = _place(others, [rest, *ranges[1:]])
        if placed is not None:
            return (PlannedSubnet("nodes", "nodes", zone, str(nodes_at)), *placed), None
        return _fallback(nodes_at, zone), _others_do_not_fit(cluster)
    taken = [first]
    while sum(usable(r.prefixlen) for r in taken) < needed and len(taken) < len(ranges):
        taken.append(ranges[len(taken)])
    efa = any(fs.efa for fs in cluster.storage.lustre)
    if sum(usable(r.prefixlen) for r in taken) < needed:
        return _fallback(first, zone), _nodes_do_not_fit(cluster, needed, nodes, efa, bool(others))
    if efa and not _in_one_16(taken):
        return _fallback(first, zone), _across_16s(needed)
    placed = _place(others, ranges[len(taken) :])
    if placed is None:
        return _fallback(first, zone), _others_do_not_fit(cluster)
    names = ["nodes", *(f"nodes{i}" for i in range(2, len(taken) + 1))]
    chosen = [PlannedSubnet(n, "nodes", zone, str(r)) for n, r in zip(names, taken, strict=True)]
    return (*chosen, *placed), None


def _fallback(first: IPv4Network, zone: str) -> tuple[PlannedSubnet, ...]:
    return (PlannedSubnet("nodes", "nodes", zone, str(first)),)


def _other_subnets(cluster: Cluster, catalog: Catalog) -> list[tuple[str, Purpose, str]]:
    network = cluster.network
    result: list[tuple[str, Purpose, str]] = []
    second = second_zone(cluster, catalog)
    # A local zone has neither interface endpoints nor RDS (VPC documentation, local zones): they
    # are in availability zones of the region, where nodes reach them through the VPC.
    local = is_local(network.availability_zone_id)
    first = second if local else network.availability_zone_id
    accounting = cluster.slurm.accounting
    if cluster.uses_kubernetes:
        zones = control_plane_zones(cluster, catalog)
        result += [(f"control{i}", "control", zone) for i, zone in enumerate(zones, start=1)]
    elif accounting.kind == "rds" and accounting.existing is None:
        result.append(("database1", "database", first))
        if local:
            second = _ordinary_zone(cluster, catalog, other_than=(first,))
        result.append(("database2", "database", second))
    if network.egress == "nat":
        result.append(("public", "public", first))
    elif local:
        result.append(("endpoints", "endpoints", first))
    return result


def is_local(zone: str) -> bool:
    """Return whether a zone is a local zone, by its id (`use1-dfw2-az1`) or its name."""
    return zone.count("-") != 1


def second_zone(cluster: Cluster, catalog: Catalog) -> str:
    """Return a second zone: that of the spec, else the first other availability zone of the
    region.
    """
    network = cluster.network
    if network.second_availability_zone_id is not None:
        return network.second_availability_zone_id
    return _ordinary_zone(cluster, catalog, other_than=(network.availability_zone_id,))


def control_plane_zones(cluster: Cluster, catalog: Catalog) -> tuple[str, ...]:
    """Return two zones for the EKS control plane: the training zone, if possible, and a second."""
    network = cluster.network
    asked = [network.availability_zone_id, network.second_availability_zone_id]
    ordinary = sorted(z for z in catalog.zone_ids(cluster.region) if not is_local(z))
    zones = dict.fromkeys([*(z for z in asked if z is not None), *ordinary])
    fit = [z for z in zones if not is_local(z) and z not in ZONES_WITHOUT_CONTROL_PLANES]
    return tuple(fit[:2])


def _ordinary_zone(cluster: Cluster, catalog: Catalog, *, other_than: tuple[str, ...]) -> str:
    zones = sorted(z for z in catalog.zone_ids(cluster.region) if not is_local(z))
    return next(z for z in zones if z not in other_than)


def _place(
    others: list[tuple[str, Purpose, str]], ranges: list[IPv4Network]
) -> list[PlannedSubnet] | None:
    blocks = (
        block
        for r in ranges
        if r.prefixlen <= OTHER_SUBNET_PREFIX
        for block in r.subnets(new_prefix=OTHER_SUBNET_PREFIX)
    )
    # Each has a fixed range, used or not: adding one later moves no other, and CloudFormation
    # creates the subnets of another platform before it deletes those of the old one.
    places = dict(zip(OTHER_SUBNETS, blocks, strict=False))
    slots = [name if name in places else SHARED_PLACES.get(name, name) for name, _, _ in others]
    if any(slot not in places for slot in slots):
        return None
    return [
        PlannedSubnet(name, purpose, zone, str(places[slot]))
        for slot, (name, purpose, zone) in zip(slots, others, strict=True)
    ]


def _in_one_16(ranges: list[IPv4Network]) -> bool:
    return len({r.supernet(new_prefix=16) if r.prefixlen > 16 else r for r in ranges}) == 1


def _others_do_not_fit(cluster: Cluster) -> Problem:
    return Problem(
        f"the nodes use all of {cluster.network.cidr}: no addresses are left for the other "
        "subnets",
        ("network", "cidr"),
        hint=f"add a range: secondary_cidrs: [{_next_range(cluster, 24)}]",
    )


def _nodes_do_not_fit(
    cluster: Cluster, needed: int, nodes: int, efa: bool, others: bool
) -> Problem:
    network = cluster.network
    have = IPv4Network(network.cidr).prefixlen
    message = (
        f"the cluster needs {needed:,} addresses in {network.availability_zone_id} "
        f"({nodes:,} for nodes), {network.cidr} has {usable(have):,}"
    )
    # With other subnets in the same range, the nodes have half of it.
    fitting = smallest_prefix(needed) - (1 if others else 0)
    if fitting >= LARGEST_VPC_PREFIX:
        wider = IPv4Network(network.cidr).supernet(new_prefix=fitting)
        return Problem(message, ("network", "cidr"), hint=f"cidr: {wider}")
    if smallest_prefix(needed) >= LARGEST_VPC_PREFIX:
        wider = IPv4Network(network.cidr).supernet(new_prefix=LARGEST_VPC_PREFIX)
        return Problem(
            message,
            ("network", "cidr"),
            hint=f"cidr: {wider} for the nodes, and secondary_cidrs: [{_next_range(cluster, 24)}]",
        )
    if efa:
        return _across_16s(needed)
    return Problem(
        message,
        ("network", "cidr"),
        hint=f"a VPC range is at most a /16: add secondary_cidrs: [{_next_range(cluster, 16)}]",
    )


def _across_16s(needed: int) -> Problem:
    return Problem(
        f"the cluster needs {needed:,} addresses, a /16 has {usable(16):,}; an EFA file system "
        "and its clients must be in one /16",
        ("network", "cidr"),
        hint="use fewer nodes, or Lustre without EFA and nodes in several ranges",
    )


def _next_range(cluster: Cluster, prefix: int) -> IPv4Network:
    """Return a range of this prefix that overlaps none of the spec, as an example for a hint."""
    used = [IPv4Network(c) for c in (cluster.network.cidr, *cluster.network.secondary_cidrs)]
    wide = used[0].supernet(new_prefix=min(16, used[0].prefixlen))
    candidate = IPv4Network((int(wide.broadcast_address) + 1, prefix))
    while any(candidate.overlaps(u) for u in used):
        candidate = IPv4Network((int(candidate.broadcast_address) + 1, prefix))
    return candidate
