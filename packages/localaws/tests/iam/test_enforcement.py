"""Calls of users, sessions, other accounts and services where the world enforces IAM."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import boto3
import pytest
from botocore import UNSIGNED
from botocore.config import Config

from clusterwright_localaws import local_aws
from packages.localaws.tests.iam.conftest import (
    ACCOUNT,
    ADMIN,
    OTHER,
    STRANGER,
    Keys,
    allow,
    deny,
    document,
    refused,
    user,
)


class TestOrganisation:
    levels: ClassVar = [[json.loads(document(allow("*"))), json.loads(document(deny("fsx:*")))]]

    def test_service_control_policies_deny(self) -> None:
        organization = {"service_control_policies": self.levels, "management_account": OTHER}
        with local_aws(iam="enforced", organization=organization):
            found = refused(ADMIN("fsx").describe_file_systems)
            assert found[2].endswith("with an explicit deny in a service control policy")
            STRANGER("fsx").describe_file_systems()
            ADMIN("s3").list_buckets()
            who = {"StringEquals": {"aws:PrincipalOrgID": "o-exampleorgid"}}
            user("ann", allow("s3:List*", Condition=who))("s3").list_buckets()

    def test_every_organization_level_must_allow(self) -> None:
        levels = [[json.loads(document(allow("*")))], [json.loads(document(allow("s3:*")))]]
        with local_aws(iam="enforced", organization={"service_control_policies": levels}):
            ADMIN("s3").list_buckets()
            found = refused(ADMIN("ec2").describe_vpcs)
            assert "because no service control policy allows the ec2:DescribeVpcs" in found[2]

    def test_resource_control_policies_deny(self) -> None:
        outside = json.loads(
            document(deny("s3:*", Principal="*", Condition={
                "StringNotEquals": {"aws:PrincipalAccount": ACCOUNT}}))
        )  # fmt: skip
        organization = {"resource_control_policies": [outside]}
        with local_aws(iam="enforced", organization=organization):
            ADMIN("s3").create_bucket(Bucket="our-bucket")
            ADMIN("s3").list_objects_v2(Bucket="our-bucket")
            found = refused(STRANGER("s3").list_objects_v2, Bucket="our-bucket")
            assert found[1] == "AccessDenied"


@pytest.mark.parametrize("key", ["aws:ResourceTag/cluster", "ec2:ResourceTag/cluster"])
def test_tags_of_instances(key: str) -> None:
    with local_aws(iam="enforced"):
        ours, other = (
            ADMIN("ec2").run_instances(
                ImageId="ami-12c6146b",
                MinCount=1,
                MaxCount=1,
                TagSpecifications=[
                    {"ResourceType": "instance", "Tags": [{"Key": "cluster", "Value": name}]}
                ],
            )["Instances"][0]["InstanceId"]
            for name in ("ours", "other")
        )
        limited = allow("ec2:RebootInstances", Condition={"StringEquals": {key: "ours"}})
        operator = user("ann", limited)("ec2")
        operator.reboot_instances(InstanceIds=[ours])
        for ids in ([other], [ours, other]):
            assert refused(operator.reboot_instances, InstanceIds=ids)[1] == (
                "UnauthorizedOperation"
            )


def test_policies_are_ignored_when_iam_is_not_enforced() -> None:
    with local_aws(account=ACCOUNT):
        user("ann", deny("*"))("s3").list_buckets()
        Keys("AKIANOBODYSKEY000000")("ec2").describe_vpcs()


def test_urls_in_messages_of_sns_are_visited_without_a_signature() -> None:
    """SNS itself decides whom the token or the subscription lets in."""
    with local_aws(iam="enforced"):
        arn = ADMIN("sns").create_topic(Name="t")["TopicArn"]
        made = ADMIN("sns").subscribe(
            TopicArn=arn, Protocol="email", Endpoint="a@b.example", ReturnSubscriptionArn=True
        )["SubscriptionArn"]
        config = Config(signature_version=UNSIGNED)
        visitor = boto3.client("sns", region_name="us-east-1", config=config)
        found = refused(visitor.confirm_subscription, TopicArn=arn, Token="a" * 288)
        assert found[1] == "InvalidParameter"
        found = refused(visitor.list_subscriptions)
        assert found[1] == "MissingAuthenticationToken"
        # A signed call needs the permission.
        found = refused(user("ann", allow("sns:List*"))("sns").unsubscribe, SubscriptionArn=made)
        assert found[1] == "AuthorizationError"
        visitor.unsubscribe(SubscriptionArn=made)
        assert ADMIN("sns").list_subscriptions()["Subscriptions"] == []


def test_client_that_calls_itself_a_service_has_its_own_rights() -> None:
    """Also where it sets what only AWS may set."""
    tags = {"TagSet": [{"Key": "aws:cloudformation:stack-name", "Value": "x"}]}
    with local_aws(iam="enforced"):
        ADMIN("s3").create_bucket(Bucket="our-bucket")
        own = {"TagSet": [{"Key": "owner", "Value": "ann"}]}
        ADMIN("s3").put_bucket_tagging(Bucket="our-bucket", Tagging=own)
        for key in (STRANGER, user("bob", allow("ec2:*"))):
            s3 = boto3.client(
                "s3",
                "us-east-1",
                aws_access_key_id=key.key,
                aws_secret_access_key=key.secret,
            )
            s3.meta.events.register_first("before-send.s3", _call_itself_a_service)
            found = refused(s3.put_bucket_tagging, Bucket="our-bucket", Tagging=tags)
            assert found[:2] == (403, "AccessDenied")
        assert ADMIN("s3").get_bucket_tagging(Bucket="our-bucket")["TagSet"] == own["TagSet"]


def _call_itself_a_service(request: Any, **_: Any) -> None:
    request.headers["x-clusterwright-source"] = "cloudformation"


def test_root_of_the_owner_cannot_be_locked_out_of_a_bucket_policy() -> None:
    resources = ["arn:aws:s3:::our-bucket", "arn:aws:s3:::our-bucket/*"]
    text = document(deny("s3:*", resources, Principal="*"))
    with local_aws(iam="enforced"):
        s3, operator = ADMIN("s3"), user("ann", allow("s3:*"))("s3")
        s3.create_bucket(Bucket="our-bucket")
        s3.put_bucket_policy(Bucket="our-bucket", Policy=text)
        assert refused(s3.list_objects_v2, Bucket="our-bucket")[1] == "AccessDenied"
        assert refused(operator.get_bucket_policy, Bucket="our-bucket")[1] == "AccessDenied"
        assert refused(STRANGER("s3").get_bucket_policy, Bucket="our-bucket")[0] in (403, 405)
        assert json.loads(s3.get_bucket_policy(Bucket="our-bucket")["Policy"]) == json.loads(text)
        s3.put_bucket_policy(Bucket="our-bucket", Policy=text)
        s3.delete_bucket_policy(Bucket="our-bucket")
        s3.list_objects_v2(Bucket="our-bucket")


def test_organisation_may_keep_root_from_a_bucket_policy() -> None:
    levels = [[json.loads(document(allow("*"), deny("s3:GetBucketPolicy")))]]
    organization = {"service_control_policies": levels, "management_account": OTHER}
    with local_aws(iam="enforced", organization=organization):
        ADMIN("s3").create_bucket(Bucket="our-bucket")
        assert refused(ADMIN("s3").get_bucket_policy, Bucket="our-bucket")[1] == "AccessDenied"
