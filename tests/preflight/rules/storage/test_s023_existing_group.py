"""Tests of CW-S023."""

from __future__ import annotations

import pytest

from clusterwright.aws.ec2.vpc import Permission, SecurityGroup
from clusterwright.preflight.facts import network
from tests.preflight.existing_storage import NETWORK, STANDING
from tests.preflight.harness import Harness
from tests.preflight.rules.support.existing_file_systems import (
    EVERYTHING,
    GROUP,
    GROUP_PATH,
    HOME,
    LUSTRE_PORTS,
    NFS,
    PLAIN,
    ZFS,
    facts,
    tcp,
)


@pytest.mark.parametrize(
    ("inbound", "closed"),
    [
        ((), "988, 1018-1023"),
        ((tcp(988, 988, GROUP),), "1018-1023"),
        ((tcp(988, 988, GROUP), tcp(1018, 1022, GROUP)), "1018-1023"),
        ((tcp(988, 1023, "sg-00000002"),), "988, 1018-1023"),
        ((Permission("udp", 988, 1023, frozenset([GROUP]), frozenset()),), "988, 1018-1023"),
    ],
)
def test_group_without_lustre_ports_is_reported(
    rule: Harness, inbound: tuple[Permission, ...], closed: str
) -> None:
    message = f"{GROUP} does not allow TCP {closed} between its members"
    rule.fails("CW-S023", PLAIN, facts(inbound), path=GROUP_PATH, message=message)


@pytest.mark.parametrize(
    "inbound", [LUSTRE_PORTS, (tcp(0, 65535, GROUP),), EVERYTHING, (*LUSTRE_PORTS, tcp(22, 22))]
)
def test_open_groups_pass(rule: Harness, inbound: tuple[Permission, ...]) -> None:
    rule.passes("CW-S023", PLAIN, facts(inbound))


def test_address_rule_covers_all_node_subnets(rule: Harness) -> None:
    one = {**NETWORK["network"]["existing"], "subnet_ids": ["subnet-00000001"]}
    changes = {**PLAIN, "network": {**NETWORK["network"], "existing": one}}
    wide = (tcp(988, 1023, cidrs=("10.1.0.0/16",)),)
    rule.passes("CW-S023", changes, facts(wide))
    narrow = (tcp(988, 1023, cidrs=("10.1.0.0/24",)),)
    rule.fails(
        "CW-S023", changes, facts(narrow), path=GROUP_PATH, message="does not allow TCP 988"
    )


def test_efa_requires_all_traffic_in_both_directions(rule: Harness) -> None:
    message = "does not allow all traffic from and to itself"
    rule.fails("CW-S023", STANDING, facts(), path=GROUP_PATH, message=message)
    rule.fails("CW-S023", STANDING, facts(EVERYTHING), path=GROUP_PATH, message=message)
    rule.passes("CW-S023", STANDING, facts(EVERYTHING, EVERYTHING))


def test_missing_or_detached_group_is_reported(rule: Harness) -> None:
    missing = {**facts(), network.SecurityGroup(GROUP): None}
    rule.fails(
        "CW-S023",
        PLAIN,
        missing,
        path=GROUP_PATH,
        message=f"the security group {GROUP} does not exist",
    )
    other = SecurityGroup(GROUP, "vpc-00000002", LUSTRE_PORTS, ())
    rule.fails("CW-S023", PLAIN, facts(group=other), path=GROUP_PATH, message="in vpc-00000002")
    carried = facts(carried=("sg-00000009",))
    finding = rule.fails(
        "CW-S023",
        PLAIN,
        carried,
        path=GROUP_PATH,
        message=f"does not have the security group {GROUP}",
    )
    assert finding.hint == "security_group_id: sg-00000009"
    message = "its interfaces are not listed"
    rule.unsure("CW-S023", PLAIN, facts(carried=()), path=GROUP_PATH, message=message)


def test_home_directories_require_nfs_ports(rule: Harness) -> None:
    path = "storage.home.existing.security_group_id"
    rule.fails("CW-S023", HOME, facts(NFS[1:], found=ZFS), path=path, message="TCP 111 between")
    rule.passes("CW-S023", HOME, facts(NFS, found=ZFS))
