"""Network traffic that is allowed after a change and was not before."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.review.expressions import Expression, shown
from clusterwright.review.resource_changes import ChangeAnalysis, ResourceVersion
from clusterwright.review.results import AccessChange

_SOURCES: Final = (
    "CidrIp",
    "CidrIpv6",
    "SourcePrefixListId",
    "DestinationPrefixListId",
    "SourceSecurityGroupId",
    "SourceSecurityGroupName",
    "DestinationSecurityGroupId",
)
_ALL_PORTS: Final = (0, 65535)
_EVERYWHERE: Final = frozenset({"0.0.0.0/0", "::/0"})

_GATEWAYS: Final[dict[str, str]] = {
    "AWS::EC2::EgressOnlyInternetGateway": "egress to the internet",
    "AWS::EC2::InternetGateway": "an internet gateway",
    "AWS::EC2::NatGateway": "a NAT gateway: egress to the internet",
    "AWS::EC2::TransitGatewayAttachment": "a transit gateway attachment",
    "AWS::EC2::VPCPeeringConnection": "a VPC peering connection",
    "AWS::EC2::VPNGateway": "a VPN gateway",
}

_RESTRICTIVE_VALUES: Final[dict[tuple[str, tuple[str, ...]], tuple[str, str]]] = {
    # (type, property) -> (the restrictive value, the effect of any other value)
    ("AWS::EC2::Subnet", ("MapPublicIpOnLaunch",)): ("false", "instances get public addresses"),
    ("AWS::EC2::Subnet", ("AssignIpv6AddressOnCreation",)): ("false", "instances get IPv6"),
    ("AWS::RDS::DBInstance", ("PubliclyAccessible",)): ("false", "the database is public"),
    ("AWS::EKS::Cluster", ("ResourcesVpcConfig", "EndpointPublicAccess")): (
        "false",
        "the API server is reachable from the internet",
    ),
    **{
        ("AWS::S3::Bucket", ("PublicAccessBlockConfiguration", name)): (
            "true",
            "the bucket may be made public",
        )
        for name in (
            "BlockPublicAcls",
            "BlockPublicPolicy",
            "IgnorePublicAcls",
            "RestrictPublicBuckets",
        )
    },
}


@dataclass(frozen=True)
class Rule:
    """One rule of a security group or network ACL."""

    stack: str
    where: str
    group: str
    direction: str
    protocol: str
    ports: tuple[int, int] | str
    peer: str

    def covers(self, other: Rule) -> bool:
        """Whether this rule allows all traffic that `other` allows."""
        if (self.stack, self.group, self.direction) != (other.stack, other.group, other.direction):
            return False
        if self.protocol not in ("-1", other.protocol):
            return False
        if self.protocol != "-1" and not _ports_cover(self.ports, other.ports):
            return False
        return self.peer == other.peer or _range_covers(self.peer, other.peer)

    def __str__(self) -> str:
        what = "everything" if self.protocol == "-1" else f"{self.protocol} {_ports(self.ports)}"
        way = "from" if self.direction == "in" else "to"
        wide = " (anywhere)" if self.peer in _EVERYWHERE else ""
        return f"{self.group}: {what} {way} {self.peer}{wide}"


def wider_network(analysis: ChangeAnalysis) -> tuple[AccessChange, ...]:
    """All traffic that is allowed after the change and was not before."""
    before = [pair.before for pair in analysis.pairs.values() if pair.before is not None]
    after = [pair.after for pair in analysis.pairs.values() if pair.after is not None]
    old, new = list(_rules(before)), list(_rules(after))
    found = [
        AccessChange(rule.stack, rule.where, str(rule))
        for rule in new
        if not any(other.covers(rule) for other in old)
    ]
    found += _new_exposure(before, after)
    return tuple(dict.fromkeys(found))


def _rules(resources: Iterable[ResourceVersion]) -> Iterator[Rule]:
    for side in resources:
        properties = side.properties
        match side.type:
            case "AWS::EC2::SecurityGroup":
                group = f"<{side.key[1]}>"
                for name, direction in (
                    ("SecurityGroupIngress", "in"),
                    ("SecurityGroupEgress", "out"),
                ):
                    rules = properties.get(name)
                    if rules is None and direction == "out" and "GroupDescription" in properties:
                        # A group without egress rules of its own lets everything out.
                        yield Rule(*side.key, group, "out", "-1", _ALL_PORTS, "0.0.0.0/0")
                    for rule in _items(rules):
                        yield _rule(side, group, direction, rule)
            case "AWS::EC2::SecurityGroupIngress" | "AWS::EC2::SecurityGroupEgress":
                direction = "in" if side.type.endswith("Ingress") else "out"
                name = properties.get("GroupId", properties.get("GroupName"))
                yield _rule(side, _group(name), direction, properties)
            case "AWS::EC2::NetworkAclEntry" if properties.get("RuleAction") == "allow":
                direction = "out" if properties.get("Egress") == "true" else "in"
                yield _rule(side, shown(properties.get("NetworkAclId")), direction, properties)


def _group(name: Expression) -> str:
    match name:
        case ("attribute", group, "GroupId"):
            return f"<{group}>"
        case _:
            return shown(name)


def _rule(side: ResourceVersion, group: str, direction: str, rule: Any) -> Rule:
    if not isinstance(rule, Mapping):
        return Rule(*side.key, group, direction, "-1", _ALL_PORTS, shown(rule))
    protocol = shown(rule.get("IpProtocol", rule.get("Protocol", "-1")))
    first, last = rule.get("FromPort"), rule.get("ToPort")
    ports: tuple[int, int] | str
    if _whole(first) and _whole(last):
        ports = (int(str(first)), int(str(last)))
    elif first is None and last is None:
        ports = _ALL_PORTS
    else:
        ports = f"{shown(first)}-{shown(last)}"
    if isinstance(ports, tuple) and ports[0] < 0:
        ports = _ALL_PORTS
    peers = [_group(rule[name]) for name in (*_SOURCES, "CidrBlock") if name in rule]
    return Rule(*side.key, group, direction, protocol, ports, ", ".join(peers) or "anywhere")


def _new_exposure(
    before: Iterable[ResourceVersion], after: Iterable[ResourceVersion]
) -> Iterator[AccessChange]:
    old = {side.key: side for side in before}
    for side in after:
        earlier = old.get(side.key)
        gateway = _GATEWAYS.get(side.type)
        if gateway is not None and earlier is None:
            yield AccessChange(*side.key, f"new: {gateway}")
        if side.type == "AWS::EC2::Route":
            yield from _route(side, earlier)
        for (kind, path), (restrictive, what) in _RESTRICTIVE_VALUES.items():
            if kind != side.type:
                continue
            now = _value(side, path)
            was = _value(earlier, path) if earlier is not None else restrictive
            is_restrictive_by_default = kind != "AWS::S3::Bucket" and now is None
            if now != restrictive and not is_restrictive_by_default and now != was:
                yield AccessChange(*side.key, f"{'.'.join(path)}: {what}")


def _route(side: ResourceVersion, earlier: ResourceVersion | None) -> Iterator[AccessChange]:
    names = ("DestinationCidrBlock", "DestinationIpv6CidrBlock")
    wide = [v for name in names if (v := side.properties.get(name)) in _EVERYWHERE]
    if wide and (earlier is None or earlier.properties != side.properties):
        target = next(
            (
                shown(side.properties[name])
                for name in ("NatGatewayId", "GatewayId", "TransitGatewayId", "InstanceId")
                if name in side.properties
            ),
            "another target",
        )
        yield AccessChange(*side.key, f"a route for {wide[0]} to {target}")


def _value(side: ResourceVersion | None, path: tuple[str, ...]) -> Expression:
    here: Any = side.properties if side is not None else None
    for part in path:
        here = here.get(part) if isinstance(here, Mapping) else None
    return here


def _items(value: Expression) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _whole(value: Expression) -> bool:
    return isinstance(value, str) and value.lstrip("-").isdigit()


def _ports(ports: tuple[int, int] | str) -> str:
    if isinstance(ports, str):
        return f"ports {ports}"
    if ports == _ALL_PORTS:
        return "on every port"
    first, last = ports
    return f"port {first}" if first == last else f"ports {first}-{last}"


def _ports_cover(mine: tuple[int, int] | str, other: tuple[int, int] | str) -> bool:
    if isinstance(mine, str) or isinstance(other, str):
        return mine == other
    return mine[0] <= other[0] and other[1] <= mine[1]


def _range_covers(mine: str, other: str) -> bool:
    try:
        outer, inner = ipaddress.ip_network(mine), ipaddress.ip_network(other)
    except ValueError:
        return False
    return outer.version == inner.version and inner.subnet_of(outer)  # type: ignore[arg-type]
