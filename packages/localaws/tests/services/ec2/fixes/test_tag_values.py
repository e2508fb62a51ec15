"""Tests of services.ec2.fixes.tag_values."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_tag_without_a_value() -> None:
    ec2 = client("ec2")
    specification = {"ResourceType": "security-group", "Tags": [{"Key": "empty"}]}
    asked = {"GroupName": "g", "Description": "x"}
    one = ec2.create_security_group(**asked, TagSpecifications=[specification])["GroupId"]
    (found,) = ec2.describe_security_groups(GroupIds=[one])["SecurityGroups"]
    assert found["Tags"] == [{"Key": "empty", "Value": ""}]
    nameless = {"ResourceType": "security-group", "Tags": [{"Value": "x"}]}
    code, _ = refusal(ec2.create_security_group, **asked, TagSpecifications=[nameless])
    assert code == "MissingParameter"
