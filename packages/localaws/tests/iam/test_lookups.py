"""ARNs that only the state knows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam.actions import ResourceType
from clusterwright_localaws.iam.lookups import Lookups
from clusterwright_localaws.iam.resources import Place
from packages.localaws.tests.handlers import trust
from packages.localaws.tests.parts import Site, client

ACCOUNT = "111122223333"
PLACE = Place("aws", "us-east-1", ACCOUNT)
LOGS = f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:"


def looked_up(
    aws: Runtime, prefix: str, kind: str, operation: str = "Describe", **parameters: Any
) -> list[str] | None:
    place = Place("aws", "us-east-1", aws.world.account)
    return Lookups(aws, operation)(prefix, ResourceType(kind, True, ""), parameters, place)


class TestWithoutState:
    """Forms of S3, logs and queues, which the request alone gives."""

    @pytest.mark.parametrize(
        ("kind", "operation", "parameters", "expected"),
        [
            ("bucket", "PutObject", {"Bucket": "b"}, ["arn:aws:s3:::b"]),
            ("object", "PutObject", {"Bucket": "b", "Key": "k/x"}, ["arn:aws:s3:::b/k/x"]),
            ("object", "ListObjectsV2", {"Bucket": "b"}, []),
            (
                "object",
                "DeleteObjects",
                {"Bucket": "b", "Delete": {"Objects": [{"Key": "x"}, {"Key": "y"}]}},
                ["arn:aws:s3:::b/x", "arn:aws:s3:::b/y"],
            ),
            ("bucket", "HeadBucket", {"Bucket": "arn:aws:s3:::c"}, ["arn:aws:s3:::c"]),
            ("job", "PutObject", {"Bucket": "b"}, []),
            ("bucket", "ListBuckets", {}, []),
        ],
    )
    def test_s3(
        self,
        aws: Runtime,
        kind: str,
        operation: str,
        parameters: dict[str, Any],
        expected: list[str],
    ) -> None:
        assert looked_up(aws, "s3", kind, operation, **parameters) == expected

    def test_log_groups_end_in_a_stream(self, aws: Runtime) -> None:
        base = f"arn:aws:logs:us-east-1:{aws.world.account}:log-group:"
        found = looked_up(aws, "logs", "log-group", "CreateLogGroup", logGroupName="/a")
        assert found == [f"{base}/a:log-stream:"]
        found = looked_up(
            aws, "logs", "log-stream", "PutLogEvents", logGroupName="/a", logStreamName="s"
        )
        assert found == [f"{base}/a:log-stream:s"]

    def test_tags_of_log_groups_name_the_group_alone(self, aws: Runtime) -> None:
        found = looked_up(aws, "logs", "log-group", "TagResource", resourceArn=f"{LOGS}/a")
        assert found == [f"{LOGS}/a"]
        assert looked_up(aws, "logs", "log-stream", "TagResource", resourceArn="x") == []
        assert looked_up(aws, "logs", "destination", "PutDestination") is None

    def test_a_queue_by_its_url(self, aws: Runtime) -> None:
        url = "https://sqs.us-east-1.amazonaws.com/444455556666/q"
        assert looked_up(aws, "sqs", "queue", QueueUrl=url) == [
            "arn:aws:sqs:us-east-1:444455556666:q"
        ]
        assert looked_up(aws, "sqs", "queue", QueueName="q") is None


def test_a_role_has_the_path_that_it_was_created_with(aws: Runtime) -> None:
    document = json.dumps(trust("ec2.amazonaws.com"))
    made = client("iam").create_role(RoleName="r", Path="/p/", AssumeRolePolicyDocument=document)
    created = made["Role"]["Arn"]
    assert looked_up(aws, "iam", "role", RoleName="r") == [created]
    account = aws.world.account
    assert looked_up(aws, "iam", "role", RoleName="new", Path="/q/") == [
        f"arn:aws:iam::{account}:role/q/new"
    ]
    assert looked_up(aws, "iam", "instance-profile", InstanceProfileName="new") == [
        f"arn:aws:iam::{account}:instance-profile/new"
    ]
    assert looked_up(aws, "iam", "role") == []
    assert looked_up(aws, "iam", "role", RoleArn="x") is None


def test_a_hyperpod_cluster_by_name_and_by_the_id_in_its_arn(aws: Runtime, site: Site) -> None:
    arn = site.create(site.group("worker", 1))["ClusterArn"]
    assert looked_up(aws, "sagemaker", "cluster", ClusterName="train") == [arn]
    assert looked_up(aws, "sagemaker", "cluster", ClusterName=arn.rsplit("/", 1)[-1]) == [arn]
    assert looked_up(aws, "sagemaker", "cluster", ClusterName="other") is None


def test_a_secret_and_a_key_by_their_names(aws: Runtime) -> None:
    secret = client("secretsmanager").create_secret(Name="s", SecretString="x")["ARN"]
    assert looked_up(aws, "secretsmanager", "secret", SecretId="s") == [secret]
    assert looked_up(aws, "secretsmanager", "secret", SecretId="none") is None
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]
    kms.create_alias(AliasName="alias/a", TargetKeyId=key["KeyId"])
    for name in (key["KeyId"], key["Arn"], "alias/a"):
        assert looked_up(aws, "kms", "key", KeyId=name) == [key["Arn"]]
    assert looked_up(aws, "kms", "key", KeyId="alias/none") is None
    assert looked_up(aws, "kms", "key") is None


def test_a_stack_that_is_yet_to_be_created_has_an_open_id(aws: Runtime) -> None:
    account = aws.world.account
    assert looked_up(aws, "cloudformation", "stack", StackName="s") == [
        f"arn:aws:cloudformation:us-east-1:{account}:stack/s/*"
    ]
    assert looked_up(aws, "cloudformation", "stack", StackName="arn:aws:x") is None


def test_an_account_of_an_organization(aws: Runtime) -> None:
    account = aws.world.account
    assert looked_up(aws, "organizations", "account", TargetId="444455556666") == [
        f"arn:aws:organizations::{account}:account/o-*/444455556666"
    ]
    assert looked_up(aws, "organizations", "account", TargetId="ou-1") == []
    assert looked_up(aws, "organizations", "account", AccountId="444455556666") is None


def test_a_root_and_a_unit_of_an_organization(aws: Runtime) -> None:
    prefix = f"arn:aws:organizations::{aws.world.account}"
    assert looked_up(aws, "organizations", "organizationalunit", ChildId="ou-1") == [
        f"{prefix}:ou/o-*/ou-1"
    ]
    assert looked_up(aws, "organizations", "root", TargetId="r-1") == [f"{prefix}:root/o-*/r-1"]
    assert looked_up(aws, "organizations", "root", TargetId="ou-1") == []


def test_other_types_are_left_to_their_names(aws: Runtime) -> None:
    assert looked_up(aws, "ec2", "vpc", VpcId="vpc-1") is None
