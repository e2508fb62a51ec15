"""Tests of services.iam.fixes.policy_grammar; documents of all kinds: tests/iam/test_documents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from moto.iam.exceptions import MalformedPolicyDocument
from moto.iam.policy_validation import (
    IAMPolicyDocumentValidator,
    IAMTrustPolicyDocumentValidator,
)

from clusterwright_localaws import services
from packages.localaws.tests.parts import client, refusal

VERSION = {"Version": "2012-10-17"}


@pytest.fixture(autouse=True)
def _applied() -> None:
    services.prepare("iam")


def refused(resource: str) -> bool:
    statement = {"Effect": "Allow", "Action": "*", "Resource": resource}
    try:
        IAMPolicyDocumentValidator(json.dumps({"Statement": statement})).validate()
    except MalformedPolicyDocument:
        return True
    return False


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("arn:aws:s3:us-east-1:123456789012:storage-lens/a", False),
        ("arn:aws:s3:us-east-1:123456789012:accesspoint/a", False),
        ("arn:aws:s3:us-east-1:123456789012:storage-lens", True),
        ("arn:aws:s3:us-east-1::bucket", True),
        ("arn:aws:iam::123456789012:root", False),
        ("arn:aws:iam::123456789012:rooted", True),
        ("arn:aws:iam::123456789012:assumed-role/a/b", False),
        ("arn:aws:iam:us-east-1:123456789012:role/a", True),
        ("arn:aws:iam:us-east-1:123456789012:root", True),
    ],
)
@pytest.mark.usefixtures("aws")
def test_resources(resource: str, expected: bool) -> None:
    assert refused(resource) == expected


@pytest.mark.usefixtures("aws")
def test_documents_are_kept_as_they_are() -> None:
    condition = {"NumericLessThan": {"aws:MultiFactorAuthAge": [60, 3600]}}
    statement = {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": condition}
    iam, whose = client("iam"), {"UserName": "user", "PolicyName": "policy"}
    iam.create_user(UserName="user")
    iam.put_user_policy(**whose, PolicyDocument=json.dumps({"Statement": statement}))
    kept = iam.get_user_policy(**whose)["PolicyDocument"]
    assert kept == {"Statement": statement}


@pytest.mark.parametrize(("sid", "expected"), [(1, False), (True, True), (1.5, True), ([1], True)])
@pytest.mark.usefixtures("aws")
def test_numbers_as_ids_of_statements(sid: Any, expected: bool) -> None:
    given = {"Sid": sid, "Effect": "Allow", "Action": "*", "Resource": "*"}
    asked = {"PolicyName": "p", "PolicyDocument": json.dumps({**VERSION, "Statement": given})}
    client("iam").create_user(UserName="u")
    if expected:
        code, _ = refusal(client("iam").put_user_policy, UserName="u", **asked)
        assert code == "MalformedPolicyDocument"
        return
    client("iam").put_user_policy(UserName="u", **asked)
    assert client("iam").list_user_policies(UserName="u")["PolicyNames"] == ["p"]


@pytest.mark.parametrize("action", ["sts:Unknown", "s3:GetObject"])
@pytest.mark.usefixtures("aws")
def test_other_actions_of_trust_policies(action: str) -> None:
    statement = {"Effect": "Allow", "Action": action, "Principal": {"AWS": "123456789012"}}
    with pytest.raises(MalformedPolicyDocument, match="Trust Policy statement actions"):
        IAMTrustPolicyDocumentValidator(json.dumps({"Statement": statement})).validate()
