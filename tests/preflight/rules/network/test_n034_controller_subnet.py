"""Tests of CW-N034."""

from __future__ import annotations

import dataclasses
from typing import Any

from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.preflight.facts.network import Subnets, Zones
from tests.preflight.existing_network import EXISTING, HERE, SUBNET
from tests.preflight.harness import Harness
from tests.preflight.rules.support.networks import ZONE
from tests.preflight.rules.support.pcs import SPEC
from tests.preflight.rules.support.platforms import PARALLELCLUSTER

LOCAL = dataclasses.replace(
    ZONE, zone_id="use1-dfw2-az1", name="us-east-1-dfw-2a", kind="local-zone"
)
IN_A_NETWORK: dict[str, Any] = {**SPEC, **EXISTING}
PATH = "network.existing.subnet_ids[0]"


def _facts(*subnets: Subnet) -> dict[Any, Any]:
    return {Zones(): (ZONE, LOCAL), Subnets(): subnets}


def test_a_local_zone_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-N034",
        {**SPEC, "network.availability_zone_id": "us-east-1-dfw-2a"},
        {Zones(): (ZONE, LOCAL)},
        path="network.availability_zone_id",
        message="us-east-1-dfw-2a is a local-zone: PCS's controller cannot be there",
    )
    rule.passes("CW-N034", SPEC, {Zones(): (ZONE, LOCAL)})
    rule.passes("CW-N034", PARALLELCLUSTER, tested=False)


def test_an_existing_subnet_in_an_outpost_is_reported(rule: Harness) -> None:
    arn = "arn:aws:outposts:us-east-1:111122223333:outpost/op-0a1b2c3d4e5f60718"
    rule.fails(
        "CW-N034",
        IN_A_NETWORK,
        _facts(dataclasses.replace(HERE, outpost=arn)),
        path=PATH,
        message=f"{SUBNET} is in an Outpost: PCS's controller cannot be there",
    )
    rule.fails(
        "CW-N034",
        IN_A_NETWORK,
        _facts(dataclasses.replace(HERE, zone_id=LOCAL.zone_id)),
        path=PATH,
        message="us-east-1-dfw-2a is a local-zone",
    )
    rule.passes("CW-N034", IN_A_NETWORK, _facts(HERE))
    # CW-N007 reports a subnet that does not exist.
    rule.passes("CW-N034", IN_A_NETWORK, _facts())


def test_a_zone_that_ec2_does_not_list_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-N034",
        SPEC,
        {Zones(): ()},
        path="network.availability_zone_id",
        message="EC2 lists no zone use1-az6 in us-east-1",
    )
