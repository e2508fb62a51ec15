"""Quotas that the network interfaces of nodes count against."""

from __future__ import annotations

import dataclasses

from clusterwright.catalog import Known
from clusterwright.platforms.hyperpod.instance_groups import ec2_name
from clusterwright.preflight.facts.counts import NetworkInterfaces
from clusterwright.preflight.facts.hyperpod import HyperPodClusters, deployed_cluster
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Subjects
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.quotas.quota_rule import (
    QuotaDemand,
    QuotaRule,
    QuotaUsage,
    ServiceQuota,
    Usage,
)


class NodeInterfaceQuotaRule(QuotaRule):
    """Findings are warnings on HyperPod, because no source states that its nodes count.

    HyperPod's interfaces are in the account's VPC, but the service creates them.
    """

    def check(self, demand: QuotaDemand, context: Context, facts: FactValues) -> Results:
        for result in super().check(demand, context, facts):
            if isinstance(result, Fail) and context.on_hyperpod:
                yield dataclasses.replace(
                    result,
                    message=f"{result.message}; no source states whether HyperPod's interfaces "
                    "count",
                    severity="warning",
                )
            else:
                yield result


def _per_node(context: Context, instance_type: str) -> int | None:
    """One per network card on HyperPod, else those of the launch template; None if unknown."""
    if context.on_hyperpod:
        instance = context.catalog.instance(instance_type)
        cards = instance.network_cards if instance else None
        return cards.value if isinstance(cards, Known) else None
    layout = context.catalog.interface_layout(instance_type)
    return len(layout.value) if isinstance(layout, Known) else None


def _interfaces(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("vpc", "L-DF5E4CA3", "Network interfaces per Region")
    groups = [(path, group) for path, group in context.groups() if group.count]
    each = {g.instance_type: _per_node(context, g.instance_type) for _, g in groups}
    if not groups:
        return
    amount = sum(group.count * (each[group.instance_type] or 0) for _, group in groups)
    unknown = sorted(name for name, count in each.items() if count is None)
    # Unknown types count as none; CW-N003 reports them.
    more = f" (without those of {', '.join(unknown)})" if unknown else ""
    nodes = sum(group.count for _, group in groups)
    zone = context.cluster.network.availability_zone_id
    yield largest(groups), quota.demand(amount, f"{nodes} nodes{more} need", key=zone)


def _interfaces_of_zone(
    demand: QuotaDemand, context: Context, facts: FactValues
) -> list[QuotaUsage]:
    here = {s.id for s in facts[Subnets()] if demand.key in (s.zone_id, s.zone)}
    total = sum(interface.subnet_id in here for interface in facts[NetworkInterfaces()])
    cluster = deployed_cluster(facts[HyperPodClusters()], context.cluster.environment)
    own = sum(
        group.count * (_per_node(context, ec2_name(group.instance_type)) or 0)
        for group in (cluster.groups if cluster else ())
    )
    return [QuotaUsage(total - min(total, own), False), QuotaUsage(min(total, own), True)]


def _address_units(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("vpc", "L-BB24F6E5", "Network Address Usage per VPC", "NAU")
    groups = [(path, group) for path, group in context.groups() if group.count]
    if groups:
        amount = sum(group.count * _units(context, group.instance_type) for _, group in groups)
        nodes = sum(group.count for _, group in groups)
        yield largest(groups), quota.demand(amount, f"{nodes} nodes need")


def _address_units_of_vpc(
    demand: QuotaDemand, context: Context, facts: FactValues
) -> list[QuotaUsage]:
    """The usage of the existing VPC; a new VPC holds nothing but the cluster."""
    existing = context.cluster.network.existing
    if existing is None:
        return []
    cluster = deployed_cluster(facts[HyperPodClusters()], context.cluster.environment)
    own = sum(
        group.count * _units(context, ec2_name(group.instance_type))
        for group in (cluster.groups if cluster else ())
    )
    here = [i for i in facts[NetworkInterfaces()] if i.vpc_id == existing.vpc_id]
    total = sum(interface.addresses for interface in here)
    return [QuotaUsage(max(0, total - own), False), QuotaUsage(min(total, own), True)]


def _units(context: Context, instance_type: str) -> int:
    """The units of one node; unknown types count as none, and CW-N003 reports them."""
    addresses = context.catalog.addresses_per_node(instance_type, context.cluster.platform)
    more = (_per_node(context, instance_type) or 1) - 1
    return more + (addresses.value if isinstance(addresses, Known) else 0)


RULES = (
    NodeInterfaceQuotaRule(
        id="CW-Q044",
        title="Network interfaces of the zone",
        prevents="nodes do not start: NetworkInterfaceLimitExceeded at 5,000 interfaces, which is "
        "156 nodes with 32 network cards each",
        source="AWS documentation, VPC quotas: enforced per zone",
        demands=_interfaces,
        usage=Usage((NetworkInterfaces(), Subnets(), HyperPodClusters()), _interfaces_of_zone),
    ),
    NodeInterfaceQuotaRule(
        id="CW-Q050",
        title="Network Address Usage of the VPC",
        prevents="nodes do not start: NetworkAddressUsageLimitExceeded at 64,000 units, however "
        "many addresses are free in the subnets",
        source="AWS documentation, Network Address Usage for your VPC: 1 unit per address, 1 per "
        "additional network interface",
        demands=_address_units,
        usage=Usage((NetworkInterfaces(), HyperPodClusters()), _address_units_of_vpc),
    ),
)
