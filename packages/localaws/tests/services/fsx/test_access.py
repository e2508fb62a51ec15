"""Access of a file system's role to its linked bucket and the bucket's key."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.fsx.access import refusal
from clusterwright_localaws.services.fsx.state import Association, FileSystem
from packages.localaws.tests.parts import client

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
EXPORT = {"AutoExportPolicy": {"Events": ["NEW", "DELETED"]}}


@pytest.fixture
def bucket(aws: Runtime) -> str:
    client("s3").create_bucket(Bucket="corpus")
    return "corpus"


def association(account: str, path: str = "s3://corpus/tokens", **s3: Any) -> Association:
    owner = FileSystem(
        id="fs-1",
        kind="LUSTRE",
        account=account,
        region="us-east-1",
        created_at=NOW,
        vpc_id="vpc-1",
        request={},
        interface_ids=[],
    )
    return Association(
        id="dra-1",
        file_system=owner,
        created_at=NOW,
        request={"DataRepositoryPath": path, "S3": s3},
    )


def policy(bucket: str, **statement: Any) -> None:
    document = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Deny",
                "Principal": "*",
                "Action": "s3:*",
                "Resource": [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"],
                **statement,
            }
        ],
    }
    client("s3").put_bucket_policy(Bucket=bucket, Policy=json.dumps(document))


def refused(action: str, resource: str) -> str:
    return (
        f"Amazon FSx is not authorized to perform {action} on {resource}: check the policies of "
        "the bucket and of its key."
    )


def test_a_bucket_without_a_policy_is_accessible(aws: Runtime, bucket: str) -> None:
    assert refusal(association(aws.world.account, **EXPORT)) is None


@pytest.mark.parametrize(
    ("action", "resource", "settings"),
    [
        ("s3:ListBucket", "arn:aws:s3:::corpus", {}),
        ("s3:GetObject", "arn:aws:s3:::corpus/tokens/file", {}),
        (
            "s3:PutBucketNotification",
            "arn:aws:s3:::corpus",
            {"AutoImportPolicy": {"Events": ["NEW"]}},
        ),
        ("s3:PutObject", "arn:aws:s3:::corpus/tokens/file", EXPORT),
        ("s3:DeleteObject", "arn:aws:s3:::corpus/tokens/file", EXPORT),
    ],
)
def test_a_denied_action_is_named_where_the_settings_need_it(
    aws: Runtime, bucket: str, action: str, resource: str, settings: dict[str, Any]
) -> None:
    policy(bucket, Action=action)
    needing = association(aws.world.account, **settings)
    assert refusal(needing) == refused(action, resource)
    if settings:
        assert refusal(association(aws.world.account)) is None


def test_the_role_of_the_file_system_can_be_excepted(aws: Runtime, bucket: str) -> None:
    account = aws.world.account
    role = (
        f"arn:aws:iam::{account}:role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/"
        "AWSServiceRoleForFSxS3Access_fs-1"
    )
    policy(bucket, Condition={"ArnNotEquals": {"aws:PrincipalArn": role}})
    assert refusal(association(account)) is None


def test_a_bucket_of_another_account_must_allow(aws: Runtime, bucket: str) -> None:
    found = association("444455556666", "s3://corpus")
    assert refusal(found) == refused("s3:ListBucket", "arn:aws:s3:::corpus")


class TestKey:
    def encrypt(self, *actions: str) -> str:
        statement = {"Effect": "Allow", "Principal": "*", "Action": list(actions), "Resource": "*"}
        document = {"Version": "2012-10-17", "Statement": [statement]}
        key = client("kms").create_key(
            Policy=json.dumps(document), BypassPolicyLockoutSafetyCheck=True
        )["KeyMetadata"]["Arn"]
        rule = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}
        client("s3").put_bucket_encryption(
            Bucket="corpus",
            ServerSideEncryptionConfiguration={
                "Rules": [{"ApplyServerSideEncryptionByDefault": rule}]
            },
        )
        return str(key)

    def test_a_key_that_allows_is_used(self, aws: Runtime, bucket: str) -> None:
        self.encrypt("kms:*")
        assert refusal(association(aws.world.account)) is None

    def test_a_key_must_allow_each_action(self, aws: Runtime, bucket: str) -> None:
        key = self.encrypt("kms:Decrypt", "kms:DescribeKey")
        found = refusal(association(aws.world.account))
        assert found == refused("kms:GenerateDataKey", key)
