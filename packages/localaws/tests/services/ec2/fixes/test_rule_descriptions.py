"""Tests of services.ec2.fixes.rule_descriptions."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
PORT = {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 988}


def test_descriptions_do_not_distinguish_rules() -> None:
    ec2 = client("ec2")
    mine, other = (
        ec2.create_security_group(GroupName=name, Description="d")["GroupId"] for name in "gh"
    )

    def rule(group: str, **changes: Any) -> dict[str, Any]:
        return {
            "GroupId": mine,
            "IpPermissions": [{**PORT, "UserIdGroupPairs": [{"GroupId": group, **changes}]}],
        }

    def shown() -> list[Any]:
        filters = [{"Name": "group-id", "Values": [mine]}]
        found = ec2.describe_security_group_rules(Filters=filters)["SecurityGroupRules"]
        return [one.get("Description") for one in found if not one["IsEgress"]]

    ec2.authorize_security_group_ingress(**rule(mine, Description="clients"))
    assert shown() == ["clients"]
    again = refusal(ec2.authorize_security_group_ingress, **rule(mine, Description="others"))
    assert again[0] == "InvalidPermission.Duplicate"
    assert refusal(ec2.revoke_security_group_ingress, **rule(other))[0] == (
        "InvalidPermission.NotFound"
    )
    ec2.authorize_security_group_ingress(**rule(other))
    ec2.revoke_security_group_ingress(**rule(mine))
    assert shown() == [None]
