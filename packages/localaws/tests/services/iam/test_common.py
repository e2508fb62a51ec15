"""The principal of a simulation and the policies of its request."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.iam.common import (
    Source,
    compact,
    input_policies,
    source_of,
)
from packages.localaws.tests.iam.conftest import ACCOUNT, ADMIN, allow, document, role, user

IAM = f"arn:aws:iam::{ACCOUNT}"


def source(runtime: Runtime, arn: str) -> Source:
    return source_of(Call("iam", "Simulate", ACCOUNT, "us-east-1", runtime), arn)


def test_users_roles_and_groups_have_their_policies(enforced: Runtime) -> None:
    user("ann", allow("s3:*"))
    role("r", allow("ec2:*"))
    iam = ADMIN("iam")
    iam.create_group(GroupName="g")
    iam.put_group_policy(GroupName="g", PolicyName="p", PolicyDocument=document(allow("fsx:*")))
    for arn, kind, policy in (
        (f"{IAM}:user/ann", "user", "own"),
        (f"{IAM}:role/r", "role", "own"),
        (f"{IAM}:group/g", "user", "p"),
    ):
        found = source(enforced, arn)
        assert found.caller.kind == kind
        assert [each.name for each in found.policies] == [policy]
        assert found.boundary is None


@pytest.mark.parametrize(
    ("arn", "code", "message"),
    [
        (f"{IAM}:user/none", "NoSuchEntity", "The user with name none cannot be found."),
        (f"{IAM}:role/p/none", "NoSuchEntity", "The role with name none cannot be found."),
        (f"{IAM}:policy/p", "InvalidInput", "does not clearly define entity type and name."),
        (f"{IAM}:role/", "InvalidInput", "does not clearly define entity type and name."),
        ("ann", "InvalidInput", "Invalid Entity Arn: ann"),
        ("arn:aws:iam::444455556666:user/a", "AccessDenied", "is not in the account"),
    ],
)
def test_what_is_no_source(enforced: Runtime, arn: str, code: str, message: str) -> None:
    with pytest.raises(AwsError) as caught:
        source(enforced, arn)
    assert caught.value.code == code
    assert message in caught.value.message


def test_policies_of_a_request_are_numbered() -> None:
    found = input_policies([document(allow("s3:*")), document()], "PolicyInputList")
    assert [policy.name for policy in found] == ["PolicyInputList.1", "PolicyInputList.2"]
    with pytest.raises(AwsError, match=r"PolicyInputList\.1: Syntax errors") as caught:
        input_policies(["{"], "PolicyInputList")
    assert caught.value.code == "InvalidInput"


@pytest.mark.parametrize(
    ("members", "expected"), [({"a": None, "b": 0, "c": ""}, {"b": 0, "c": ""}), ({}, {})]
)
def test_members_with_a_value(members: dict[str, Any], expected: dict[str, Any]) -> None:
    assert compact(**members) == expected
