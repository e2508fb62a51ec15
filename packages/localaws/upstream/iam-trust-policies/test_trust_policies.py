import json

import boto3
import pytest
from botocore.exceptions import ClientError

from moto import mock_aws

STATEMENT = {
    "Effect": "Allow",
    "Principal": {"Service": "ec2.amazonaws.com"},
    "Action": "sts:AssumeRole",
}


@mock_aws
@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("no JSON", "This policy contains invalid Json"),
        (
            json.dumps(
                {"Version": "2012-10-17", "Statement": {**STATEMENT, "Resource": "*"}}
            ),
            "Has prohibited field Resource.",
        ),
    ],
)
def test_create_role_with_malformed_trust_policy(document: str, message: str) -> None:
    client = boto3.client("iam", region_name="us-east-1")
    with pytest.raises(ClientError) as exc:
        client.create_role(RoleName="role", AssumeRolePolicyDocument=document)
    assert exc.value.response["Error"]["Code"] == "MalformedPolicyDocument"
    assert exc.value.response["Error"]["Message"] == message


@mock_aws
def test_trust_policy_needs_no_version() -> None:
    client = boto3.client("iam", region_name="us-east-1")
    document = json.dumps({"Statement": [STATEMENT]})
    client.create_role(RoleName="role", AssumeRolePolicyDocument=document)
    client.update_assume_role_policy(RoleName="role", PolicyDocument=document)
    role = client.get_role(RoleName="role")["Role"]
    assert role["AssumeRolePolicyDocument"] == {"Statement": [STATEMENT]}
