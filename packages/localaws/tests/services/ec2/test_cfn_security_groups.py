"""Security groups of a template, with rules inline and as resources."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.services.ec2.cfn_security_groups import (
    SecurityGroup,
    SecurityGroupEgress,
    SecurityGroupIngress,
    _as_written,
    permission,
)
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client, refusal

HTTPS = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/8"}
SSH = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": "10.0.0.0/8"}
ALL = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}


@pytest.fixture
def group(local: None) -> dict[str, Any]:
    vpc = client("ec2").create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    return {"GroupDescription": "d", "VpcId": vpc}


def live(group_id: str) -> tuple[set[Any], set[Any]]:
    """Ports of the rules in each direction."""
    (found,) = client("ec2").describe_security_groups(GroupIds=[group_id])["SecurityGroups"]
    ingress, egress = (
        {rule.get("FromPort", rule["IpProtocol"]) for rule in found[key]}
        for key in ("IpPermissions", "IpPermissionsEgress")
    )
    return ingress, egress


class TestGroup:
    def test_created_with_its_rules(self, group: dict[str, Any]) -> None:
        properties = {**group, "SecurityGroupIngress": [HTTPS], "Tags": tags(a="1")}
        created = SecurityGroup().create(context(), properties)
        name = created.physical_id
        assert created.attributes["GroupId"] == name
        assert created.attributes["VpcId"] == group["VpcId"]
        assert live(name) == ({443}, {"-1"})
        assert SecurityGroup().read(context(), name, properties) == {
            "GroupDescription": "d",
            "GroupName": "stack-Thing-AbCdEfGhIjKl",
            "VpcId": group["VpcId"],
            "SecurityGroupIngress": [HTTPS],
        }

    def test_a_group_without_a_vpc_is_referred_to_by_name(self, local: None) -> None:
        """As recorded on AWS by LocalStack's tests, 2024-07-19."""
        before = {"GroupDescription": "d", "SecurityGroupIngress": [HTTPS], "Tags": tags(a="1")}
        created = SecurityGroup().create(context(), before)
        name, group_id = created.physical_id, created.attributes["GroupId"]
        assert name == created.attributes["GroupName"]
        assert group_id.startswith("sg-")
        after = {"GroupDescription": "d", "SecurityGroupIngress": [SSH], "Tags": tags(b="2")}
        assert SecurityGroup().update(context(), name, before, after).physical_id == name
        assert live(group_id)[0] == {22}
        assert SecurityGroup().read(context(), name, after)["GroupName"] == name
        SecurityGroup().delete(context(), name, after)
        refused = refusal(client("ec2").describe_security_groups, GroupIds=[group_id])
        assert refused[0] == "InvalidGroup.NotFound"

    def test_egress_of_the_template_replaces_the_default_rule(self, group: dict[str, Any]) -> None:
        properties = {**group, "SecurityGroupEgress": [HTTPS]}
        name = SecurityGroup().create(context(), properties).physical_id
        assert live(name) == (set(), {443})
        SecurityGroup().update(context(), name, properties, group)
        assert live(name) == (set(), {"-1"})
        SecurityGroup().update(context(), name, group, properties)
        assert live(name) == (set(), {443})

    def test_rules_change_in_place(self, group: dict[str, Any]) -> None:
        before = {**group, "SecurityGroupIngress": [HTTPS]}
        name = SecurityGroup().create(context(), before).physical_id
        after = {**group, "SecurityGroupIngress": [{**HTTPS, "Description": "web"}, SSH]}
        SecurityGroup().update(context(), name, before, after)
        assert live(name)[0] == {443, 22}
        SecurityGroup().delete(context(), name, after)
        code, _ = refusal(client("ec2").describe_security_groups, GroupIds=[name])
        assert code == "InvalidGroup.NotFound"


@pytest.mark.parametrize(
    ("handler", "position"), [(SecurityGroupIngress, 0), (SecurityGroupEgress, 1)]
)
def test_a_rule_as_a_resource(
    group: dict[str, Any], handler: type[SecurityGroupIngress], position: int
) -> None:
    name = SecurityGroup().create(context(), group).physical_id
    before = {**SSH, "GroupId": name}
    created = handler().create(context(), before)
    assert created.physical_id.startswith("sgr-")
    assert 22 in live(name)[position]
    handler().update(context(), created.physical_id, before, {**before, "Description": "d"})
    assert 22 in live(name)[position]
    handler().delete(context(), created.physical_id, before)
    assert 22 not in live(name)[position]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (ALL, {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}),
        (
            {"IpProtocol": "tcp", "FromPort": 1, "ToPort": 2, "CidrIpv6": "::/0"},
            {
                "IpProtocol": "tcp",
                "FromPort": 1,
                "ToPort": 2,
                "Ipv6Ranges": [{"CidrIpv6": "::/0"}],
            },
        ),
        (
            {"IpProtocol": "-1", "SourcePrefixListId": "pl-1", "Description": "d"},
            {
                "IpProtocol": "-1",
                "PrefixListIds": [{"PrefixListId": "pl-1", "Description": "d"}],
            },
        ),
        (
            {
                "IpProtocol": "-1",
                "SourceSecurityGroupId": "sg-1",
                "SourceSecurityGroupOwnerId": "1",
            },
            {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "sg-1", "UserId": "1"}]},
        ),
        (
            {"IpProtocol": "-1", "SourceSecurityGroupName": "g"},
            {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupName": "g"}]},
        ),
    ],
)
def test_rules_of_a_template_as_the_api_has_them(
    rule: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert permission(rule) == expected


def test_drift_is_what_neither_the_group_nor_another_resource_brought() -> None:
    found = [permission(rule) for rule in (HTTPS, SSH, ALL)]
    assert _as_written([HTTPS], [SSH], found) == [
        HTTPS,
        {"IpProtocol": "-1", "FromPort": -1, "ToPort": -1, "Peer": "0.0.0.0/0"},
    ]
    assert _as_written([HTTPS, SSH], [ALL], found[1:]) == [SSH]
