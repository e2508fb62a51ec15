"""Network access lists let the nodes of a network that exists out and answers in."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.routes import NetworkAcls
from clusterwright.preflight.rule import FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.network.egress import EVERYWHERE, acl_lets
from clusterwright.preflight.rules.network.existing_network import (
    ExistingNetworkRule,
    node_subnets,
)

HTTPS = 443
# Linux answers from these (net.ipv4.ip_local_port_range, the kernel's default).
EPHEMERAL = (32768, 60999)
# Slurm's daemons, Lustre, NFS, and where collectives and MPI listen.
AMONG_NODES = (6818, 988, 2049, *EPHEMERAL)


class NetworkAccessLists(ExistingNetworkRule):
    id = "CW-N025"
    title = "Network access lists let the nodes' traffic through"
    prevents = (
        "connections that hang: access lists keep no state, so that answers need a rule of their "
        "own"
    )
    source = "AWS documentation, network ACLs"
    needs = (Subnets(), NetworkAcls())

    def check(self, existing: ExistingNetwork, facts: FactValues) -> Results:
        lists = facts[NetworkAcls()]
        found = list(node_subnets(existing, facts[Subnets()]))
        ranges = {subnet.id: subnet.cidr for _, _, subnet in found if subnet is not None}
        for path, subnet_id, subnet in found:
            if subnet is None or subnet.vpc_id != existing.vpc_id:
                continue
            own = next((one for one in lists if subnet_id in one.subnet_ids), None) or next(
                (one for one in lists if one.default and one.vpc_id == subnet.vpc_id), None
            )
            if own is None:
                yield Unknown(message=f"EC2 names no access list of {subnet_id}", path=path)
                continue
            asked = [("out to HTTPS", True, HTTPS, EVERYWHERE)]
            asked += [("in for answers", False, port, EVERYWHERE) for port in EPHEMERAL]
            # Traffic inside of one subnet passes no list.
            for other, cidr in ranges.items():
                if other != subnet_id:
                    asked += [(f"in from {other}", False, port, cidr) for port in AMONG_NODES]
                    asked += [(f"out to {other}", True, port, cidr) for port in AMONG_NODES]
            closed: dict[str, list[int]] = {}
            partly: dict[str, list[int]] = {}
            for what, outbound, port, range_ in asked:
                let = acl_lets(own.entries, outbound=outbound, port=port, range_=range_)
                if let is not True:
                    (partly if let is None else closed).setdefault(what, []).append(port)
            for what, ports in closed.items():
                yield Fail(
                    message=f"{own.id} lets {subnet_id} nothing {what}: TCP "
                    f"{', '.join(map(str, ports))}",
                    path=path,
                    where=own.id,
                    hint="its owner must allow it, in both directions",
                )
            for what, ports in partly.items():
                yield Fail(
                    message=f"{own.id} denies {subnet_id} a part of what goes {what}: TCP "
                    f"{', '.join(map(str, ports))}",
                    path=path,
                    severity="warning",
                    where=own.id,
                    hint="see that it is no part which the nodes or AWS's services use",
                )


RULE = NetworkAccessLists()
