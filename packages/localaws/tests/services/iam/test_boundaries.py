"""Permissions boundaries of users and roles."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.iam.conftest import ACCOUNT, ADMIN, Keys, allow, document

MISSING = f"arn:aws:iam::{ACCOUNT}:policy/none"


@pytest.mark.parametrize("user", ["ann", "none"])
def test_what_is_not_there_is_refused(local: None, user: str) -> None:
    iam = ADMIN("iam")
    iam.create_user(UserName="ann")
    for refused in (
        lambda: iam.put_user_permissions_boundary(UserName=user, PermissionsBoundary=MISSING),
        lambda: iam.delete_user_permissions_boundary(UserName=user),
    ):
        with pytest.raises(ClientError) as caught:
            refused()
        assert caught.value.response["Error"]["Code"] == "NoSuchEntity"


@pytest.mark.usefixtures("enforced")
def test_a_boundary_limits_a_user() -> None:
    iam = ADMIN("iam")
    iam.create_user(UserName="ann")
    iam.put_user_policy(UserName="ann", PolicyName="p", PolicyDocument=document(allow("sqs:*")))
    made = iam.create_access_key(UserName="ann")["AccessKey"]
    ann = Keys(made["AccessKeyId"], made["SecretAccessKey"])
    ann("sqs").list_queues()
    limit = iam.create_policy(PolicyName="b", PolicyDocument=document(allow("s3:*")))
    iam.put_user_permissions_boundary(UserName="ann", PermissionsBoundary=limit["Policy"]["Arn"])
    with pytest.raises(ClientError) as caught:
        ann("sqs").list_queues()
    assert "no permissions boundary allows" in caught.value.response["Error"]["Message"]
