"""Network Address Usage of the VPC."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.catalog import Known
from clusterwright.platforms.hyperpod.instance_groups import ec2_name
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import NetworkInterfaces
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.rule import Subject, Verdict
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.quotas.hyperpod_usage import own
from clusterwright.preflight.rules.quotas.node_interfaces import (
    interfaces_per_node,
    milder_on_hyperpod,
)
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class AddressUsageQuota(QuotaRule):
    id = "CW-Q050"
    title = "Network Address Usage of the VPC"
    prevents = (
        "nodes that do not start: NetworkAddressUsageLimitExceeded at 64,000 units, whatever the "
        "subnets have left"
    )
    source = (
        "AWS documentation, Network Address Usage for your VPC: 1 unit per address, 1 per "
        "additional network interface"
    )
    usage_facts = (NetworkInterfaces(), HyperPodClusters())

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        groups = [(path, group) for path, group in context.groups() if group.count]
        if not groups:
            return
        amount = sum(group.count * _units(context, group.instance_type) for _, group in groups)
        nodes = sum(group.count for _, group in groups)
        want = Want(
            amount,
            f"{nodes} nodes need",
            "Network Address Usage per VPC",
            "vpc",
            "L-BB24F6E5",
            unit="NAU",
        )
        yield Subject(largest(groups), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        """What stands in the VPC that exists; one that is built is empty but for ourselves."""
        del want
        existing = context.cluster.network.existing
        if existing is None:
            return []
        cluster = own(facts[HyperPodClusters()], context)
        present = sum(
            group.count * _units(context, ec2_name(group.instance_type))
            for group in (cluster.groups if cluster else ())
        )
        here = [one for one in facts[NetworkInterfaces()] if one.vpc_id == existing.vpc_id]
        total = sum(one.addresses for one in here)
        return [Use(max(0, total - present), False), Use(min(total, present), True)]

    def check(
        self, subject: Subject[Want], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        yield from milder_on_hyperpod(super().check(subject, context, facts), context)


def _units(context: Context, instance_type: str) -> int:
    """Units of one node; what no source knows counts as none, and CW-N003 says so."""
    addresses = context.catalog.addresses_per_node(instance_type, context.cluster.platform)
    more = (interfaces_per_node(context, instance_type) or 1) - 1
    return more + (addresses.value if isinstance(addresses, Known) else 0)


RULE = AddressUsageQuota()
