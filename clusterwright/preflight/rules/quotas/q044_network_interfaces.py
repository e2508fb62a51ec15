"""Network interfaces of the zone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import NetworkInterfaces
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Subject, Verdict
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.quotas.node_interfaces import (
    interfaces_per_node,
    milder_on_hyperpod,
    present_interfaces,
)
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class NetworkInterfaceQuota(QuotaRule):
    id = "CW-Q044"
    title = "Network interfaces of the zone"
    prevents = (
        "nodes that do not start: NetworkInterfaceLimitExceeded at 5,000 interfaces, which is 156 "
        "nodes of 32 network cards each"
    )
    source = "AWS documentation, VPC quotas: enforced per zone"
    usage_facts = (NetworkInterfaces(), Subnets(), HyperPodClusters())

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        groups = [(path, group) for path, group in context.groups() if group.count]
        each = {g.instance_type: interfaces_per_node(context, g.instance_type) for _, g in groups}
        if not groups:
            return
        amount = sum(group.count * (each[group.instance_type] or 0) for _, group in groups)
        unknown = sorted(name for name, count in each.items() if count is None)
        # What nobody knows counts as none; CW-N003 says which types these are.
        more = f" (without those of {', '.join(unknown)})" if unknown else ""
        nodes = sum(group.count for _, group in groups)
        want = Want(
            amount,
            f"{nodes} nodes{more} need",
            "Network interfaces per Region",
            "vpc",
            "L-DF5E4CA3",
            key=context.cluster.network.availability_zone_id,
        )
        yield Subject(largest(groups), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        here = {s.id for s in facts[Subnets()] if want.key in (s.zone_id, s.zone)}
        total = sum(one.subnet_id in here for one in facts[NetworkInterfaces()])
        present = min(total, present_interfaces(context, facts[HyperPodClusters()]))
        return [Use(total - present, False), Use(present, True)]

    def check(
        self, subject: Subject[Want], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        yield from milder_on_hyperpod(super().check(subject, context, facts), context)


RULE = NetworkInterfaceQuota()
