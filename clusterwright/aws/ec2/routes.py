"""Egress of a VPC: route tables, internet gateways, endpoints, network ACLs, name servers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.ec2.vpc import STACK_TAG
from clusterwright.aws.errors import is_not_found
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value


@dataclass(frozen=True)
class Route:
    """A route. `target` is an id (`nat-…`, `igw-…`, `tgw-…`, `vpce-…`, `local`)."""

    destination: str
    """An IPv4 CIDR range or the id of a prefix list."""

    target: str
    state: str


@dataclass(frozen=True)
class RouteTable:
    id: str
    vpc_id: str
    main: bool
    subnet_ids: tuple[str, ...]
    routes: tuple[Route, ...]


@dataclass(frozen=True)
class Endpoint:
    """A VPC endpoint. `policy` is the policy document, None if AWS returns none."""

    id: str
    vpc_id: str
    kind: str
    service: str
    state: str
    private_dns: bool
    subnet_ids: tuple[str, ...]
    group_ids: tuple[str, ...]
    route_table_ids: tuple[str, ...]
    policy: str | None
    stack: str | None


@dataclass(frozen=True)
class AclEntry:
    number: int
    outbound: bool
    allow: bool
    protocol: str
    cidr: str | None
    """None for an IPv6 entry."""

    first_port: int | None
    last_port: int | None


@dataclass(frozen=True)
class NetworkAcl:
    id: str
    vpc_id: str
    default: bool
    subnet_ids: tuple[str, ...]
    entries: tuple[AclEntry, ...]


def route_tables(session: AwsSession) -> tuple[RouteTable, ...]:
    """Return every route table of the account in the region."""
    return tuple(
        RouteTable(
            answer["RouteTableId"],
            answer["VpcId"],
            any(a.get("Main") for a in answer.get("Associations") or ()),
            tuple(a["SubnetId"] for a in answer.get("Associations") or () if a.get("SubnetId")),
            tuple(_route(session, route) for route in answer.get("Routes") or ()),
        )
        for answer in session.items("ec2", "DescribeRouteTables", "RouteTables")
    )


def endpoints(session: AwsSession) -> tuple[Endpoint, ...]:
    """Return every VPC endpoint of the account in the region that is not deleted."""
    return tuple(
        Endpoint(
            id=answer["VpcEndpointId"],
            vpc_id=answer["VpcId"],
            kind=(answer.get("VpcEndpointType") or "Gateway").lower(),
            service=answer["ServiceName"],
            state=(answer.get("State") or "").lower(),
            private_dns=bool(answer.get("PrivateDnsEnabled")),
            subnet_ids=tuple(answer.get("SubnetIds") or ()),
            group_ids=tuple(group["GroupId"] for group in answer.get("Groups") or ()),
            route_table_ids=tuple(answer.get("RouteTableIds") or ()),
            policy=_text(answer.get("PolicyDocument")),
            stack={t["Key"]: t["Value"] for t in answer.get("Tags") or ()}.get(STACK_TAG),
        )
        for answer in session.items("ec2", "DescribeVpcEndpoints", "VpcEndpoints")
        if (answer.get("State") or "").lower() not in ("deleted", "rejected", "expired")
    )


def internet_gateway_stacks(session: AwsSession) -> tuple[str | None, ...]:
    """Return the stack of every internet gateway in the region, None for one without a stack."""
    return tuple(
        {t["Key"]: t["Value"] for t in answer.get("Tags") or ()}.get(STACK_TAG)
        for answer in session.items("ec2", "DescribeInternetGateways", "InternetGateways")
    )


def network_acls(session: AwsSession) -> tuple[NetworkAcl, ...]:
    """Return every network ACL of the account in the region."""
    return tuple(
        NetworkAcl(
            answer["NetworkAclId"],
            answer["VpcId"],
            bool(answer.get("IsDefault")),
            tuple(a["SubnetId"] for a in answer.get("Associations") or () if a.get("SubnetId")),
            tuple(_entry(entry) for entry in answer.get("Entries") or ()),
        )
        for answer in session.items("ec2", "DescribeNetworkAcls", "NetworkAcls")
    )


def name_servers(session: AwsSession, vpc_id: str) -> tuple[str, ...] | None:
    """Return the name servers of a VPC's DHCP options, None if the VPC does not exist.

    `AmazonProvidedDNS` is the Route 53 Resolver; only it resolves the private names of endpoints.
    """
    try:
        found = session.call("ec2", "DescribeVpcs", VpcIds=[vpc_id])["Vpcs"]
    except Exception as error:
        if is_not_found(error):
            return None
        raise
    if not found:
        return None
    options = found[0].get("DhcpOptionsId") or "default"
    if options == "default":
        return ("AmazonProvidedDNS",)
    answer = session.call("ec2", "DescribeDhcpOptions", DhcpOptionsIds=[options])
    return tuple(
        str(value["Value"])
        for options_set in answer["DhcpOptions"]
        for configuration in options_set.get("DhcpConfigurations") or ()
        if configuration.get("Key") == "domain-name-servers"
        for value in configuration.get("Values") or ()
    )


def _route(session: AwsSession, answer: Mapping[str, Any]) -> Route:
    targets = (
        "NatGatewayId",
        "GatewayId",
        "TransitGatewayId",
        "VpcPeeringConnectionId",
        "NetworkInterfaceId",
        "InstanceId",
        "LocalGatewayId",
        "CarrierGatewayId",
        "CoreNetworkArn",
    )
    return Route(
        answer.get("DestinationCidrBlock") or answer.get("DestinationPrefixListId") or "",
        next((str(answer[name]) for name in targets if answer.get(name)), ""),
        known_value(
            session,
            answer.get("State") or "active",
            service="ec2",
            operation="DescribeRouteTables",
            shape="RouteState",
        ),
    )


def _entry(answer: Mapping[str, Any]) -> AclEntry:
    ports = answer.get("PortRange") or {}
    return AclEntry(
        int(answer["RuleNumber"]),
        bool(answer["Egress"]),
        answer["RuleAction"] == "allow",
        str(answer["Protocol"]),
        answer.get("CidrBlock"),
        ports.get("From"),
        ports.get("To"),
    )


def _text(document: Any) -> str | None:
    if document is None or isinstance(document, str):
        return document or None
    return json.dumps(document, sort_keys=True)


def by_subnet(tables: Iterable[RouteTable], vpc_id: str, subnet_id: str) -> RouteTable | None:
    """Return the route table of a subnet: an explicit association, else the VPC's main table."""
    of_vpc = [table for table in tables if table.vpc_id == vpc_id]
    explicit = next((table for table in of_vpc if subnet_id in table.subnet_ids), None)
    return explicit or next((table for table in of_vpc if table.main), None)
