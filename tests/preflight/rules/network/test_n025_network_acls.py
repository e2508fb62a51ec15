"""Tests of CW-N025."""

from __future__ import annotations

import dataclasses

import pytest

from clusterwright.aws.ec2.routes import AclEntry
from clusterwright.preflight.facts import network, routes
from tests.preflight.existing_network import EXISTING, HERE, SUBNET, THERE
from tests.preflight.harness import Harness
from tests.preflight.rules.support.egress import OPEN, acl, entry, listed


def test_open_network_acls_pass(rule: Harness) -> None:
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
def test_blocking_network_acls_are_reported(
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


def test_network_acls_between_node_subnets_are_checked(rule: Harness) -> None:
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


def test_subnet_without_an_acl_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-N025",
        EXISTING,
        {network.Subnets(): (HERE,), routes.NetworkAcls(): ()},
        path="network.existing.subnet_ids[0]",
        message="EC2 lists no network ACL",
    )
