"""moto creates a DB subnet group with subnets in one zone or of two VPCs, and replaces another.

https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBSubnetGroup.html: "must
contain at least one subnet in at least two AZs", DBSubnetGroupDoesNotCoverEnoughAZs;
DBSubnetGroupAlreadyExists; InvalidSubnet, "multiple subnets [...] not all in a common VPC".
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "RDS: a DB subnet group whose subnets are in fewer than two zones is refused with "
    "DBSubnetGroupDoesNotCoverEnoughAZs, of two VPCs with InvalidSubnet, and of a name in use "
    "with DBSubnetGroupAlreadyExists; ModifyDBSubnetGroup does not remove the group"
)
REPRODUCTION = """\
from botocore.exceptions import ClientError

ec2 = boto3.client("ec2")
vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
try:
    boto3.client("rds").create_db_subnet_group(
        DBSubnetGroupName="g", DBSubnetGroupDescription="one zone", SubnetIds=[subnet]
    )
except ClientError as error:
    assert error.response["Error"]["Code"] == "DBSubnetGroupDoesNotCoverEnoughAZs"
else:
    raise AssertionError("a DB subnet group with one availability zone was created")
"""


def apply() -> None:
    from moto.rds.exceptions import (
        DBSubnetGroupNotFoundError,
        InvalidSubnet,
        RDSClientError,
    )
    from moto.rds.models import RDSBackend

    create_in_moto = RDSBackend.create_subnet_group
    modify_in_moto = RDSBackend.modify_db_subnet_group

    def check(subnets: list[Any]) -> None:
        if not runtime().active:
            return
        for subnet in subnets:
            if subnet.vpc_id != subnets[0].vpc_id:
                raise InvalidSubnet(subnet.id)
        zones = sorted({subnet.availability_zone for subnet in subnets})
        if len(zones) < 2:
            raise RDSClientError(
                "DBSubnetGroupDoesNotCoverEnoughAZs",
                "The DB subnet group doesn't meet Availability Zone (AZ) coverage requirement. "
                f"Current AZ coverage: {', '.join(zones)}. Add subnets to cover at least 2 AZs.",
            )

    def create_subnet_group(
        self: Any, subnet_name: str, description: str, subnets: list[Any], tags: Any
    ) -> Any:
        check(subnets)
        if runtime().active and subnet_name in self.subnet_groups:
            message = f"The DB subnet group '{subnet_name}' already exists."
            raise RDSClientError("DBSubnetGroupAlreadyExists", message)
        return create_in_moto(self, subnet_name, description, subnets, tags)

    def modify_db_subnet_group(
        self: Any, subnet_name: str, description: str, subnets: list[Any]
    ) -> Any:
        check(subnets)
        if subnet_name not in self.subnet_groups:
            raise DBSubnetGroupNotFoundError(subnet_name)
        changed = modify_in_moto(self, subnet_name, description, subnets)
        if runtime().active:
            self.subnet_groups[subnet_name] = changed  # moto removes the group
        return changed

    RDSBackend.create_subnet_group = create_subnet_group  # type: ignore[method-assign]
    RDSBackend.modify_db_subnet_group = modify_db_subnet_group  # type: ignore[method-assign]
