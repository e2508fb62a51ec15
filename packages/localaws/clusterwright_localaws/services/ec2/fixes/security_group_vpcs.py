"""moto creates a security group in a VPC that does not exist.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html (InvalidVpcID.NotFound)
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: CreateSecurityGroup in a VPC that does not exist is refused with InvalidVpcID.NotFound"
)
REPRODUCTION = """\
from botocore.exceptions import ClientError

ec2 = boto3.client("ec2")
try:
    ec2.create_security_group(GroupName="g", Description="g", VpcId="vpc-0123456789abcdef0")
except ClientError as error:
    assert error.response["Error"]["Code"] == "InvalidVpcID.NotFound"
else:
    raise AssertionError("a security group was created in a VPC that does not exist")
"""


def apply() -> None:
    from moto.ec2.exceptions import InvalidVPCIdError
    from moto.ec2.models.security_groups import SecurityGroupBackend

    create_in_moto = SecurityGroupBackend.create_security_group

    def create_security_group(
        self: Any,
        name: str,
        description: str,
        vpc_id: str | None = None,
        tags: dict[str, str] | None = None,
        force: bool = False,
        is_default: bool | None = None,
    ) -> Any:
        # moto passes `force` for the default group of a VPC that it is creating.
        if runtime().active and vpc_id and not force and vpc_id not in self.vpcs:
            raise InvalidVPCIdError(vpc_id)
        return create_in_moto(self, name, description, vpc_id, tags, force, is_default)

    SecurityGroupBackend.create_security_group = create_security_group  # type: ignore[method-assign]
