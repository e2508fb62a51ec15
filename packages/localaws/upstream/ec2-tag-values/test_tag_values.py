import boto3

from moto import mock_aws


@mock_aws
def test_tag_specification_without_value() -> None:
    client = boto3.client("ec2", region_name="us-east-1")
    tags = [{"ResourceType": "security-group", "Tags": [{"Key": "empty"}]}]
    client.create_security_group(
        GroupName="group", Description="g", TagSpecifications=tags
    )
    found = client.describe_security_groups(GroupNames=["group"])["SecurityGroups"]
    assert found[0]["Tags"] == [{"Key": "empty", "Value": ""}]
