"""Tests of CW-N023."""

from __future__ import annotations

import pytest

from clusterwright.aws.ec2.vpc import Permission
from clusterwright.preflight.facts.network import Subnets
from tests.preflight.existing_network import EXISTING
from tests.preflight.harness import Harness
from tests.preflight.rules.support.egress import (
    EVERYWHERE,
    HTTP,
    HTTPS_BY_GROUP,
    HTTPS_BY_RANGE,
    HTTPS_ELSEWHERE,
    NAT,
    SHARED,
    TABLE,
    TO_ENDPOINTS,
    endpoint,
    every,
    facts,
    groups,
    routed,
)


@pytest.mark.parametrize("inbound", [HTTPS_BY_GROUP, HTTPS_BY_RANGE, EVERYWHERE])
@pytest.mark.parametrize("outbound", [TO_ENDPOINTS, HTTPS_BY_RANGE, EVERYWHERE])
def test_open_endpoint_groups_pass(
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
def test_closed_endpoint_groups_are_reported(
    rule: Harness, inbound: Permission, outbound: Permission, message: str
) -> None:
    rule.fails(
        "CW-N023",
        EXISTING,
        {**facts(TABLE, every(rule)), **groups(inbound, outbound)},
        path="network.existing.security_group_ids",
        message=message,
    )


def test_unknown_prefix_list_is_unknown(rule: Harness) -> None:
    by_list = Permission("tcp", 443, 443, frozenset(), frozenset(), frozenset({"pl-0a1b2c3d"}))
    for inbound, outbound in ((by_list, EVERYWHERE), (HTTPS_BY_GROUP, by_list)):
        rule.unsure(
            "CW-N023",
            EXISTING,
            {**facts(TABLE, every(rule)), **groups(inbound, outbound)},
            path="network.existing.security_group_ids",
            message="rules with prefix lists, whose ranges are not read",
        )
    # Ports that no list could open are closed in any case.
    closed = rule.run("CW-N023", EXISTING, {**facts(TABLE, every(rule)), **groups(HTTP, by_list)})
    assert closed.rule.status == "fail"


def test_endpoint_is_checked_beside_a_nat_gateway(rule: Harness) -> None:
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


def test_endpoints_of_another_accounts_network_are_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-N023",
        EXISTING,
        {**facts(TABLE), **groups(HTTP, HTTP), Subnets(): (SHARED,)},
        path="network.existing.subnet_ids",
        message="whether security groups of endpoints admit nodes is not known: EC2 shows",
    )
