"""Tests of CW-N022."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.aws.ec2.routes import Route
from clusterwright.preflight.facts.network import Subnets
from tests.preflight.existing_network import EXISTING, HERE, SUBNET, VPC
from tests.preflight.harness import Harness
from tests.preflight.rules.support.egress import (
    LOCAL,
    NAT,
    TABLE,
    endpoint,
    every,
    facts,
    routed,
    services,
)


def test_nat_gateway_reaches_every_service(rule: Harness) -> None:
    rule.passes("CW-N022", EXISTING, facts(routed(NAT)))
    rule.passes("CW-N022", tested=False)


def test_closed_network_requires_endpoints(rule: Harness) -> None:
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
    assert finding.hint is not None
    assert "interface endpoints with private DNS for" in finding.hint
    assert finding.hint.endswith("and a gateway endpoint in the subnet's route table for s3")


@pytest.mark.parametrize(
    ("service", "endpoints"),
    [
        ("logs", "interface endpoints with private DNS for logs"),
        ("s3", "a gateway endpoint in the subnet's route table for s3"),
    ],
)
def test_hint_names_the_kind_of_endpoint_of_the_service(
    rule: Harness, service: str, endpoints: str
) -> None:
    without = tuple(one for one in every(rule) if not one.service.endswith(f".{service}"))
    finding = rule.fails(
        "CW-N022",
        EXISTING,
        facts(TABLE, without),
        path="network.existing.subnet_ids[0]",
        message=f"cannot reach {service}: ",
    )
    assert finding.hint == f"its owner must add a route to a NAT gateway, or {endpoints}"


def test_single_missing_endpoint_is_named(rule: Harness) -> None:
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
def test_unusable_endpoint_is_not_counted(
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


def test_endpoint_without_private_dns_is_reported(rule: Harness) -> None:
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
def test_unusable_default_route_is_not_counted(rule: Harness, route: Route, words: str) -> None:
    rule.fails(
        "CW-N022",
        EXISTING,
        facts(routed(route)),
        path="network.existing.subnet_ids[0]",
        message=words,
    )


def test_main_route_table_applies_to_subnets_without_one(rule: Harness) -> None:
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


def test_transit_gateway_may_reach_central_endpoints(rule: Harness) -> None:
    rule.fails(
        "CW-N022",
        EXISTING,
        facts(routed(Route("10.0.0.0/8", "tgw-1", "active"))),
        path="network.existing.subnet_ids[0]",
        message="; tgw-1 may lead to one",
        severity="warning",
    )
    rule.passes("CW-N022", EXISTING, facts(routed(Route("0.0.0.0/0", "tgw-1", "active"))))


def test_endpoints_of_another_accounts_network_are_unknown(rule: Harness) -> None:
    shared = dataclasses.replace(HERE, owner="222233334444")
    rule.unsure(
        "CW-N022",
        EXISTING,
        {**facts(TABLE), Subnets(): (shared,)},
        path="network.existing",
        message=f"222233334444 shares the subnets of {VPC}, and EC2 shows its endpoints to",
    )
