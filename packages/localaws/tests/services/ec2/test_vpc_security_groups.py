"""Tests of services.ec2.vpc_security_groups."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_groups_of_a_vpc() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    tags = [{"Key": "a", "Value": "b"}]
    made = ec2.create_security_group(
        GroupName="mine",
        Description="Mine",
        VpcId=vpc,
        TagSpecifications=[{"ResourceType": "security-group", "Tags": tags}],
    )
    found = ec2.get_security_groups_for_vpc(VpcId=vpc)["SecurityGroupForVpcs"]
    assert {one["GroupName"] for one in found} == {"default", "mine"}
    named = [{"Name": "group-name", "Values": ["mine"]}]
    (one,) = ec2.get_security_groups_for_vpc(VpcId=vpc, Filters=named)["SecurityGroupForVpcs"]
    assert one.pop("OwnerId")
    assert one == {
        "Description": "Mine",
        "GroupName": "mine",
        "GroupId": made["GroupId"],
        "Tags": tags,
        "PrimaryVpcId": vpc,
    }
    missing = {"VpcId": "vpc-0123456789abcdef0"}
    assert refusal(ec2.get_security_groups_for_vpc, **missing)[0] == "InvalidVpcID.NotFound"
