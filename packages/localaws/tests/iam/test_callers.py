"""Callers by access key: users, sessions and refused keys."""

from __future__ import annotations

import pytest

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.iam.conftest import (
    ACCOUNT,
    ADMIN,
    Keys,
    allow,
    deny,
    document,
    refused,
    role,
    user,
)


@pytest.mark.usefixtures("enforced")
class TestCredentials:
    @pytest.mark.parametrize(
        ("service", "operation", "status", "code"),
        [
            ("s3", "list_buckets", 403, "InvalidAccessKeyId"),
            ("ec2", "describe_vpcs", 401, "AuthFailure"),
            ("iam", "list_roles", 403, "InvalidClientTokenId"),
            ("sagemaker", "list_clusters", 403, "UnrecognizedClientException"),
        ],
    )
    def test_unknown_access_key_is_refused(
        self, service: str, operation: str, status: int, code: str
    ) -> None:
        found = refused(getattr(Keys("AKIANOBODYSKEY000000")(service), operation))
        assert found[:2] == (status, code)

    def test_inactive_access_key_is_refused(self) -> None:
        ann = user("ann", allow("*"))
        ann("sts").get_caller_identity()
        ADMIN("iam").update_access_key(UserName="ann", AccessKeyId=ann.key, Status="Inactive")
        assert refused(ann("sts").get_caller_identity)[1] == "InvalidClientTokenId"

    def test_session_requires_its_token_and_expires(self, enforced: Runtime) -> None:
        session = ADMIN.assume(role("deploy", allow("s3:*")), DurationSeconds=900)
        session("s3").list_buckets()
        assert refused(Keys(session.key, session.secret)("s3").list_buckets)[0] == 403
        enforced.clock.advance(901)
        assert refused(session("s3").list_buckets)[1] == "ExpiredToken"

    def test_get_caller_identity_needs_no_permission(self) -> None:
        assert ADMIN("sts").get_caller_identity()["Arn"] == f"arn:aws:iam::{ACCOUNT}:root"
        ann = user("ann", deny("*"))
        assert ann("sts").get_caller_identity()["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/ann"
        session = ADMIN.assume(role("deploy"))
        assert session("sts").get_caller_identity()["Arn"] == (
            f"arn:aws:sts::{ACCOUNT}:assumed-role/deploy/session"
        )

    def test_users_have_the_policies_of_their_groups(self) -> None:
        ann, iam = user("ann"), ADMIN("iam")
        iam.create_group(GroupName="readers")
        iam.attach_group_policy(
            GroupName="readers", PolicyArn="arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
        )
        assert refused(ann("s3").list_buckets)[0] == 403
        iam.add_user_to_group(GroupName="readers", UserName="ann")
        ann("s3").list_buckets()
        assert refused(ann("s3").create_bucket, Bucket="anns-bucket")[0] == 403

    def test_a_new_version_of_a_policy_is_effective_at_once(self) -> None:
        ann, iam = user("ann"), ADMIN("iam")
        arn = iam.create_policy(PolicyName="p", PolicyDocument=document(allow("sns:*")))["Policy"][
            "Arn"
        ]
        iam.attach_user_policy(UserName="ann", PolicyArn=arn)
        ann("sns").list_topics()
        iam.create_policy_version(
            PolicyArn=arn, PolicyDocument=document(allow("sqs:*")), SetAsDefault=True
        )
        assert refused(ann("sns").list_topics)[1] == "AuthorizationError"
