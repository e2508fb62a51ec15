"""Egress of a network: routes, endpoints, network ACLs, DNS servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws.ec2 import routes
from clusterwright.preflight.facts.fact import Fact


@dataclass(frozen=True)
class RouteTables(Fact[tuple[routes.RouteTable, ...]]):
    """Every route table of the account in the region."""

    actions: ClassVar = ("ec2:DescribeRouteTables",)
    function: ClassVar = routes.route_tables


@dataclass(frozen=True)
class Endpoints(Fact[tuple[routes.Endpoint, ...]]):
    """Every VPC endpoint of the account in the region."""

    actions: ClassVar = ("ec2:DescribeVpcEndpoints",)
    function: ClassVar = routes.endpoints


@dataclass(frozen=True)
class NetworkAcls(Fact[tuple[routes.NetworkAcl, ...]]):
    """Every network access list of the account in the region."""

    actions: ClassVar = ("ec2:DescribeNetworkAcls",)
    function: ClassVar = routes.network_acls


@dataclass(frozen=True)
class NameServers(Fact[tuple[str, ...] | None]):
    """The name servers of a VPC; None if there is no such VPC."""

    vpc_id: str
    actions: ClassVar = ("ec2:DescribeVpcs", "ec2:DescribeDhcpOptions")
    function: ClassVar = routes.name_servers
