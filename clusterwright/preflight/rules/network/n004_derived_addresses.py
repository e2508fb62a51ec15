"""Addresses per node that no source states are derived, and said to be."""

from __future__ import annotations

from clusterwright.platforms.network import GroupAddresses
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subject, Subjects


class DerivedAddresses(Rule[GroupAddresses]):
    id = "CW-N004"
    title = "Addresses per node come from a source"
    severity = "info"
    scope = "offline"
    prevents = "a subnet sized from an assumption that nobody knew of"
    source = "AWS documentation, HyperPod prerequisites, which gives the figure of P5 alone"

    def subjects(self, context: Context) -> Subjects[GroupAddresses]:
        for (path, group), addresses in zip(
            context.groups(), context.network_plan.groups, strict=True
        ):
            # A node with one address has no more than any other machine.
            if group.count and addresses.per_node is not None and addresses.per_node > 1:
                yield Subject((*path, "instance_type"), addresses)

    def check(self, addresses: GroupAddresses, context: Context) -> Results:
        how = (
            "those of a full first interface and one per further card"
            if context.cluster.uses_kubernetes
            else "one per network card"
        )
        if addresses.derived:
            yield Fail(
                message=f"each {addresses.instance_type} is taken to need {addresses.per_node} "
                f"addresses, {how}; no source states it",
                requested=addresses.per_node,
                hint="compare with the free addresses of the subnet after the first node",
            )


RULE = DerivedAddresses()
