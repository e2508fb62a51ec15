"""moto's message about unknown security groups shows a Python set of all groups of the request.

AWS's names one that does not exist. moto finds it by the number of groups, too: the name of a
group that two VPCs have hides another that does not exist.
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: the error about a security group that does not exist names the group"
REPRODUCTION = """\
from botocore.exceptions import ClientError

ec2 = boto3.client("ec2")
group = ec2.create_security_group(GroupName="g", Description="g")["GroupId"]
try:
    ec2.describe_security_groups(GroupIds=[group, "sg-0123456789abcdef0"])
except ClientError as error:
    message = error.response["Error"]["Message"]
    assert message == "The security group 'sg-0123456789abcdef0' does not exist", message
"""


def apply() -> None:
    from moto.ec2.exceptions import InvalidSecurityGroupNotFoundError
    from moto.ec2.models import EC2Backend

    describe = EC2Backend.describe_security_groups

    def describe_security_groups(
        self: Any, group_ids: Any = None, groupnames: Any = None, filters: Any = None
    ) -> Any:
        found = describe(self, filters=filters)
        for attribute, asked in (("id", group_ids), ("name", groupnames)):
            if asked:
                known = {getattr(one, attribute) for one in describe(self)}
                if unknown := set(asked) - known:
                    raise InvalidSecurityGroupNotFoundError(min(unknown))
                found = [one for one in found if getattr(one, attribute) in asked]
        return found

    EC2Backend.describe_security_groups = describe_security_groups  # type: ignore[method-assign]
    _check_launches(EC2Backend)


def _check_launches(backend: Any) -> None:
    """Refuse names of groups that do not exist in launches: moto fails there."""
    from moto.ec2.exceptions import EC2ClientError

    in_moto = backend.run_instances

    def run_instances(
        self: Any,
        image_id: str,
        count: int,
        user_data: Any,
        security_group_names: Any,
        **named: Any,
    ) -> Any:
        for name in security_group_names or ():
            if self.get_security_group_by_name_or_id(name) is None:
                vpc = self.default_vpc.id if self.default_vpc is not None else None
                place = f" in default VPC '{vpc}'" if vpc is not None else ""
                text = f"The security group '{name}' does not exist{place}"
                raise EC2ClientError("InvalidGroup.NotFound", text)
        return in_moto(self, image_id, count, user_data, security_group_names, **named)

    backend.run_instances = run_instances
