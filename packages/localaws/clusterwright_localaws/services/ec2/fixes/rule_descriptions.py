"""moto compares the descriptions of rules whose peer is a security group.

In EC2 a description does not distinguish rules: a rule is revoked without its description, and one
that differs in it only is a duplicate (EC2 API reference, RevokeSecurityGroupIngress).
DescribeSecurityGroupRules shows the description, which moto does for addresses only.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: rules whose peer is a security group are revoked without their description, and show it"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
group = ec2.create_security_group(GroupName="g", Description="g")["GroupId"]
rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22}
described = {**rule, "UserIdGroupPairs": [{"GroupId": group, "Description": "ssh"}]}
ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[described])
filters = [{"Name": "group-id", "Values": [group]}]
rules = ec2.describe_security_group_rules(Filters=filters)["SecurityGroupRules"]
assert "ssh" in [one.get("Description") for one in rules], rules
plain = {**rule, "UserIdGroupPairs": [{"GroupId": group}]}
ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=[plain])
"""


def apply() -> None:
    from moto.ec2.models.security_groups import SecurityGroupRule

    equal = SecurityGroupRule.__eq__

    def is_same(self: Any, other: Any) -> bool:
        return bool(equal(_undescribed(self), _undescribed(other)))

    def description(self: Any) -> str | None:
        parts = (self.ip_range, self.source_group)
        return next((part["Description"] for part in parts if part.get("Description")), None)

    SecurityGroupRule.__eq__ = is_same  # type: ignore[method-assign]
    SecurityGroupRule.description = property(description)  # type: ignore[assignment, method-assign]


def _undescribed(rule: Any) -> Any:
    """The attributes of a rule, its group without the description."""
    group = {key: value for key, value in rule.source_group.items() if key != "Description"}
    return SimpleNamespace(**{**vars(rule), "source_group": group})
