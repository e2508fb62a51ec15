"""Network ACLs allow the nodes' traffic."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.routes import NetworkAcls
from clusterwright.preflight.rule import FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.network.egress import EVERYWHERE, acl_allows
from clusterwright.preflight.rules.network.existing_network import (
    ExistingNetworkRule,
    node_subnets,
)

HTTPS = 443
# Linux's ephemeral ports (net.ipv4.ip_local_port_range, the kernel's default).
EPHEMERAL = (32768, 60999)
# Slurm's daemons, Lustre, NFS, and the ports of collectives and MPI.
AMONG_NODES = (6818, 988, 2049, *EPHEMERAL)


class NetworkAclTraffic(ExistingNetworkRule):
    id = "CW-N025"
    prevents = (
        "connections that hang: network ACLs are stateless, so that return traffic needs "
        "separate rules"
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
            own = next((acl for acl in lists if subnet_id in acl.subnet_ids), None) or next(
                (acl for acl in lists if acl.default and acl.vpc_id == subnet.vpc_id), None
            )
            if own is None:
                yield Unknown(message=f"EC2 lists no network ACL of {subnet_id}", path=path)
                continue
            asked = [("out to HTTPS", True, HTTPS, EVERYWHERE)]
            asked += [("in for return traffic", False, port, EVERYWHERE) for port in EPHEMERAL]
            # Traffic within a subnet passes no network ACL.
            for other, cidr in ranges.items():
                if other != subnet_id:
                    asked += [(f"in from {other}", False, port, cidr) for port in AMONG_NODES]
                    asked += [(f"out to {other}", True, port, cidr) for port in AMONG_NODES]
            closed: dict[str, list[int]] = {}
            partly: dict[str, list[int]] = {}
            for what, outbound, port, range_ in asked:
                let = acl_allows(own.entries, outbound=outbound, port=port, range_=range_)
                if let is not True:
                    (partly if let is None else closed).setdefault(what, []).append(port)
            for what, ports in closed.items():
                yield Fail(
                    message=f"{own.id} of {subnet_id} does not allow traffic {what}: TCP "
                    f"{', '.join(map(str, ports))}",
                    path=path,
                    where=own.id,
                    hint="its owner must allow it in both directions",
                )
            for what, ports in partly.items():
                yield Fail(
                    message=f"{own.id} of {subnet_id} denies a part of the traffic {what}: TCP "
                    f"{', '.join(map(str, ports))}",
                    path=path,
                    severity="warning",
                    where=own.id,
                    hint="make sure that neither the nodes nor AWS services use that part",
                )
