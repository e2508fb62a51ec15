"""Tests of services.iam.fixes.policy_deletion."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client, refusal

TEXT = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": {"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "*"},
    }
)


@pytest.mark.usefixtures("aws")
def test_attached_policy_is_deleted_after_it_is_detached() -> None:
    iam = client("iam")
    arn = iam.create_policy(PolicyName="one", PolicyDocument=TEXT)["Policy"]["Arn"]
    iam.create_group(GroupName="g")
    iam.attach_group_policy(GroupName="g", PolicyArn=arn)
    assert refusal(iam.delete_policy, PolicyArn=arn) == (
        "DeleteConflict",
        "Cannot delete a policy attached to entities.",
    )
    iam.detach_group_policy(GroupName="g", PolicyArn=arn)
    iam.delete_policy(PolicyArn=arn)
    assert refusal(iam.get_policy, PolicyArn=arn)[0] == "NoSuchEntity"


@pytest.mark.usefixtures("aws")
def test_policy_with_versions_is_deleted_after_them() -> None:
    iam = client("iam")
    arn = iam.create_policy(PolicyName="one", PolicyDocument=TEXT)["Policy"]["Arn"]
    iam.create_policy_version(PolicyArn=arn, PolicyDocument=TEXT)
    code, message = refusal(iam.delete_policy, PolicyArn=arn)
    assert (code, "more than one version" in message) == ("DeleteConflict", True)
    iam.delete_policy_version(PolicyArn=arn, VersionId="v2")
    iam.delete_policy(PolicyArn=arn)
