"""Tests of services.iam.fixes.trust_policies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

STATEMENT = {
    "Effect": "Allow",
    "Principal": {"Service": "ec2.amazonaws.com"},
    "Action": "sts:AssumeRole",
}


def document(**more: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": {**STATEMENT, **more}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no JSON", "This policy contains invalid Json"),
        (document(Resource="*"), "Has prohibited field Resource."),
        (document(Action="s3:GetObject"), "Trust Policy statement actions can only be"),
    ],
)
@pytest.mark.usefixtures("aws")
def test_refused_at_creation_and_at_update(text: str, message: str) -> None:
    iam = client("iam")
    created = refusal(iam.create_role, RoleName="one", AssumeRolePolicyDocument=text)
    assert created[0] == "MalformedPolicyDocument"
    assert created[1].startswith(message)
    assert iam.list_roles()["Roles"] == []
    iam.create_role(RoleName="one", AssumeRolePolicyDocument=document())
    changed = refusal(iam.update_assume_role_policy, RoleName="one", PolicyDocument=text)
    assert changed == created
    assert iam.get_role(RoleName="one")["Role"]["AssumeRolePolicyDocument"]["Statement"] == (
        STATEMENT
    )


@pytest.mark.usefixtures("aws")
def test_service_linked_roles_are_created() -> None:
    found = client("iam").create_service_linked_role(AWSServiceName="spot.amazonaws.com")
    assert found["Role"]["RoleName"].startswith("AWSServiceRole")


@pytest.mark.parametrize("version", [{}, {"Version": "2008-10-17"}], ids=["none", "2008"])
@pytest.mark.usefixtures("aws")
def test_the_version_is_optional(version: dict[str, str]) -> None:
    iam, text = client("iam"), json.dumps({**version, "Statement": [STATEMENT]})
    iam.create_role(RoleName="one", AssumeRolePolicyDocument=text)
    iam.update_assume_role_policy(RoleName="one", PolicyDocument=text)


@pytest.mark.usefixtures("aws")
def test_another_version_is_a_syntax_error() -> None:
    text = json.dumps({"Version": "2020-01-01", "Statement": [STATEMENT]})
    found = refusal(client("iam").create_role, RoleName="one", AssumeRolePolicyDocument=text)
    assert found == ("MalformedPolicyDocument", "Syntax errors in policy.")
