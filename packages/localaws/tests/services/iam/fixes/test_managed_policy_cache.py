"""Tests of services.iam.fixes.managed_policy_cache."""

from __future__ import annotations

from moto.core import DEFAULT_ACCOUNT_ID
from moto.iam.models import iam_backends

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client


class TestParsedOnce:
    def test_policy_changes_do_not_affect_other_accounts(self, aws: Runtime) -> None:
        import boto3

        arn = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
        statement = {
            "Effect": "Allow",
            "Principal": {"Service": "ec2.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
        role = {"Version": "2012-10-17", "Statement": statement}
        import json

        iam = client("iam")
        iam.create_role(RoleName="reader", AssumeRolePolicyDocument=json.dumps(role))
        iam.attach_role_policy(RoleName="reader", PolicyArn=arn)
        assert iam.get_policy(PolicyArn=arn)["Policy"]["AttachmentCount"] == 1
        other = boto3.client(
            "iam", "us-east-1", aws_access_key_id="111122223333", aws_secret_access_key="x"
        )
        assert other.get_policy(PolicyArn=arn)["Policy"]["AttachmentCount"] == 0
        assert len(other.list_policies(Scope="AWS", MaxItems=1000)["Policies"]) == 1000

    def test_policies_are_copied_when_they_are_first_requested(self, aws: Runtime) -> None:
        client("iam").list_roles()
        backend = iam_backends[DEFAULT_ACCOUNT_ID]["aws"]
        assert "managed_policies" not in vars(backend)
        assert client("iam").list_policies(Scope="AWS", MaxItems=10)["IsTruncated"]
        assert len(vars(backend)["managed_policies"]) > 1_000
