import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws

DOCUMENT = (
    '{"Version": "2012-10-17", "Statement": '
    '{"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "*"}}'
)


@mock_aws
def test_delete_group_with_user() -> None:
    client = boto3.client("iam", region_name="us-east-1")
    client.create_group(GroupName="group")
    client.create_user(UserName="user")
    client.add_user_to_group(GroupName="group", UserName="user")
    with pytest.raises(ClientError) as exc:
        client.delete_group(GroupName="group")
    assert exc.value.response["Error"]["Code"] == "DeleteConflict"
    assert exc.value.response["Error"]["Message"] == (
        "Cannot delete entity, must remove users from group first."
    )

    client.remove_user_from_group(GroupName="group", UserName="user")
    client.delete_group(GroupName="group")
    assert client.list_groups()["Groups"] == []


@mock_aws
def test_delete_group_with_attached_policy() -> None:
    client = boto3.client("iam", region_name="us-east-1")
    client.create_group(GroupName="group")
    policy = client.create_policy(PolicyName="policy", PolicyDocument=DOCUMENT)[
        "Policy"
    ]
    client.attach_group_policy(GroupName="group", PolicyArn=policy["Arn"])
    with pytest.raises(ClientError) as exc:
        client.delete_group(GroupName="group")
    assert exc.value.response["Error"]["Code"] == "DeleteConflict"
    assert exc.value.response["Error"]["Message"] == (
        "Cannot delete entity, must detach all policies first."
    )


@mock_aws
def test_delete_group_with_inline_policy() -> None:
    client = boto3.client("iam", region_name="us-east-1")
    client.create_group(GroupName="group")
    client.put_group_policy(
        GroupName="group", PolicyName="policy", PolicyDocument=DOCUMENT
    )
    with pytest.raises(ClientError) as exc:
        client.delete_group(GroupName="group")
    assert exc.value.response["Error"]["Code"] == "DeleteConflict"
    assert exc.value.response["Error"]["Message"] == (
        "Cannot delete entity, must delete policies first."
    )
