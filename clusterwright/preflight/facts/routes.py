"""Egress of a network: routes, endpoints, network ACLs, DNS servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws.ec2 import routes
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask


@dataclass(frozen=True)
class RouteTables(Fact[tuple[routes.RouteTable, ...]]):
    """Every route table of the account in the region."""

    actions: ClassVar = ("ec2:DescribeRouteTables",)

    def read(self) -> Reading[tuple[routes.RouteTable, ...]]:
        (found,) = yield [ask(routes.route_tables)]
        result: tuple[routes.RouteTable, ...] = answered(found)
        return result


@dataclass(frozen=True)
class Endpoints(Fact[tuple[routes.Endpoint, ...]]):
    """Every VPC endpoint of the account in the region."""

    actions: ClassVar = ("ec2:DescribeVpcEndpoints",)

    def read(self) -> Reading[tuple[routes.Endpoint, ...]]:
        (found,) = yield [ask(routes.endpoints)]
        result: tuple[routes.Endpoint, ...] = answered(found)
        return result


@dataclass(frozen=True)
class NetworkAcls(Fact[tuple[routes.NetworkAcl, ...]]):
    """Every network access list of the account in the region."""

    actions: ClassVar = ("ec2:DescribeNetworkAcls",)

    def read(self) -> Reading[tuple[routes.NetworkAcl, ...]]:
        (found,) = yield [ask(routes.network_acls)]
        result: tuple[routes.NetworkAcl, ...] = answered(found)
        return result


@dataclass(frozen=True)
class NameServers(Fact[tuple[str, ...] | None]):
    """The name servers of a VPC; None where there is no such VPC."""

    vpc_id: str
    actions: ClassVar = ("ec2:DescribeVpcs", "ec2:DescribeDhcpOptions")

    def read(self) -> Reading[tuple[str, ...] | None]:
        (found,) = yield [ask(routes.name_servers, self.vpc_id)]
        result: tuple[str, ...] | None = answered(found)
        return result
