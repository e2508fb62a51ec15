"""DB subnet groups must cover two zones."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("local")

CODE = "DBSubnetGroupDoesNotCoverEnoughAZs"


def subnets(*zones: str) -> list[str]:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    return [
        ec2.create_subnet(
            VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=f"us-east-1{zone}"
        )["Subnet"]["SubnetId"]
        for number, zone in enumerate(zones)
    ]


def test_one_zone_is_refused_at_creation_and_in_a_change() -> None:
    rds = client("rds")
    first, second, third = subnets("a", "a", "b")
    request = {"DBSubnetGroupName": "g", "DBSubnetGroupDescription": "d"}
    found = refusal(rds.create_db_subnet_group, SubnetIds=[first, second], **request)
    assert found[0] == CODE
    assert "Current AZ coverage: us-east-1a. Add subnets" in found[1]
    rds.create_db_subnet_group(SubnetIds=[first, third], **request)
    code, _ = refusal(rds.modify_db_subnet_group, DBSubnetGroupName="g", SubnetIds=[first, second])
    assert code == CODE


def test_a_changed_group_is_still_there() -> None:
    rds = client("rds")
    request = {"DBSubnetGroupName": "g", "DBSubnetGroupDescription": "d"}
    rds.create_db_subnet_group(SubnetIds=subnets("a", "b"), **request)
    other = subnets("a", "c")
    rds.modify_db_subnet_group(DBSubnetGroupName="g", SubnetIds=other)
    (found,) = rds.describe_db_subnet_groups(DBSubnetGroupName="g")["DBSubnetGroups"]
    assert sorted(each["SubnetIdentifier"] for each in found["Subnets"]) == sorted(other)


def test_a_name_is_used_once() -> None:
    rds = client("rds")
    request = {"DBSubnetGroupName": "g", "DBSubnetGroupDescription": "d"}
    first = subnets("a", "b")
    rds.create_db_subnet_group(SubnetIds=first, **request)
    code, _ = refusal(rds.create_db_subnet_group, SubnetIds=subnets("a", "c"), **request)
    assert code == "DBSubnetGroupAlreadyExists"
    (found,) = rds.describe_db_subnet_groups(DBSubnetGroupName="g")["DBSubnetGroups"]
    assert sorted(each["SubnetIdentifier"] for each in found["Subnets"]) == sorted(first)


def test_subnets_are_in_one_network() -> None:
    rds = client("rds")
    request = {"DBSubnetGroupName": "g", "DBSubnetGroupDescription": "d"}
    mixed = [subnets("a")[0], *subnets("b")]
    code, message = refusal(rds.create_db_subnet_group, SubnetIds=mixed, **request)
    assert (code, "not all in a common VPC" in message) == ("InvalidSubnet", True)
    rds.create_db_subnet_group(SubnetIds=subnets("a", "b"), **request)
    code, _ = refusal(rds.modify_db_subnet_group, DBSubnetGroupName="g", SubnetIds=mixed)
    assert code == "InvalidSubnet"


def test_a_group_that_does_not_exist_cannot_be_changed() -> None:
    found = refusal(
        client("rds").modify_db_subnet_group, DBSubnetGroupName="g", SubnetIds=subnets("a", "b")
    )
    assert found[0] == "DBSubnetGroupNotFoundFault"
