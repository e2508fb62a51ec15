import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws


def create_subnet(client, vpc_id: str, index: int, zone: str) -> str:
    return client.create_subnet(
        VpcId=vpc_id,
        CidrBlock=f"10.0.{index}.0/24",
        AvailabilityZone=f"us-east-1{zone}",
    )["Subnet"]["SubnetId"]


def create_group(client, *subnet_ids: str) -> None:
    client.create_db_subnet_group(
        DBSubnetGroupName="group",
        DBSubnetGroupDescription="group",
        SubnetIds=list(subnet_ids),
    )


@mock_aws
def test_create_db_subnet_group_in_one_zone() -> None:
    ec2 = boto3.client("ec2", region_name="us-east-1")
    rds = boto3.client("rds", region_name="us-east-1")
    vpc_id = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    with pytest.raises(ClientError) as exc:
        create_group(
            rds, create_subnet(ec2, vpc_id, 0, "a"), create_subnet(ec2, vpc_id, 1, "a")
        )
    assert exc.value.response["Error"]["Code"] == "DBSubnetGroupDoesNotCoverEnoughAZs"


@mock_aws
def test_create_db_subnet_group_in_two_vpcs() -> None:
    ec2 = boto3.client("ec2", region_name="us-east-1")
    rds = boto3.client("rds", region_name="us-east-1")
    vpc_ids = [ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"] for _ in "ab"]
    with pytest.raises(ClientError) as exc:
        create_group(
            rds,
            create_subnet(ec2, vpc_ids[0], 0, "a"),
            create_subnet(ec2, vpc_ids[1], 1, "b"),
        )
    assert exc.value.response["Error"]["Code"] == "InvalidSubnet"


@mock_aws
def test_db_subnet_group_is_neither_replaced_nor_removed() -> None:
    ec2 = boto3.client("ec2", region_name="us-east-1")
    rds = boto3.client("rds", region_name="us-east-1")
    vpc_id = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet_ids = [create_subnet(ec2, vpc_id, *spec) for spec in enumerate("abc")]
    create_group(rds, *subnet_ids[:2])
    with pytest.raises(ClientError) as exc:
        create_group(rds, *subnet_ids)
    assert exc.value.response["Error"]["Code"] == "DBSubnetGroupAlreadyExists"

    rds.modify_db_subnet_group(DBSubnetGroupName="group", SubnetIds=subnet_ids)
    (group,) = rds.describe_db_subnet_groups(DBSubnetGroupName="group")[
        "DBSubnetGroups"
    ]
    assert len(group["Subnets"]) == 3
