"""The policy simulator, against the examples of AWS's CLI reference and API documentation."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.iam.conftest import (
    ACCOUNT,
    ADMIN,
    OTHER,
    allow,
    deny,
    document,
    role,
    user,
)

pytestmark = pytest.mark.usefixtures("enforced")
AFTER = (
    '{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"dynamodb:*","Resource":"*",'
    '"Condition":{"DateGreaterThan":{"aws:CurrentTime":"2018-08-16T12:00:00Z"}}}}'
)


def custom(*policies: str, actions: list[str], **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ADMIN("iam").simulate_custom_policy(
        PolicyInputList=list(policies), ActionNames=actions, **more
    )["EvaluationResults"]
    return found


def entry(key: str, *values: str, kind: str = "string") -> dict[str, Any]:
    return {"ContextKeyName": key, "ContextKeyValues": list(values), "ContextKeyType": kind}


def test_allowed_example_of_the_cli() -> None:
    (found,) = custom(
        AFTER,
        actions=["dynamodb:CreateBackup"],
        ContextEntries=[entry("aws:CurrentTime", "2019-04-25T11:00:00Z", kind="date")],
    )
    assert found == {
        "EvalActionName": "dynamodb:CreateBackup",
        "EvalResourceName": "*",
        "EvalDecision": "allowed",
        "MatchedStatements": [
            {
                "SourcePolicyId": "PolicyInputList.1",
                "SourcePolicyType": "none",
                "StartPosition": {"Line": 1, "Column": 38},
                "EndPosition": {"Line": 1, "Column": 167},
            }
        ],
        "MissingContextValues": [],
    }


def test_denied_example_of_the_cli() -> None:
    (found,) = custom(
        AFTER,
        actions=["dynamodb:CreateBackup"],
        ContextEntries=[entry("aws:CurrentTime", "2014-04-25T11:00:00Z", kind="date")],
    )
    assert (found["EvalDecision"], found["MatchedStatements"]) == ("implicitDeny", [])


def test_missing_context_key_is_listed() -> None:
    (found,) = custom(AFTER, actions=["dynamodb:CreateBackup"])
    assert found["EvalDecision"] == "implicitDeny"
    assert found["MissingContextValues"] == ["aws:CurrentTime"]


def test_explicit_deny_names_its_statement() -> None:
    text = document(allow("s3:*"), deny("s3:DeleteBucket"))
    allowed, denied = custom(text, actions=["s3:GetObject", "s3:DeleteBucket"])
    assert (allowed["EvalDecision"], denied["EvalDecision"]) == ("allowed", "explicitDeny")
    (statement,) = denied["MatchedStatements"]
    start, end = statement["StartPosition"]["Column"], statement["EndPosition"]["Column"]
    assert text[start - 2 : end - 1].startswith('{"Effect": "Deny"')


def test_every_action_is_evaluated_for_every_resource() -> None:
    arns = ["arn:aws:s3:::b/a", "arn:aws:s3:::c/a"]
    found = custom(
        document(allow("s3:GetObject", "arn:aws:s3:::b/*")),
        actions=["s3:GetObject", "s3:PutObject"],
        ResourceArns=arns,
    )
    assert [(item["EvalResourceName"], item["EvalDecision"]) for item in found] == [
        (arns[0], "allowed"),
        (arns[1], "implicitDeny"),
        (arns[0], "implicitDeny"),
        (arns[1], "implicitDeny"),
    ]
    assert found[0]["ResourceSpecificResults"][0]["EvalResourceDecision"] == "allowed"


def test_pages() -> None:
    pages = (
        ADMIN("iam")
        .get_paginator("simulate_custom_policy")
        .paginate(
            PolicyInputList=[document(allow("s3:*"))],
            ActionNames=["s3:GetObject", "s3:PutObject", "ec2:RunInstances"],
            PaginationConfig={"PageSize": 2},
        )
    )
    found = [page["EvaluationResults"] for page in pages]
    assert [len(item) for item in found] == [2, 1]
    assert found[1][0]["EvalDecision"] == "implicitDeny"


def test_permissions_boundary_of_the_request_is_applied() -> None:
    (found,) = custom(
        document(allow("s3:*")),
        actions=["s3:PutObject"],
        PermissionsBoundaryPolicyInputList=[document(allow("s3:Get*"))],
    )
    assert found["EvalDecision"] == "implicitDeny"
    assert found["PermissionsBoundaryDecisionDetail"] == {"AllowedByPermissionsBoundary": False}


def test_resource_policy_and_owner_are_applied() -> None:
    arn = f"arn:aws:iam::{ACCOUNT}:user/ann"
    asked = {
        "actions": ["s3:GetObject"],
        "ResourceArns": ["arn:aws:s3:::b/k"],
        "CallerArn": arn,
        "ResourcePolicy": document(allow("s3:GetObject", Principal={"AWS": arn})),
    }
    (alone,) = custom(document(allow("ec2:*")), **asked)
    assert alone["EvalDecision"] == "allowed"
    assert alone["MatchedStatements"][0]["SourcePolicyType"] == "resource"
    owner = f"arn:aws:iam::{OTHER}:root"
    (across,) = custom(document(allow("ec2:*")), ResourceOwner=owner, **asked)
    assert across["EvalDecision"] == "implicitDeny"
    assert across["EvalDecisionDetails"] == {
        "IAM Policy": "implicitDeny",
        "Resource Policy": "allowed",
    }


def principal(arn: str, *actions: str, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ADMIN("iam").simulate_principal_policy(
        PolicySourceArn=arn, ActionNames=list(actions), **more
    )["EvaluationResults"]
    return found


def test_policies_of_groups_are_simulated() -> None:
    iam = ADMIN("iam")
    user("ann", allow("s3:*"))
    iam.create_group(GroupName="g")
    iam.put_group_policy(GroupName="g", PolicyName="q", PolicyDocument=document(allow("sns:*")))
    iam.attach_group_policy(GroupName="g", PolicyArn="arn:aws:iam::aws:policy/AmazonSQSFullAccess")
    iam.add_user_to_group(GroupName="g", UserName="ann")
    found = principal(
        f"arn:aws:iam::{ACCOUNT}:user/ann", "s3:GetObject", "sns:Publish", "sqs:SendMessage"
    )
    sources = [item["MatchedStatements"][0] for item in found]
    assert [(source["SourcePolicyId"], source["SourcePolicyType"]) for source in sources] == [
        ("own", "IAM Policy"),
        ("q", "IAM Policy"),
        ("AmazonSQSFullAccess", "IAM Policy"),
    ]
    (of_group,) = principal(f"arn:aws:iam::{ACCOUNT}:group/g", "s3:GetObject")
    assert of_group["EvalDecision"] == "implicitDeny"


def test_role_is_simulated_with_its_boundary_and_additional_policies() -> None:
    boundary = ADMIN("iam").create_policy(
        PolicyName="b", PolicyDocument=document(allow("s3:Get*"))
    )["Policy"]["Arn"]
    arn = role("r", allow("s3:*"), PermissionsBoundary=boundary)
    get, put = principal(arn, "s3:GetObject", "s3:PutObject")
    assert (get["EvalDecision"], put["EvalDecision"]) == ("allowed", "implicitDeny")
    assert put["PermissionsBoundaryDecisionDetail"] == {"AllowedByPermissionsBoundary": False}
    (denied,) = principal(arn, "s3:GetObject", PolicyInputList=[document(deny("s3:Get*"))])
    assert denied["EvalDecision"] == "explicitDeny"
    assert denied["MatchedStatements"][0]["SourcePolicyId"] == "PolicyInputList.1"


@pytest.mark.parametrize(
    ("arn", "code"),
    [
        (f"arn:aws:iam::{ACCOUNT}:role/nothing", "NoSuchEntity"),
        (f"arn:aws:iam::{ACCOUNT}:policy/nothing", "InvalidInput"),
        ("arn:aws:s3:::bucket-of-somebody", "InvalidInput"),
    ],
)
def test_unknown_principal_is_refused(arn: str, code: str) -> None:
    with pytest.raises(ClientError, match=code):
        principal(arn, "s3:GetObject")


@pytest.mark.parametrize(
    "more",
    [
        {"actions": ["GetObject"]},
        {"actions": ["s3:Get*"]},
        {"actions": ["s3:GetObject"], "ResourceArns": ["bucket"]},
        {"actions": ["s3:GetObject"], "ResourceHandlingOption": "EC2-Moon"},
        {"actions": ["ec2:RunInstances"], "ResourceHandlingOption": "EC2-VPC-EBS"},
        {"actions": ["s3:GetObject"], "ResourcePolicy": document(allow("s3:*", Principal="*"))},
        {"actions": ["s3:GetObject"], "CallerArn": f"arn:aws:iam::{ACCOUNT}:role/r"},
        {"actions": ["s3:GetObject"], "ContextEntries": [entry("aws:key", "1", "2")]},
    ],
)
def test_invalid_simulation_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(ClientError, match="InvalidInput"):
        custom(document(allow("*")), **more)


def test_invalid_policy_is_refused() -> None:
    with pytest.raises(ClientError, match=r"InvalidInput.*PolicyInputList\.2"):
        custom(document(allow("*")), '{"Statement": [{}]}', actions=["s3:GetObject"])


def test_context_keys_of_policies_are_listed() -> None:
    text = document(
        allow("s3:*", "arn:aws:s3:::${aws:username}/*", Condition={
            "StringEquals": {"aws:PrincipalTag/team": "${aws:ResourceTag/team}"},
            "Bool": {"aws:SecureTransport": "true", "AWS:USERNAME": "x"}})
    )  # fmt: skip
    iam = ADMIN("iam")
    found = iam.get_context_keys_for_custom_policy(PolicyInputList=[text])["ContextKeyNames"]
    assert {item.lower() for item in found} == {
        "aws:principaltag/team",
        "aws:resourcetag/team",
        "aws:securetransport",
        "aws:username",
    }
    user("ann", allow("s3:*", Condition={"Null": {"aws:TokenIssueTime": "true"}}))
    of_user = iam.get_context_keys_for_principal_policy(
        PolicySourceArn=f"arn:aws:iam::{ACCOUNT}:user/ann", PolicyInputList=[AFTER]
    )["ContextKeyNames"]
    assert of_user == ["aws:TokenIssueTime", "aws:CurrentTime"]
