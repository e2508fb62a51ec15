"""Tests of iam.deleted_principals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client

ACCOUNT = "123456789012"
TRUST = {
    "Effect": "Allow",
    "Principal": {"Service": "ec2.amazonaws.com"},
    "Action": "sts:AssumeRole",
}


def document(action: str, principal: Any, **more: Any) -> str:
    statement = {"Effect": "Allow", "Principal": principal, "Action": action, **more}
    return json.dumps({"Version": "2012-10-17", "Statement": statement})


def role(name: str, trust: str = json.dumps({"Version": "2012-10-17", "Statement": TRUST})) -> Any:
    return client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=trust)["Role"]


@pytest.mark.usefixtures("aws")
def test_policies_keep_the_id_of_a_deleted_role() -> None:
    one = role("one")
    role("other", document("sts:AssumeRole", {"AWS": [one["Arn"], ACCOUNT]}))
    client("s3").create_bucket(Bucket="bucket")
    named = {"AWS": one["Arn"]}
    whole = {"Resource": "arn:aws:s3:::bucket/*"}
    client("s3").put_bucket_policy(
        Bucket="bucket", Policy=document("s3:GetObject", named, **whole)
    )
    key = client("kms").create_key(Policy=document("kms:*", named, Resource="*"))
    topic = client("sns").create_topic(
        Name="t", Attributes={"Policy": document("sns:Publish", named)}
    )
    client("iam").delete_role(RoleName="one")

    def who(text: str) -> Any:
        statements = json.loads(text)["Statement"]
        return (statements[0] if isinstance(statements, list) else statements)["Principal"]["AWS"]

    found = client("iam").get_role(RoleName="other")["Role"]["AssumeRolePolicyDocument"]
    assert found["Statement"]["Principal"]["AWS"] == [one["RoleId"], ACCOUNT]
    assert who(client("s3").get_bucket_policy(Bucket="bucket")["Policy"]) == one["RoleId"]
    kept = client("kms").get_key_policy(KeyId=key["KeyMetadata"]["KeyId"])["Policy"]
    assert who(kept) == one["RoleId"]
    attributes = client("sns").get_topic_attributes(TopicArn=topic["TopicArn"])["Attributes"]
    assert who(attributes["Policy"]) == one["RoleId"]
    # Another role of the same name is another principal.
    assert role("one")["RoleId"] != one["RoleId"]


@pytest.mark.usefixtures("aws")
def test_policies_without_the_principal_stay() -> None:
    user = client("iam").create_user(UserName="u")["User"]
    text = document("sts:AssumeRole", {"AWS": ACCOUNT}, Sid=user["UserId"])
    role("other", text)
    client("iam").delete_user(UserName="u")
    found = client("iam").get_role(RoleName="other")["Role"]["AssumeRolePolicyDocument"]
    assert found == json.loads(text)
