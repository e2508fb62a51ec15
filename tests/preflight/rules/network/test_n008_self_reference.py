"""Tests of CW-N008."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.aws.ec2.vpc import Permission, SecurityGroup
from clusterwright.preflight.facts import network
from tests.preflight.existing_network import (
    EXISTING,
    GROUP,
    VPC,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.networks import ANYWHERE, TO_ITSELF, group


@pytest.mark.parametrize(
    ("inbound", "outbound", "message"),
    [
        ((), (), "has no rule for all traffic from and to itself"),
        ((TO_ITSELF,), (ANYWHERE,), "has no rule for all traffic to itself"),
        ((ANYWHERE,), (TO_ITSELF,), "has no rule for all traffic from itself"),
        (
            (dataclasses.replace(TO_ITSELF, protocol="tcp", first_port=0, last_port=65535),),
            (TO_ITSELF,),
            "has no rule for all traffic from itself",
        ),
        (
            (dataclasses.replace(TO_ITSELF, groups=frozenset({"sg-00000002"})),),
            (TO_ITSELF,),
            "has no rule for all traffic from itself",
        ),
    ],
)
def test_group_without_a_self_reference_in_both_directions_is_reported(
    rule: Harness,
    inbound: tuple[Permission, ...],
    outbound: tuple[Permission, ...],
    message: str,
) -> None:
    path = "network.existing.security_group_ids[0]"
    facts = group(inbound=inbound, outbound=outbound)
    rule.fails("CW-N008", EXISTING, facts, path=path, message=message)
    both = (ANYWHERE, TO_ITSELF)
    rule.passes("CW-N008", EXISTING, group(inbound=both, outbound=both))


def test_missing_group_in_the_vpc_is_reported(rule: Harness) -> None:
    path = "network.existing.security_group_ids[0]"
    rule.fails(
        "CW-N008",
        EXISTING,
        {network.SecurityGroup(GROUP): None},
        path=path,
        message=f"the security group {GROUP} does not exist",
    )
    elsewhere = SecurityGroup(GROUP, "vpc-00000002", (TO_ITSELF,), (TO_ITSELF,))
    rule.fails(
        "CW-N008",
        EXISTING,
        {network.SecurityGroup(GROUP): elsewhere},
        path=path,
        message="is in vpc-00000002, not in",
    )


def test_groups_of_file_systems_are_checked_too(rule: Harness) -> None:
    """Nodes have these groups.

    HyperPod requires that each group allows traffic among its members (#546).
    """
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
