"""moto deletes VPCs that are in use, and keeps network ACLs and associations of deleted ones.

"You must detach or delete all gateways and resources that are associated with the VPC before you
can delete it ... When you delete the VPC, it deletes the default security group, network ACL, and
route table":
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteVpc.html

The text of the error, with an egress-only internet gateway and with an endpoint, as AWS answered:
https://github.com/gruntwork-io/cloud-nuke/issues/345,
https://github.com/gruntwork-io/cloud-nuke/issues/252
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: DeleteVpc refuses with DependencyViolation while the VPC has security groups, network "
    "ACLs, route tables, gateways or endpoints, and deletes its default network ACL; a deleted "
    "subnet is associated with no network ACL and route table"
)
REPRODUCTION = """\
from botocore.exceptions import ClientError

ec2 = boto3.client("ec2")
vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
acls = {"Filters": [{"Name": "vpc-id", "Values": [vpc]}]}
group = ec2.create_security_group(GroupName="g", Description="g", VpcId=vpc)["GroupId"]
try:
    ec2.delete_vpc(VpcId=vpc)
except ClientError as error:
    assert error.response["Error"]["Code"] == "DependencyViolation"
else:
    raise AssertionError("a VPC with a security group was deleted")
ec2.delete_security_group(GroupId=group)
ec2.delete_vpc(VpcId=vpc)
assert ec2.describe_network_acls(**acls)["NetworkAcls"] == []
"""


def apply() -> None:
    from moto.ec2.exceptions import DependencyViolationError
    from moto.ec2.models import EC2Backend

    delete_vpc_in_moto = EC2Backend.delete_vpc
    delete_subnet_in_moto = EC2Backend.delete_subnet

    def delete_vpc(self: Any, vpc_id: str) -> Any:
        if not runtime().active:
            return delete_vpc_in_moto(self, vpc_id)
        if vpc_id in self.vpcs and _in_use(self, vpc_id):
            raise DependencyViolationError(
                f"The vpc '{vpc_id}' has dependencies and cannot be deleted."
            )
        deleted = delete_vpc_in_moto(self, vpc_id)
        for acl in _acls(self, vpc_id):
            del self.network_acls[acl.id]
        return deleted

    def delete_subnet(self: Any, subnet_id: str) -> Any:
        deleted = delete_subnet_in_moto(self, subnet_id)
        if runtime().active:
            for acl in _acls(self, deleted.vpc_id):
                acl._associations = {
                    name: one
                    for name, one in acl._associations.items()
                    if one.subnet_id != subnet_id
                }
            for table in list(self.route_tables.values()):
                table._associations = {
                    name: target
                    for name, target in table._associations.items()
                    if target != subnet_id
                }
        return deleted

    EC2Backend.delete_vpc = delete_vpc  # type: ignore[method-assign]
    EC2Backend.delete_subnet = delete_subnet  # type: ignore[method-assign]


def _in_use(ec2: Any, vpc_id: str) -> bool:
    groups = ec2.groups.get(vpc_id, {}).values()
    gateways = list(ec2.internet_gateways.values())
    egress_only = list(ec2.egress_only_internet_gateways.values())
    endpoints = list(ec2.vpc_end_points.values())
    return (
        any(group.name != "default" for group in list(groups))
        or any(not acl.default for acl in _acls(ec2, vpc_id))
        or len(ec2.describe_route_tables(filters={"vpc-id": vpc_id})) > 1
        or any(one.vpc is not None and one.vpc.id == vpc_id for one in gateways)
        or any(one.vpc_id == vpc_id for one in egress_only)
        or any(one.vpc_id == vpc_id and one.state != "deleted" for one in endpoints)
    )


def _acls(ec2: Any, vpc_id: str) -> list[Any]:
    return [acl for acl in list(ec2.network_acls.values()) if acl.vpc_id == vpc_id]
