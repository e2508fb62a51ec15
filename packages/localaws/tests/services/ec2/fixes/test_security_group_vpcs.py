"""Security groups of a VPC that does not exist."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("local")

GROUP = {"GroupName": "g", "Description": "d"}


def test_a_group_of_a_missing_vpc_is_refused() -> None:
    ec2 = client("ec2")
    code, message = refusal(ec2.create_security_group, VpcId="vpc-0123456789abcdef0", **GROUP)
    assert code == "InvalidVpcID.NotFound"
    assert "vpc-0123456789abcdef0" in message


def test_a_vpc_still_gets_its_default_group() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    group = ec2.create_security_group(VpcId=vpc, **GROUP)["GroupId"]
    found = ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [vpc]}])
    names = {each["GroupId"]: each["GroupName"] for each in found["SecurityGroups"]}
    assert sorted(names.values()) == ["default", "g"]
    assert names[group] == "g"
