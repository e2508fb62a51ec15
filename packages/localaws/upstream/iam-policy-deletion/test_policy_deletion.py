import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws

DOCUMENT = (
    '{"Version": "2012-10-17", "Statement": '
    '{"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "*"}}'
)


@mock_aws
def test_delete_attached_policy() -> None:
    client = boto3.client("iam", region_name="us-east-1")
    policy = client.create_policy(PolicyName="policy", PolicyDocument=DOCUMENT)[
        "Policy"
    ]
    client.create_user(UserName="user")
    client.attach_user_policy(UserName="user", PolicyArn=policy["Arn"])
    with pytest.raises(ClientError) as exc:
        client.delete_policy(PolicyArn=policy["Arn"])
    assert exc.value.response["Error"]["Code"] == "DeleteConflict"
    assert exc.value.response["Error"]["Message"] == (
        "Cannot delete a policy attached to entities."
    )

    client.detach_user_policy(UserName="user", PolicyArn=policy["Arn"])
    client.delete_policy(PolicyArn=policy["Arn"])
    assert client.list_policies(Scope="Local")["Policies"] == []


@mock_aws
def test_delete_policy_with_versions() -> None:
    client = boto3.client("iam", region_name="us-east-1")
    policy = client.create_policy(PolicyName="policy", PolicyDocument=DOCUMENT)[
        "Policy"
    ]
    client.create_policy_version(PolicyArn=policy["Arn"], PolicyDocument=DOCUMENT)
    with pytest.raises(ClientError) as exc:
        client.delete_policy(PolicyArn=policy["Arn"])
    assert exc.value.response["Error"]["Code"] == "DeleteConflict"

    client.delete_policy_version(PolicyArn=policy["Arn"], VersionId="v2")
    client.delete_policy(PolicyArn=policy["Arn"])
    assert client.list_policies(Scope="Local")["Policies"] == []
