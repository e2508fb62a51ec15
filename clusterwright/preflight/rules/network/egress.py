"""Egress paths of an existing network: routes, endpoints, security groups and network ACLs.

Sources: AWS documentation, VPC route tables (the longest prefix decides, blackhole routes drop
traffic), NAT gateways (an instance without a public address cannot use an internet gateway),
interface endpoints (private DNS, security groups) and gateway endpoints (route tables).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network

from clusterwright.aws.ec2.routes import AclEntry, Endpoint, Route, RouteTable, by_subnet
from clusterwright.aws.ec2.vpc import Permission, SecurityGroup, Subnet
from clusterwright.platforms.endpoints import INTERFACE_SERVICES, Service
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.routes import Endpoints, RouteTables
from clusterwright.preflight.rule import Context

EGRESS_FACTS = (Subnets(), RouteTables(), Endpoints())
"""Facts that a rule about the egress of an existing network needs."""
EVERYWHERE = "0.0.0.0/0"
_INTERNET_GATEWAY = "igw-"
_ENDPOINT = "vpce-"


@dataclass(frozen=True)
class EgressPath:
    """The egress path of one subnet by its route table.

    Attributes
    ----------
    default:
        The target of the default route, if instances without public addresses can use it.
    useless:
        Why the existing default route cannot be used.
    others:
        Targets of routes to other networks, which may have endpoints.
    """

    table: RouteTable | None
    default: str | None
    useless: str | None
    others: tuple[str, ...]


def egress_path(tables: Iterable[RouteTable], subnet: Subnet) -> EgressPath:
    """The egress path of a subnet."""
    table = by_subnet(tables, subnet.vpc_id, subnet.id)
    if table is None:
        return EgressPath(None, None, None, ())
    default = next((r for r in table.routes if r.destination == EVERYWHERE), None)
    others = tuple(
        sorted({r.target for r in table.routes if r is not default and _leads_elsewhere(r)})
    )
    if default is None:
        return EgressPath(table, None, None, others)
    if default.state == "blackhole":
        return EgressPath(
            table,
            None,
            f"its default route leads to {default.target}, which no longer exists",
            others,
        )
    if default.target.startswith(_INTERNET_GATEWAY):
        why = (
            f"its default route leads to {default.target}, which nodes without public addresses "
            "cannot use"
        )
        return EgressPath(table, None, why, others)
    return EgressPath(table, default.target, None, others)


def endpoint_names(region: str, service: str) -> tuple[str, ...]:
    """The names of a service's endpoint; the China regions add a prefix."""
    name = f"com.amazonaws.{region}.{service}"
    return (name, f"cn.{name}")


def gateway_of(
    endpoints: Iterable[Endpoint], table: RouteTable | None, vpc_id: str, names: Sequence[str]
) -> Endpoint | None:
    """The gateway endpoint of a service in a route table."""
    return next(
        (
            endpoint
            for endpoint in endpoints
            if endpoint.kind == "gateway"
            and endpoint.vpc_id == vpc_id
            and endpoint.service in names
            and endpoint.state == "available"
            and table is not None
            and table.id in endpoint.route_table_ids
        ),
        None,
    )


def interface_of(
    endpoints: Iterable[Endpoint], vpc_id: str, names: Sequence[str]
) -> Endpoint | None:
    """The interface endpoint of a service in a VPC; one with private DNS is preferred."""
    found = [
        endpoint
        for endpoint in endpoints
        if endpoint.kind == "interface" and endpoint.vpc_id == vpc_id and endpoint.service in names
    ]
    return next(
        iter(sorted(found, key=lambda endpoint: (not endpoint.private_dns, endpoint.state))), None
    )


def allows_traffic(
    permissions: Iterable[Permission], port: int, groups: Iterable[str], ranges: Iterable[str]
) -> bool | None:
    """Whether rules allow TCP traffic to `port`, from or to these groups or ranges.

    A range counts if one range of the rules contains all of it. None if only a prefix list
    could allow it, whose ranges are not known.
    """
    group_ids = set(groups)
    nets = [IPv4Network(r) for r in ranges]
    rules = [rule for rule in permissions if rule.covers(port)]
    if any(rule.groups & group_ids for rule in rules):
        return True
    allowed = [IPv4Network(cidr, strict=False) for rule in rules for cidr in rule.cidrs]
    if nets and all(any(net.subnet_of(a) for a in allowed) for net in nets):
        return True
    return None if any(rule.prefix_lists for rule in rules) else False


def groups_allow(
    source: Sequence[SecurityGroup],
    target: Sequence[SecurityGroup],
    port: int,
    source_ranges: Sequence[str],
    target_ranges: Sequence[str],
) -> tuple[bool | None, bool | None]:
    """Whether any rule of `source` allows TCP traffic to `port` of `target`, and any rule of
    `target` allows it in; None as in `allows_traffic`.
    """
    out = [rule for group in source for rule in group.outbound]
    into = [rule for group in target for rule in group.inbound]
    return (
        allows_traffic(out, port, [t.id for t in target], target_ranges),
        allows_traffic(into, port, [s.id for s in source], source_ranges),
    )


def acl_allows(
    entries: Iterable[AclEntry], *, outbound: bool, port: int, range_: str
) -> bool | None:
    """Whether a network ACL allows TCP traffic; None if it does for a part of the range.

    The matching entry with the lowest number decides (AWS documentation, network ACLs).
    """
    net, partly = IPv4Network(range_), False
    for entry in sorted(entries, key=lambda entry: entry.number):
        if entry.outbound != outbound or entry.cidr is None:
            continue
        if entry.protocol not in ("-1", "6"):
            continue
        first, last = entry.first_port, entry.last_port
        # An entry for all protocols has no ports.
        if first is not None and last is not None and not first <= port <= last:
            continue
        cidr = IPv4Network(entry.cidr, strict=False)
        if net.subnet_of(cidr):
            return None if partly else entry.allow
        partly = partly or net.overlaps(cidr)
    return None if partly else False


def _leads_elsewhere(route: Route) -> bool:
    return (
        route.state != "blackhole"
        and route.target not in ("local", "")
        and not route.target.startswith((_ENDPOINT, _INTERNET_GATEWAY))
    )


def services_used(context: Context) -> list[Service]:
    """The services that nodes call through interface endpoints where they have no other path."""
    return [service for service in INTERFACE_SERVICES if service.used(context.cluster)]
