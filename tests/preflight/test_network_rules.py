"""Addresses, zones, and networks that somebody else owns."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.aws.ec2.instance_types import Zone
from clusterwright.aws.ec2.vpc import Permission, SecurityGroup, Subnet, Vpc
from clusterwright.aws.sagemaker import Cluster, ClusterGroup
from clusterwright.preflight.facts import hyperpod, network
from tests.preflight.existing_network import (
    EXISTING,
    GROUP,
    HERE,
    OTHER_SUBNET,
    SUBNET,
    THERE,
    VPC,
)
from tests.preflight.harness import Harness
from tests.support import specs

TO_ITSELF = Permission("-1", None, None, frozenset({GROUP}), frozenset())
ANYWHERE = Permission("-1", None, None, frozenset(), frozenset({"0.0.0.0/0"}))


def subnets(*found: Subnet) -> dict[Any, Any]:
    return {network.Subnets(): found, hyperpod.HyperPodClusters(): ()}


def test_nodes_that_do_not_fit_name_the_range_that_would(rule: Harness) -> None:
    finding = rule.fails(
        "CW-N003",
        {"network.cidr": "10.0.0.0/24", "compute.1.count": 16},
        path="network.cidr",
        message="the cluster needs",
        severity="error",
    )
    assert finding.where == "use1-az6"
    assert finding.hint
    assert finding.hint.startswith("cidr: 10.0.")
    rule.passes("CW-N003", {"compute.1.count": 16})


def test_the_range_of_the_hint_fits(rule: Harness) -> None:
    short = {"network.cidr": "10.0.0.0/24", "compute.1.count": 16}
    hint = rule.run("CW-N003", short).findings[0].hint or ""
    rule.passes("CW-N003", {**short, "network.cidr": hint.removeprefix("cidr: ")})


def test_a_type_whose_need_nobody_knows_leaves_the_answer_open(rule: Harness) -> None:
    rule.unsure(
        "CW-N003",
        {"compute.1.instance_type": "c4.large"},
        path="network.cidr",
        message="no source states how many addresses a node of",
    )


def test_derived_addresses_are_said_to_be(rule: Harness) -> None:
    rule.fails(
        "CW-N004",
        {"compute.1.instance_type": "p5en.48xlarge"},
        path="compute[1].instance_type",
        message="each p5en.48xlarge is assumed to need 16 addresses",
        severity="info",
    )
    rule.passes("CW-N004")  # the figure of p5.48xlarge has a source


def test_an_efa_file_system_keeps_its_clients_in_one_16(rule: Harness) -> None:
    large = {
        "compute.1.count": 2100,
        "network.secondary_cidrs": ["10.1.0.0/16", "10.2.0.0/16"],
        "storage.lustre": [specs.LUSTRE],
    }
    rule.fails(
        "CW-N005",
        large,
        path="network.cidr",
        message="an EFA file system and its clients must be in one /16",
    )
    rule.passes("CW-N003", large)
    plain = {**large, "storage.lustre": [{**specs.LUSTRE, "efa": False}]}
    rule.passes("CW-N005", plain, tested=False)
    rule.passes("CW-N005", {"storage.lustre": [specs.LUSTRE]})


def test_the_vpc_must_exist(rule: Harness) -> None:
    rule.fails(
        "CW-N006",
        EXISTING,
        {network.Vpcs(): (Vpc("vpc-00000002", ("10.0.0.0/16",), None),)},
        path="network.existing.vpc_id",
        message=f"the VPC {VPC} does not exist in us-east-1",
    )
    rule.passes("CW-N006", EXISTING, {network.Vpcs(): (Vpc(VPC, ("10.1.0.0/16",), None),)})
    rule.passes("CW-N006", tested=False)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ((), f"the subnet {SUBNET} does not exist in us-east-1"),
        ((dataclasses.replace(HERE, vpc_id="vpc-00000002"),), "is in vpc-00000002, not in"),
        ((dataclasses.replace(HERE, zone="us-east-1b", zone_id="use1-az1"),), "is in use1-az1"),
    ],
)
def test_the_nodes_subnets_must_be_there_and_in_the_zone(
    rule: Harness, found: tuple[Subnet, ...], message: str
) -> None:
    path = "network.existing.subnet_ids[0]"
    rule.fails("CW-N007", EXISTING, subnets(*found), path=path, message=message)
    rule.passes("CW-N007", EXISTING, subnets(HERE, THERE))


def group(*, inbound: tuple[Permission, ...], outbound: tuple[Permission, ...]) -> dict[Any, Any]:
    return {network.SecurityGroup(GROUP): SecurityGroup(GROUP, VPC, inbound, outbound)}


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
def test_a_group_must_reach_itself_both_ways(
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


def test_a_group_must_exist_in_the_vpc(rule: Harness) -> None:
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


# 4 × p5.48xlarge and one m5.4xlarge: 129 addresses, and one node of each to spare.
NEEDED = 4 * 32 + 1 + 32 + 1


def test_subnets_that_exist_must_have_room(rule: Harness) -> None:
    rule.fails(
        "CW-N009",
        EXISTING,
        subnets(dataclasses.replace(HERE, free_addresses=NEEDED - 1)),
        path="network.existing.subnet_ids",
        message=f"the cluster needs {NEEDED} addresses (129 for nodes), {SUBNET} has 161 free",
        numbers=(NEEDED, 0, NEEDED - 1),
    )
    rule.passes("CW-N009", EXISTING, subnets(dataclasses.replace(HERE, free_addresses=NEEDED)))


def test_addresses_that_the_cluster_has_already_are_its_own(rule: Harness) -> None:
    workers = ClusterGroup("workers", "ml.p5.48xlarge", 4, False, None, 0)
    own = Cluster("test", "arn", "InService", (workers,))
    facts = {
        **subnets(dataclasses.replace(HERE, free_addresses=NEEDED - 128)),
        hyperpod.HyperPodClusters(): (own,),
    }
    rule.passes("CW-N009", EXISTING, facts)


def test_the_deployed_subnet_must_have_room_for_growth(rule: Harness) -> None:
    deployed = dataclasses.replace(
        HERE, cidr="10.0.0.0/17", free_addresses=127, stack="test-network"
    )
    rule.fails(
        "CW-N010",
        None,
        subnets(deployed),
        path="network.cidr",
        message=f"the nodes need 129 more addresses, {SUBNET} has 127 free",
        numbers=(129, 0, 127),
    )
    roomy = dataclasses.replace(deployed, free_addresses=129)
    rule.passes("CW-N010", None, subnets(roomy))
    # Another cluster's subnet with the same range is none of ours.
    rule.passes("CW-N010", None, subnets(dataclasses.replace(deployed, stack="other-network")))
    rule.passes("CW-N010", None, subnets())


@pytest.mark.parametrize(
    ("dns", "message"),
    [
        ((False, True), "enableDnsSupport is disabled"),
        ((True, False), "enableDnsHostnames is disabled"),
        ((False, False), "enableDnsSupport and enableDnsHostnames are disabled"),
    ],
)
def test_dns_must_be_on(rule: Harness, dns: tuple[bool, bool], message: str) -> None:
    facts = {network.VpcDns(VPC): dns}
    rule.fails("CW-N011", EXISTING, facts, path="network.existing.vpc_id", message=message)
    rule.passes("CW-N011", EXISTING, {network.VpcDns(VPC): (True, True)})


def test_the_nodes_subnets_are_private(rule: Harness) -> None:
    rule.fails(
        "CW-N012",
        EXISTING,
        subnets(dataclasses.replace(HERE, public_addresses_on_launch=True)),
        path="network.existing.subnet_ids[0]",
        message="assigns public addresses at launch",
        severity="warning",
    )
    rule.passes("CW-N012", EXISTING, subnets(HERE))


RDS = {
    **EXISTING,
    "network.existing.database_subnet_ids": [SUBNET, OTHER_SUBNET],
    "slurm.accounting": {"kind": "rds"},
}


@pytest.mark.parametrize(
    ("found", "path", "message"),
    [
        (
            (HERE, dataclasses.replace(THERE, zone_id="use1-az6")),
            "network.existing.database_subnet_ids",
            "all database subnets are in use1-az6",
        ),
        (
            (HERE, dataclasses.replace(THERE, vpc_id="vpc-00000002")),
            "network.existing.database_subnet_ids[1]",
            "is in vpc-00000002",
        ),
    ],
)
def test_the_database_wants_two_zones_of_the_vpc(
    rule: Harness, found: tuple[Subnet, ...], path: str, message: str
) -> None:
    rule.fails("CW-N013", RDS, subnets(*found), path=path, message=message)
    rule.passes("CW-N013", RDS, subnets(HERE, THERE))
    rule.passes("CW-N013", EXISTING, tested=False)


def test_a_database_subnet_that_does_not_exist_is_found(rule: Harness) -> None:
    outcome = rule.run("CW-N013", RDS, subnets(HERE))
    assert f"the subnet {OTHER_SUBNET} does not exist" in outcome.findings[0].message


ZONE = Zone("use1-az6", "us-east-1d", "availability-zone", "opt-in-not-required")


def test_the_zone_must_be_enabled(rule: Harness) -> None:
    path = "network.availability_zone_id"
    other = dataclasses.replace(ZONE, zone_id="use1-az1")
    found = rule.fails(
        "CW-N014",
        facts={network.Zones(): (other,)},
        path=path,
        message="us-east-1 has no zone use1-az6 for this account",
    )
    assert found.hint == "zones: use1-az1"
    closed = dataclasses.replace(ZONE, opt_in_status="not-opted-in")
    rule.fails("CW-N014", facts={network.Zones(): (closed,)}, path=path, message="is not-opted-in")
    rule.unsure("CW-N014", facts={network.Zones(): ()}, path=path, message="lists no zones")
    rule.passes("CW-N014", facts={network.Zones(): (ZONE,)})
