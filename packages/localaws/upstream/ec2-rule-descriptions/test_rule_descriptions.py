import boto3
import pytest

from moto import mock_aws


@mock_aws
@pytest.mark.parametrize("description", ["ssh", "another"])
def test_revoke_rule_of_group_with_another_description(description: str) -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    group = client.create_security_group(GroupName="g", Description="g")["GroupId"]
    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22}
    described = {**rule, "UserIdGroupPairs": [{"GroupId": group, "Description": "ssh"}]}
    client.authorize_security_group_ingress(GroupId=group, IpPermissions=[described])

    filters = [{"Name": "group-id", "Values": [group]}]
    rules = client.describe_security_group_rules(Filters=filters)["SecurityGroupRules"]
    assert [r["Description"] for r in rules if not r["IsEgress"]] == ["ssh"]

    pair = {"GroupId": group, "Description": description}
    if description == "ssh":
        del pair["Description"]
    client.revoke_security_group_ingress(
        GroupId=group, IpPermissions=[{**rule, "UserIdGroupPairs": [pair]}]
    )
    rules = client.describe_security_group_rules(Filters=filters)["SecurityGroupRules"]
    assert [r for r in rules if not r["IsEgress"]] == []
