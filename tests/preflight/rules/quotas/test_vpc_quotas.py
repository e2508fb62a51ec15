"""Tests of the vpc quotas."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.ec2.vpc import NatGateway, Vpc
from clusterwright.platforms.security_group_rules import security_groups_built
from clusterwright.preflight.facts import counts, network, routes
from tests.preflight.existing_network import EXISTING
from tests.preflight.harness import Harness, quota
from tests.preflight.rules.support.more_quotas import HOMES, NAT, OURS, RDS, gateway, groups
from tests.preflight.rules.support.quotas import subnet
from tests.support import specs


def test_internet_gateway_quota(rule: Harness) -> None:
    full: dict[Any, Any] = {counts.InternetGateways(): (None, "other-network", None, None, None)}
    rule.fails(
        "CW-Q043",
        NAT,
        {**full, **quota("vpc", "L-A4707A72", 5)},
        path="network.egress",
        message="a NAT gateway needs 1",
        numbers=(1, 5, 5),
    )
    own: dict[Any, Any] = {counts.InternetGateways(): (None, OURS, None, None, None)}
    rule.passes("CW-Q043", NAT, {**own, **quota("vpc", "L-A4707A72", 5)})
    rule.passes("CW-Q043", tested=False)


def test_security_group_quota_of_the_region(rule: Harness) -> None:
    # Nodes, controller and endpoints, and the default group of the VPC.
    limit = quota("vpc", "L-E79EC296", 5)
    rule.fails(
        "CW-Q045",
        None,
        {**groups(None, None), **limit},
        path="network",
        message="a new network needs 4",
        numbers=(4, 2, 5),
    )
    rule.passes("CW-Q045", None, {**groups(None), **limit})
    # Deployed: two of the stacks, the default one without a tag, and one of others.
    rule.passes("CW-Q045", None, {**groups(OURS, OURS, None, None), **limit})
    rule.passes("CW-Q045", EXISTING, tested=False)


def test_rule_quota_per_security_group(rule: Harness) -> None:
    wide = {**HOMES, **RDS, "storage.lustre": [{**specs.LUSTRE, "efa": False}]}
    rule.fails(
        "CW-Q046",
        wide,
        quota("vpc", "L-0EA8095F", 11),
        path="network",
        message="the security group of the nodes needs 12",
        numbers=(12, 0, 11),
    )
    rule.passes("CW-Q046", wide, quota("vpc", "L-0EA8095F", 12))


def test_security_group_quota_per_interface(rule: Harness) -> None:
    three = {**EXISTING["network"]["existing"], "security_group_ids": ["sg-1", "sg-2", "sg-3"]}
    three["security_group_ids"] = [f"sg-0000000{n}" for n in (1, 2, 3)]
    changes = {"network": {"availability_zone_id": "use1-az6", "existing": three}}
    rule.fails(
        "CW-Q047",
        changes,
        quota("vpc", "L-2AFB9258", 2),
        path="network.existing.security_group_ids",
        message="each node has 3 security groups",
        numbers=(3, 0, 2),
    )
    rule.passes("CW-Q047", changes, quota("vpc", "L-2AFB9258", 3))
    rule.fails(
        "CW-Q047",
        None,
        quota("vpc", "L-2AFB9258", 1),
        path="network",
        message="the controller has 2 security groups",
        numbers=(2, 0, 1),
    )
    rule.passes("CW-Q047", None, quota("vpc", "L-2AFB9258", 2))


def test_interface_endpoint_quota_of_the_vpc(rule: Harness) -> None:
    finding = rule.fails(
        "CW-Q048",
        None,
        quota("vpc", "L-29B6F2EB", 3),
        path="network.egress",
        message="a closed network needs",
    )
    assert isinstance(finding.requested, int)
    rule.passes("CW-Q048", None, quota("vpc", "L-29B6F2EB", finding.requested))
    rule.passes("CW-Q048", NAT, tested=False)


def test_gateway_endpoint_quota_of_the_region(rule: Harness) -> None:
    facts: dict[Any, Any] = {
        routes.Endpoints(): (gateway(None), gateway(OURS), gateway(None, "interface"))
    }
    rule.fails(
        "CW-Q049",
        None,
        {**facts, **quota("vpc", "L-1B52E74A", 1)},
        path="network",
        message="a new network needs 1",
        numbers=(1, 1, 1),
    )
    rule.passes("CW-Q049", None, {**facts, **quota("vpc", "L-1B52E74A", 2)})


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {**HOMES, **RDS, "storage.lustre": [specs.LUSTRE]},
        {**HOMES, **NAT, "storage.lustre": [{**specs.LUSTRE, "efa": False}]},
    ],
)
def test_number_of_rules_matches_the_template(rule: Harness, changes: dict[str, Any]) -> None:
    import aws_cdk as cdk

    from stacks.network.security_groups import SecurityGroups

    cluster = specs.load(rule.folder, changes).cluster
    stack = cdk.Stack(cdk.App(), "Network")
    SecurityGroups(stack, "Groups", cluster, vpc_id="vpc-1")
    template = cdk.assertions.Template.from_stack(stack).to_json()["Resources"]
    built: dict[str, list[int]] = {}
    for name, resource in template.items():
        if resource["Type"] == "AWS::EC2::SecurityGroup":
            egress = resource["Properties"].get("SecurityGroupEgress", [])
            built[name] = [0, len(egress)]
    for resource in template.values():
        for place, kind in enumerate(("Ingress", "Egress")):
            if resource["Type"] == f"AWS::EC2::SecurityGroup{kind}":
                built[resource["Properties"]["GroupId"]["Fn::GetAtt"][0]][place] += 1
    expected = sorted(security_groups_built(cluster).values())
    assert sorted((a, b) for a, b in built.values()) == expected


def test_other_vpcs_are_counted(rule: Harness) -> None:
    five = tuple(Vpc(f"vpc-{n}", ("10.0.0.0/16",), None) for n in range(5))
    own = Vpc("vpc-9", ("10.0.0.0/16",), "test-network")
    limit = quota("vpc", "L-F678F1CE", 5)
    rule.fails(
        "CW-Q040",
        None,
        {network.Vpcs(): (*five, own), **limit},
        path="network",
        message='a new VPC needs 1 of "VPCs per Region", 0 are free',
        numbers=(1, 5, 5),
    )
    rule.passes("CW-Q040", None, {network.Vpcs(): (*five[:4], own), **limit})


def test_elastic_ips_are_counted_only_with_a_nat_gateway(rule: Harness) -> None:
    limit = quota("ec2", "L-0263D0A3", 5)
    taken = {network.ElasticIps(): (None,) * 5 + ("test-network",)}
    rule.fails(
        "CW-Q041",
        NAT,
        {**taken, **limit},
        path="network.egress",
        message='a NAT gateway needs 1 of "EC2-VPC Elastic IPs", 0 are free',
        numbers=(1, 5, 5),
    )
    rule.passes("CW-Q041", NAT, {network.ElasticIps(): (None,) * 4, **limit})
    rule.passes("CW-Q041", tested=False)


def test_nat_gateways_are_counted_by_zone(rule: Harness) -> None:
    here, there = subnet("subnet-1", "use1-az6"), subnet("subnet-2", "use1-az1")
    gateways = (*(NatGateway("subnet-1", None) for _ in range(5)), NatGateway("subnet-2", None))
    standing = {network.Subnets(): (here, there), **quota("vpc", "L-FE5A380F", 5)}
    rule.fails(
        "CW-Q042",
        NAT,
        {**standing, network.NatGateways(): gateways},
        path="network.egress",
        message="NAT gateways per Availability Zone",
        numbers=(1, 5, 5),
    )
    rule.passes("CW-Q042", NAT, {**standing, network.NatGateways(): gateways[1:]})
