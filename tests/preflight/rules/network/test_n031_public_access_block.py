"""Tests of CW-N031."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.ec2.account_settings import PublicAccessExclusion
from clusterwright.aws.ec2.routes import Route
from clusterwright.aws.ec2.vpc import NatGateway
from clusterwright.preflight.facts.account_settings import (
    BlockPublicAccess,
    PublicAccessExclusions,
)
from clusterwright.preflight.facts.network import NatGateways, Subnets
from clusterwright.preflight.facts.routes import RouteTables
from tests.preflight.existing_network import EXISTING, HERE, SUBNET, VPC
from tests.preflight.harness import Harness
from tests.preflight.rules.support.egress import NAT, routed

NAT_NETWORK = {"network.egress": "nat"}


def mode(value: str) -> dict[Any, Any]:
    return {BlockPublicAccess(): value}


def network(*excluded: str, route: Route = NAT) -> dict[Any, Any]:
    return {
        **mode("block-bidirectional"),
        PublicAccessExclusions(): tuple(
            PublicAccessExclusion(one, "allow-egress") for one in excluded
        ),
        Subnets(): (HERE,),
        RouteTables(): (routed(route),),
        NatGateways(): (NatGateway("subnet-public", None, "nat-1"),),
    }


def test_new_network_with_nat_gateway_reaches_nothing(rule: Harness) -> None:
    finding = rule.fails(
        "CW-N031",
        NAT_NETWORK,
        mode("block-bidirectional"),
        path="network.egress",
        message="nodes with egress: nat reach no AWS service",
        severity="error",
    )
    assert finding.hint is not None
    assert finding.hint.startswith("`egress: closed`")


@pytest.mark.parametrize("value", ["off", "block-ingress"])
def test_nat_gateways_work_in_other_modes(rule: Harness, value: str) -> None:
    rule.passes("CW-N031", NAT_NETWORK, mode(value))


def test_closed_network_is_not_asked(rule: Harness) -> None:
    rule.passes("CW-N031", {}, tested=False)


def test_nat_gateway_of_an_existing_network_is_blocked(rule: Harness) -> None:
    rule.fails(
        "CW-N031",
        EXISTING,
        network(),
        path="network.existing.subnet_ids[0]",
        message=f"the default route of {SUBNET} leads to nat-1, and VPC Block Public Access",
    )
    rule.passes("CW-N031", EXISTING, network(route=Route("0.0.0.0/0", "tgw-1", "active")))


@pytest.mark.parametrize("excluded", [VPC, "subnet-public"])
def test_exclusion_lets_the_gateway_out(rule: Harness, excluded: str) -> None:
    rule.passes("CW-N031", EXISTING, network(excluded))
    rule.fails("CW-N031", EXISTING, network("vpc-other"), path="network.existing.subnet_ids[0]",
               message="block-bidirectional")  # fmt: skip
