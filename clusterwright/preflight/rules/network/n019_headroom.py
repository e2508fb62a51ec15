"""Addresses are reserved for replacements and rolling updates."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class Headroom(Rule[None]):
    id = "CW-N019"
    severity = "warning"
    prevents = (
        "a node that cannot be replaced, or an update that stalls, because the subnet is full of "
        "the nodes to be replaced"
    )
    source = "awslabs/awsome-distributed-ai #1122; AWS documentation, HyperPod prerequisites"

    def subjects(self, context: Context) -> Subjects[None]:
        if any(group.count for group in context.cluster.compute):
            yield ("network", "address_headroom_percent"), None

    def check(self, context: Context) -> Results:
        network = context.cluster.network
        plan = context.network_plan
        if network.address_headroom_percent:
            return
        # In a new network the nodes have half of the range or more: unused addresses are
        # headroom too.
        spare = sum(s.addresses_usable for s in plan.node_subnets) - plan.addresses_needed
        largest = max((g.per_node or 0 for g in plan.groups if g.nodes), default=0)
        if network.existing is None and spare >= largest:
            return
        automatic = context.cluster.resilience.node_recovery == "automatic"
        why = "failed nodes are replaced automatically" if automatic else "nodes are replaced"
        yield Fail(
            message=f"address_headroom_percent is 0, and {why}: a new node needs up to "
            f"{largest} addresses while the old one may still use its own",
            hint="address_headroom_percent: 10",
        )
