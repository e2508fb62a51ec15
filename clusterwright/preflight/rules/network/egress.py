"""How the nodes of a network that exists reach AWS's services.

Sources: AWS documentation, VPC route tables (the longest prefix decides, blackhole routes lead
nowhere), NAT gateways (an instance without a public address cannot use an internet gateway),
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
"""What a rule about the egress of an existing network reads."""
EVERYWHERE = "0.0.0.0/0"
_INTERNET_GATEWAY = "igw-"
_ENDPOINT = "vpce-"


@dataclass(frozen=True)
class WayOut:
    """Where the routes of one subnet lead.

    Attributes
    ----------
    default:
        The target of the default route, where instances without public addresses can use it.
    useless:
        Why a default route that is there cannot be used.
    others:
        Targets of routes to further networks, behind which endpoints may stand.
    """

    table: RouteTable | None
    default: str | None
    useless: str | None
    others: tuple[str, ...]


def way_out(tables: Iterable[RouteTable], subnet: Subnet) -> WayOut:
    """The way out of a subnet."""
    table = by_subnet(tables, subnet.vpc_id, subnet.id)
    if table is None:
        return WayOut(None, None, None, ())
    default = next((r for r in table.routes if r.destination == EVERYWHERE), None)
    others = tuple(sorted({r.target for r in table.routes if r is not default and _leads_away(r)}))
    if default is None:
        return WayOut(table, None, None, others)
    if default.state == "blackhole":
        return WayOut(
            table, None, f"its default route leads to {default.target}, which is gone", others
        )
    if default.target.startswith(_INTERNET_GATEWAY):
        why = (
            f"its default route leads to {default.target}, which nodes without public addresses "
            "cannot use"
        )
        return WayOut(table, None, why, others)
    return WayOut(table, default.target, None, others)


def endpoint_names(region: str, service: str) -> tuple[str, ...]:
    """Names that the endpoint of a service has; the Chinese regions have a prefix of their own."""
    name = f"com.amazonaws.{region}.{service}"
    return (name, f"cn.{name}")


def gateway_of(
    endpoints: Iterable[Endpoint], table: RouteTable | None, vpc_id: str, names: Sequence[str]
) -> Endpoint | None:
    """The gateway endpoint of a service that a route table leads to."""
    return next(
        (
            one
            for one in endpoints
            if one.kind == "gateway"
            and one.vpc_id == vpc_id
            and one.service in names
            and one.state == "available"
            and table is not None
            and table.id in one.route_table_ids
        ),
        None,
    )


def interface_of(
    endpoints: Iterable[Endpoint], vpc_id: str, names: Sequence[str]
) -> Endpoint | None:
    """The interface endpoint of a service in a VPC; one with private DNS before others."""
    found = [
        one
        for one in endpoints
        if one.kind == "interface" and one.vpc_id == vpc_id and one.service in names
    ]
    return next(iter(sorted(found, key=lambda one: (not one.private_dns, one.state))), None)


def lets_through(
    permissions: Iterable[Permission], port: int, groups: Iterable[str], ranges: Iterable[str]
) -> bool | None:
    """Whether rules let TCP traffic to `port` through, from or to these groups or ranges.

    A range counts where one of the rules' ranges holds all of it. None where only a prefix list
    could, whose ranges are not known.
    """
    wanted = set(groups)
    nets = [IPv4Network(r) for r in ranges]
    rules = [rule for rule in permissions if rule.covers(port)]
    if any(rule.groups & wanted for rule in rules):
        return True
    allowed = [IPv4Network(cidr, strict=False) for rule in rules for cidr in rule.cidrs]
    if nets and all(any(net.subnet_of(a) for a in allowed) for net in nets):
        return True
    return None if any(rule.prefix_lists for rule in rules) else False


def group_reaches(
    source: Sequence[SecurityGroup],
    target: Sequence[SecurityGroup],
    port: int,
    source_ranges: Sequence[str],
    target_ranges: Sequence[str],
) -> tuple[bool | None, bool | None]:
    """Whether any of `source`'s rules lets TCP traffic to `port` out to `target`, and any of
    `target`'s lets it in; None as `lets_through` has it.
    """
    out = [rule for one in source for rule in one.outbound]
    into = [rule for one in target for rule in one.inbound]
    return (
        lets_through(out, port, [t.id for t in target], target_ranges),
        lets_through(into, port, [s.id for s in source], source_ranges),
    )


def acl_lets(
    entries: Iterable[AclEntry], *, outbound: bool, port: int, range_: str
) -> bool | None:
    """Whether an access list lets TCP traffic through; None where it does for a part of the range.

    The entry of the lowest number that fits decides (AWS documentation, network ACLs).
    """
    net, partly = IPv4Network(range_), False
    for entry in sorted(entries, key=lambda one: one.number):
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


def _leads_away(route: Route) -> bool:
    return (
        route.state != "blackhole"
        and route.target not in ("local", "")
        and not route.target.startswith((_ENDPOINT, _INTERNET_GATEWAY))
    )


def services_used(context: Context) -> list[Service]:
    """The services that nodes call through interface endpoints where they have no other path."""
    return [service for service in INTERFACE_SERVICES if service.used(context.cluster)]
