"""What a database is put into: security groups, zones, internet gateways, and keys."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

VALUE, COMBINATION = "InvalidParameterValue", "InvalidParameterCombination"
INSTANCE = {
    "DBInstanceIdentifier": "one",
    "DBInstanceClass": "db.t4g.medium",
    "Engine": "mysql",
    "AllocatedStorage": 20,
    "MasterUsername": "chief",
    "MasterUserPassword": "not-a-real-one",
}


def refused(changes: dict[str, Any]) -> tuple[str, str]:
    found = refusal(client("rds").create_db_instance, **{**INSTANCE, **changes})
    return found[0], found[1]


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"MultiAZ": True, "AvailabilityZone": "us-east-1a"}, COMBINATION, "Multi-AZ instances"),
        ({"AvailabilityZone": "us-west-2a"}, VALUE, "us-west-2a"),
        ({"VpcSecurityGroupIds": ["sg-0123456789abcdef0"]}, VALUE, "Invalid security group"),
        ({"KmsKeyId": "alias/none"}, "KMSKeyNotAccessibleFault", "alias/none"),
    ],
)
def test_instance_that_is_refused(changes: dict[str, Any], code: str, message: str) -> None:
    found = refused(changes)
    assert found[0] == code, found
    assert message in found[1]


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    "changes",
    [
        {"KmsKeyId": "alias/aws/rds"},
        {"KmsKeyId": "arn:aws:kms:us-east-1:999999999999:key/other"},
        {"AvailabilityZone": "us-east-1a"},
    ],
)
def test_instance_that_is_created(changes: dict[str, Any]) -> None:
    client("rds").create_db_instance(**{**INSTANCE, **changes})


class TestNetworks:
    @pytest.fixture
    def vpc(self, aws: Runtime) -> str:
        ec2 = client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnets = [
            ec2.create_subnet(
                VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=f"us-east-1{zone}"
            )["Subnet"]["SubnetId"]
            for number, zone in enumerate("ab")
        ]
        client("rds").create_db_subnet_group(
            DBSubnetGroupName="two", DBSubnetGroupDescription="d", SubnetIds=subnets
        )
        return str(vpc)

    def test_groups_of_another_vpc(self, vpc: str) -> None:
        ec2 = client("ec2")
        other = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        group = ec2.create_security_group(GroupName="g", Description="d", VpcId=other)["GroupId"]
        found = refused({"DBSubnetGroupName": "two", "VpcSecurityGroupIds": [group]})
        assert found == (
            COMBINATION,
            "The DB instance and EC2 security group are in different VPCs. The DB instance is in "
            f"{vpc} and the EC2 security group is in {other}",
        )

    def test_a_public_database_needs_an_internet_gateway(self, vpc: str) -> None:
        public = {"DBSubnetGroupName": "two", "PubliclyAccessible": True}
        assert refused(public)[0] == "InvalidVPCNetworkStateFault"
        ec2 = client("ec2")
        gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
        client("rds").create_db_instance(**{**INSTANCE, **public})
