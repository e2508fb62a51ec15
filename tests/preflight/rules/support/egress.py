"""Facts and specs for the tests of egress."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from clusterwright.aws.ec2.routes import AclEntry, Endpoint, NetworkAcl, Route, RouteTable
from clusterwright.aws.ec2.vpc import Permission, SecurityGroup
from clusterwright.preflight.facts import network, routes
from clusterwright.preflight.rules.network.egress import services_used
from tests.preflight.existing_network import EXISTING, GROUP, HERE, SUBNET, VPC
from tests.preflight.harness import Harness
from tests.support import specs

LOCAL = Route("10.1.0.0/16", "local", "active")

TABLE = RouteTable("rtb-1", VPC, False, (SUBNET,), (LOCAL,))

NAT = Route("0.0.0.0/0", "nat-1", "active")

SHARED = dataclasses.replace(HERE, owner="222233334444")
"""The subnet of the nodes, shared by another account."""

ENDPOINT_GROUP = "sg-0000000e"


def routed(*more: Route) -> RouteTable:
    return dataclasses.replace(TABLE, routes=(LOCAL, *more))


def services(rule: Harness) -> list[str]:
    from clusterwright.catalog import load_catalog
    from clusterwright.preflight.context import Context
    from tests.preflight.harness import TODAY

    context = Context(specs.load(rule.folder, EXISTING), load_catalog(), TODAY)
    return [service.name for service in services_used(context)]


def endpoint(service: str, /, **changes: Any) -> Endpoint:
    kind = "gateway" if service == "s3" else "interface"
    made = Endpoint(
        id=f"vpce-{service}",
        vpc_id=VPC,
        kind=kind,
        service=f"com.amazonaws.us-east-1.{service}",
        state="available",
        private_dns=kind == "interface",
        subnet_ids=(SUBNET,) if kind == "interface" else (),
        group_ids=(ENDPOINT_GROUP,) if kind == "interface" else (),
        route_table_ids=("rtb-1",) if kind == "gateway" else (),
        policy=None,
        stack=None,
    )
    return dataclasses.replace(made, **changes)


def every(rule: Harness, **changes: Any) -> tuple[Endpoint, ...]:
    return tuple(endpoint(name, **changes) for name in ("s3", *services(rule)))


def facts(table: RouteTable, endpoints: tuple[Endpoint, ...] = ()) -> dict[Any, Any]:
    return {
        network.Subnets(): (HERE,),
        routes.RouteTables(): (table,),
        routes.Endpoints(): endpoints,
    }


def groups(inbound: Permission, outbound: Permission) -> dict[Any, Any]:
    found = (
        SecurityGroup(GROUP, VPC, (), (outbound,)),
        SecurityGroup(ENDPOINT_GROUP, VPC, (inbound,), ()),
    )
    return {network.SecurityGroups(): found}


HTTPS_BY_GROUP = Permission("tcp", 443, 443, frozenset({GROUP}), frozenset())

HTTPS_BY_RANGE = Permission("6", 443, 443, frozenset(), frozenset({"10.1.0.0/16"}))

HTTPS_ELSEWHERE = Permission("tcp", 443, 443, frozenset(), frozenset({"10.2.0.0/16"}))

TO_ENDPOINTS = Permission("tcp", 443, 443, frozenset({ENDPOINT_GROUP}), frozenset())

EVERYWHERE = Permission("-1", None, None, frozenset(), frozenset({"0.0.0.0/0"}))

HTTP = Permission("tcp", 80, 80, frozenset({GROUP}), frozenset())


def policy(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


ALLOW: dict[str, Any] = {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}


def entry(number: int, cidr: str, *ports: int, allow: bool = True, out: bool = False) -> AclEntry:
    first, last = ports or (None, None)
    return AclEntry(number, out, allow, "6" if ports else "-1", cidr, first, last)


OPEN = (entry(100, "0.0.0.0/0"), entry(100, "0.0.0.0/0", out=True))


def acl(*entries: AclEntry, subnets: tuple[str, ...] = (SUBNET,)) -> NetworkAcl:
    end = (
        entry(32767, "0.0.0.0/0", allow=False),
        entry(32767, "0.0.0.0/0", allow=False, out=True),
    )
    return NetworkAcl("acl-1", VPC, not subnets, subnets, (*entries, *end))


def listed(found: NetworkAcl) -> dict[Any, Any]:
    return {network.Subnets(): (HERE,), routes.NetworkAcls(): (found,)}
