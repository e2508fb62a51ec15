"""How nodes of a network that exists reach AWS: routes, endpoints, lists, names."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from clusterwright.aws.ec2.routes import AclEntry, Endpoint, NetworkAcl, Route, RouteTable
from clusterwright.aws.ec2.vpc import Permission, SecurityGroup
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.preflight.facts import network, routes
from clusterwright.preflight.rules.network.egress import acl_allows, services_used
from tests.preflight.existing_network import EXISTING, GROUP, HERE, SUBNET, THERE, VPC
from tests.preflight.harness import Harness
from tests.support import specs

LOCAL = Route("10.1.0.0/16", "local", "active")
TABLE = RouteTable("rtb-1", VPC, False, (SUBNET,), (LOCAL,))
NAT = Route("0.0.0.0/0", "nat-1", "active")
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


def test_a_nat_gateway_leads_everywhere(rule: Harness) -> None:
    rule.passes("CW-N022", EXISTING, facts(routed(NAT)))
    rule.passes("CW-N022", tested=False)


def test_a_closed_network_needs_its_endpoints(rule: Harness) -> None:
    rule.passes("CW-N022", EXISTING, facts(TABLE, every(rule)))
    finding = rule.fails(
        "CW-N022",
        EXISTING,
        facts(TABLE),
        path="network.existing.subnet_ids[0]",
        message=f"nodes in {SUBNET} cannot reach s3, ",
        severity="error",
    )
    assert str(finding.requested).split(", ") == ["s3", *services(rule)]


def test_one_endpoint_that_is_missing_is_named(rule: Harness) -> None:
    without = tuple(one for one in every(rule) if not one.service.endswith(".logs"))
    rule.fails(
        "CW-N022",
        EXISTING,
        facts(TABLE, without),
        path="network.existing.subnet_ids[0]",
        message=f"cannot reach logs: it has no default route, and {VPC} has no endpoint for it",
    )


@pytest.mark.parametrize(
    ("service", "changes"),
    [
        ("logs", {"state": "failed"}),
        ("logs", {"vpc_id": "vpc-00000009"}),
        ("logs", {"service": "com.amazonaws.us-west-2.logs"}),
        ("s3", {"route_table_ids": ("rtb-9",)}),
        ("s3", {"state": "pending"}),
    ],
)
def test_an_endpoint_that_cannot_be_used_is_none(
    rule: Harness, service: str, changes: dict[str, Any]
) -> None:
    there = [one for one in every(rule) if not one.service.endswith(f".{service}")]
    there.append(endpoint(service, **changes))
    rule.fails(
        "CW-N022",
        EXISTING,
        facts(TABLE, tuple(there)),
        path="network.existing.subnet_ids[0]",
        message=f"cannot reach {service}",
    )


def test_an_endpoint_without_private_names_is_said(rule: Harness) -> None:
    rule.fails(
        "CW-N022",
        EXISTING,
        facts(TABLE, (endpoint("s3"), *every(rule, private_dns=False)[1:])),
        path="network.existing.subnet_ids[0]",
        message=f"in {VPC} have no private DNS",
    )


@pytest.mark.parametrize(
    ("route", "words"),
    [
        (Route("0.0.0.0/0", "nat-1", "blackhole"), "leads to nat-1, which no longer exists"),
        (
            Route("0.0.0.0/0", "igw-1", "active"),
            "leads to igw-1, which nodes without public addresses cannot use",
        ),
    ],
)
def test_a_default_route_that_leads_nowhere_is_none(
    rule: Harness, route: Route, words: str
) -> None:
    rule.fails(
        "CW-N022",
        EXISTING,
        facts(routed(route)),
        path="network.existing.subnet_ids[0]",
        message=words,
    )


def test_the_main_table_counts_where_a_subnet_has_none_of_its_own(rule: Harness) -> None:
    main = dataclasses.replace(TABLE, main=True, subnet_ids=(), routes=(LOCAL, NAT))
    rule.passes("CW-N022", EXISTING, facts(main))
    other = dataclasses.replace(main, vpc_id="vpc-00000009")
    rule.fails(
        "CW-N022",
        EXISTING,
        facts(other),
        path="network.existing.subnet_ids[0]",
        message="it has no default route",
    )


def test_a_transit_gateway_may_lead_to_central_endpoints(rule: Harness) -> None:
    rule.fails(
        "CW-N022",
        EXISTING,
        facts(routed(Route("10.0.0.0/8", "tgw-1", "active"))),
        path="network.existing.subnet_ids[0]",
        message="; tgw-1 may lead to one",
        severity="warning",
    )
    rule.passes("CW-N022", EXISTING, facts(routed(Route("0.0.0.0/0", "tgw-1", "active"))))


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


@pytest.mark.parametrize("inbound", [HTTPS_BY_GROUP, HTTPS_BY_RANGE, EVERYWHERE])
@pytest.mark.parametrize("outbound", [TO_ENDPOINTS, HTTPS_BY_RANGE, EVERYWHERE])
def test_nodes_may_open_the_endpoints(
    rule: Harness, inbound: Permission, outbound: Permission
) -> None:
    rule.passes("CW-N023", EXISTING, {**facts(TABLE, every(rule)), **groups(inbound, outbound)})


@pytest.mark.parametrize(
    ("inbound", "outbound", "message"),
    [
        (HTTP, EVERYWHERE, "allow no inbound HTTPS from the nodes"),
        (HTTPS_ELSEWHERE, EVERYWHERE, "allow no inbound HTTPS from the nodes"),
        (HTTPS_BY_GROUP, HTTPS_ELSEWHERE, "allow no outbound HTTPS to the endpoints"),
    ],
)
def test_groups_that_close_the_endpoints_are_found(
    rule: Harness, inbound: Permission, outbound: Permission, message: str
) -> None:
    rule.fails(
        "CW-N023",
        EXISTING,
        {**facts(TABLE, every(rule)), **groups(inbound, outbound)},
        path="network.existing.security_group_ids",
        message=message,
    )


def test_ranges_of_a_prefix_list_are_not_guessed(rule: Harness) -> None:
    by_list = Permission("tcp", 443, 443, frozenset(), frozenset(), frozenset({"pl-0a1b2c3d"}))
    for inbound, outbound in ((by_list, EVERYWHERE), (HTTPS_BY_GROUP, by_list)):
        rule.unsure(
            "CW-N023",
            EXISTING,
            {**facts(TABLE, every(rule)), **groups(inbound, outbound)},
            path="network.existing.security_group_ids",
            message="rules with prefix lists, whose ranges are not read",
        )
    # What no list could open is closed all the same.
    closed = rule.run("CW-N023", EXISTING, {**facts(TABLE, every(rule)), **groups(HTTP, by_list)})
    assert closed.rule.status == "fail"


def test_an_endpoint_takes_a_services_name_over_beside_a_nat_gateway_too(rule: Harness) -> None:
    rule.passes("CW-N023", EXISTING, {**facts(routed(NAT)), **groups(HTTP, HTTP)})
    closed = groups(HTTP, EVERYWHERE)
    found = rule.fails(
        "CW-N023",
        EXISTING,
        {**facts(routed(NAT), (endpoint("sts"),)), **closed},
        path="network.existing.security_group_ids",
        message="the endpoints of sts allow no inbound HTTPS from the nodes",
    )
    assert found.severity == "error"
    nameless = endpoint("sts", private_dns=False)
    rule.passes("CW-N023", EXISTING, {**facts(routed(NAT), (nameless,)), **closed})


def test_s3_goes_past_the_nat_gateway(rule: Harness) -> None:
    finding = rule.fails(
        "CW-N028",
        EXISTING,
        facts(routed(NAT)),
        path="network.existing.subnet_ids[0]",
        message=f"traffic between nodes in {SUBNET} and S3 goes through",
        severity="warning",
    )
    assert finding.hint is not None
    assert "--service-name com.amazonaws.us-east-1.s3" in finding.hint
    rule.passes("CW-N028", EXISTING, facts(routed(NAT), (endpoint("s3"),)))
    # A gateway endpoint of another route table is none of this subnet's.
    elsewhere = endpoint("s3", route_table_ids=("rtb-9",))
    assert rule.run("CW-N028", EXISTING, facts(routed(NAT), (elsewhere,))).rule.status == "fail"
    # Where there is no way out at all, CW-N022 speaks.
    rule.passes("CW-N028", EXISTING, facts(TABLE))
    rule.passes("CW-N028", tested=False)


def policy(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


ALLOW: dict[str, Any] = {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}


def test_the_s3_endpoint_lets_the_buckets_through(rule: Harness) -> None:
    bucket = lifecycle_bucket(specs.load(rule.folder, EXISTING).cluster)
    ours = [f"arn:aws:s3:::{bucket}/*", "arn:aws:s3:::packages.us-east-1.amazonaws.com/*"]
    account = {"StringEquals": {"aws:PrincipalAccount": specs.ACCOUNT}}
    for document in (
        None,
        policy(ALLOW),
        policy({**ALLOW, "Condition": account}),
        policy({**ALLOW, "Action": "s3:Get*", "Resource": ours}),
    ):
        found = facts(TABLE, (endpoint("s3", policy=document),))
        rule.passes("CW-N024", EXISTING, found)
    for document in (
        policy({**ALLOW, "Resource": ["arn:aws:s3:::other/*"]}),
        policy({**ALLOW, "Action": "s3:ListBucket"}),
        policy(ALLOW, {**ALLOW, "Effect": "Deny", "Resource": f"arn:aws:s3:::{bucket}/*"}),
        policy({**ALLOW, "Condition": {"StringEquals": {"aws:PrincipalAccount": "999988887777"}}}),
    ):
        found = facts(TABLE, (endpoint("s3", policy=document),))
        rule.fails(
            "CW-N024",
            EXISTING,
            found,
            path="network.existing.vpc_id",
            message=f"the policy of vpce-s3 does not allow nodes to read {bucket}",
        )
        # Its routes win beside a NAT gateway too, because they are longer than the default.
        beside = facts(routed(NAT), (endpoint("s3", policy=document),))
        assert rule.run("CW-N024", EXISTING, beside).rule.status == "fail"


def test_what_a_policy_says_under_unknown_conditions_is_unknown(rule: Harness) -> None:
    document = policy({**ALLOW, "Condition": {"StringLike": {"aws:PrincipalTag/team": "ml*"}}})
    rule.unsure(
        "CW-N024",
        EXISTING,
        facts(TABLE, (endpoint("s3", policy=document),)),
        path="network.existing.vpc_id",
        message="depends on conditions",
    )


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


def test_access_lists_that_let_everything_through_pass(rule: Harness) -> None:
    rule.passes("CW-N025", EXISTING, listed(acl(*OPEN)))
    rule.passes("CW-N025", EXISTING, listed(acl(*OPEN, subnets=())))
    narrow = (entry(90, "0.0.0.0/0", 443, 443, out=True), entry(90, "0.0.0.0/0", 1024, 65535))
    rule.passes("CW-N025", EXISTING, listed(acl(*narrow)))


@pytest.mark.parametrize(
    ("entries", "message", "severity"),
    [
        ((OPEN[0],), "of subnet-00000001 does not allow traffic out to HTTPS: TCP 443", "error"),
        ((OPEN[1],), "traffic in for return traffic: TCP 32768, 60999", "error"),
        (
            (entry(90, "0.0.0.0/0", 1024, 49151), OPEN[1]),
            "traffic in for return traffic: TCP 60999",
            "error",
        ),
        (
            (entry(50, "52.0.0.0/8", allow=False, out=True), *OPEN),
            "of subnet-00000001 denies a part of the traffic out to HTTPS",
            "warning",
        ),
        (
            (entry(90, "10.0.0.0/8", 443, 443, out=True), OPEN[0]),
            "of subnet-00000001 denies a part of the traffic out to HTTPS",
            "warning",
        ),
    ],
)
def test_access_lists_that_stop_traffic_are_found(
    rule: Harness, entries: tuple[AclEntry, ...], message: str, severity: str
) -> None:
    rule.fails(
        "CW-N025",
        EXISTING,
        listed(acl(*entries)),
        path="network.existing.subnet_ids[0]",
        message=message,
        severity=severity,
    )


def test_lists_between_two_subnets_of_the_nodes_are_looked_at(rule: Harness) -> None:
    both = {**EXISTING["network"]["existing"], "subnet_ids": [SUBNET, THERE.id]}
    changes = {"network": {**EXISTING["network"], "existing": both}}
    there = dataclasses.replace(THERE, zone="us-east-1d", zone_id="use1-az6")
    narrow = acl(OPEN[1], entry(90, "0.0.0.0/0", 32768, 60999), subnets=(SUBNET, THERE.id))
    outcome = rule.run(
        "CW-N025", changes, {network.Subnets(): (HERE, there), routes.NetworkAcls(): (narrow,)}
    )
    assert {f.message.partition(" does not allow traffic ")[2] for f in outcome.findings} == {
        f"in from {THERE.id}: TCP 6818, 988, 2049",
        f"in from {SUBNET}: TCP 6818, 988, 2049",
    }


def test_a_subnet_without_a_list_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-N025",
        EXISTING,
        {network.Subnets(): (HERE,), routes.NetworkAcls(): ()},
        path="network.existing.subnet_ids[0]",
        message="EC2 lists no network ACL",
    )


def test_the_lowest_number_that_fits_decides() -> None:
    rules = (
        entry(200, "0.0.0.0/0", allow=False),
        entry(100, "10.0.0.0/8", 22, 22),
        entry(50, "10.0.0.0/16", 22, 22, allow=False),
    )
    for range_, port, expected in (
        ("10.0.1.0/24", 22, False),
        ("10.1.1.0/24", 22, True),
        ("10.1.1.0/24", 23, False),
        ("11.0.0.0/24", 22, False),
        ("10.0.0.0/8", 22, None),
    ):
        assert acl_allows(rules, outbound=False, port=port, range_=range_) is expected
    assert acl_allows(rules, outbound=True, port=22, range_="10.1.0.0/24") is False


def test_other_name_servers_are_said(rule: Harness) -> None:
    names = routes.NameServers(VPC)
    rule.fails(
        "CW-N026",
        EXISTING,
        {names: ("10.9.0.2", "AmazonProvidedDNS")},
        path="network.existing.vpc_id",
        message=f"{VPC} uses 10.9.0.2 for DNS, not AmazonProvidedDNS",
        severity="warning",
    )
    rule.fails(
        "CW-N026",
        EXISTING,
        {names: ()},
        path="network.existing.vpc_id",
        message="uses no DNS server",
    )
    rule.passes("CW-N026", EXISTING, {names: ("AmazonProvidedDNS",)})
    rule.passes("CW-N026", EXISTING, {names: None})


def test_groups_of_file_systems_reference_themselves_too(rule: Harness) -> None:
    """A node carries them: HyperPod wants each of its groups to let members talk (#546)."""
    storage = {
        "mount_path": "/fsx",
        "existing": {
            "id": "fs-0a1b2c3d4e5f60718",
            "dns_name": "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
            "mount_name": "fsxmount",
            "security_group_id": "sg-00000002",
        },
    }
    itself = Permission("-1", None, None, frozenset({GROUP}), frozenset())
    lustre = Permission("tcp", 988, 1023, frozenset({"sg-00000002"}), frozenset())
    found: dict[Any, Any] = {
        network.SecurityGroup(GROUP): SecurityGroup(GROUP, VPC, (itself,), (itself,)),
        network.SecurityGroup("sg-00000002"): SecurityGroup("sg-00000002", VPC, (lustre,), ()),
    }
    rule.fails(
        "CW-N008",
        {**EXISTING, "storage.lustre": [storage]},
        found,
        path="storage.lustre[0].existing.security_group_id",
        message="sg-00000002 has no rule for all traffic from and to itself",
    )
