"""Tests of services.ec2.reserved_tags."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

TAG = {"Key": "AWS:mine", "Value": "x"}
REFUSED = (
    "InvalidParameterValue",
    "Value ( AWS:mine ) for parameter key is invalid. "
    "Tag keys starting with 'aws:' are reserved for internal use",
)


@pytest.mark.usefixtures("aws")
def test_reserved_keys_are_refused_wherever_tags_are_given() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    specification = [{"ResourceType": "subnet", "Tags": [TAG]}]
    asked = {"VpcId": vpc, "CidrBlock": "10.0.0.0/24", "TagSpecifications": specification}
    assert refusal(ec2.create_subnet, **asked) == REFUSED
    assert ec2.describe_subnets(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["Subnets"] == []
    for change in (ec2.create_tags, ec2.delete_tags):
        assert refusal(change, Resources=[vpc], Tags=[TAG]) == REFUSED
    ec2.create_tags(Resources=[vpc], Tags=[{"Key": "awsome", "Value": "x"}])


@pytest.mark.parametrize("tag", [{"Value": "x"}, {"Key": "", "Value": "x"}], ids=["none", "empty"])
@pytest.mark.usefixtures("aws")
def test_tags_need_a_key(tag: dict[str, str]) -> None:
    specification = [{"ResourceType": "security-group", "Tags": [tag]}]
    asked = {"GroupName": "g", "Description": "g", "TagSpecifications": specification}
    found = refusal(client("ec2").create_security_group, **asked)
    assert found == ("MissingParameter", "The request must contain the parameter Tag.Key")
