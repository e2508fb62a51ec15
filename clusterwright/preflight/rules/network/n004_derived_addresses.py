"""The number of addresses per node is documented."""

from __future__ import annotations

from clusterwright.platforms.network import GroupAddresses
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class DerivedAddresses(Rule[GroupAddresses]):
    id = "CW-N004"
    severity = "info"
    prevents = "a subnet sized by an unnoticed assumption"
    source = "AWS documentation, HyperPod prerequisites, which states the figure for P5 only"

    def subjects(self, context: Context) -> Subjects[GroupAddresses]:
        for (path, group), addresses in zip(
            context.groups(), context.network_plan.groups, strict=True
        ):
            # One address per node is the ordinary case.
            if group.count and addresses.per_node is not None and addresses.per_node > 1:
                yield (*path, "instance_type"), addresses

    def check(self, addresses: GroupAddresses, context: Context) -> Results:
        how = (
            "those of a full first interface and one per additional card"
            if context.cluster.uses_kubernetes
            else "one per network card"
        )
        if addresses.derived:
            yield Fail(
                message=f"each {addresses.instance_type} is assumed to need {addresses.per_node} "
                f"addresses, {how}; no source states it",
                requested=addresses.per_node,
                hint="compare with the free addresses of the subnet after the first node",
            )
