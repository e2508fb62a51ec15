"""Additional IAM permissions of a change."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.review.assembly import Assembly
from clusterwright.review.iam_access import wider_access
from tests.review.templates import analysis, app, resource, stack

ROLE = resource("AWS::IAM::Role", AssumeRolePolicyDocument={"Statement": []})


def policy(*statements: dict[str, Any]) -> Assembly:
    document = {"Version": "2012-10-17", "Statement": list(statements)}
    body = resource("AWS::IAM::Policy", PolicyDocument=document, Roles=[{"Ref": "Role"}])
    return app(a=stack({"Role": ROLE, "Rights": body}))


def allow(action: Any, on: Any = "arn:x", **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": on, **more}


def wider(before: Assembly, after: Assembly) -> list[str]:
    return [change.message for change in wider_access(analysis(before, after))]


def test_new_action_resource_and_removed_condition_are_reported() -> None:
    condition = {"StringEquals": {"aws:SourceAccount": "111122223333"}}
    before = policy(allow("s3:GetObject", Condition=condition))
    assert wider(before, policy(allow(["s3:GetObject", "s3:PutObject"], Condition=condition))) == [
        "newly allowed: <Role>: s3:PutObject on arn:x if StringEquals aws:SourceAccount "
        "111122223333"
    ]
    assert wider(before, policy(allow("s3:GetObject", ["arn:x", "arn:y"], Condition=condition)))
    assert wider(before, policy(allow("s3:GetObject"))) == [
        "a condition is removed: <Role>: s3:GetObject on arn:x"
    ]


def test_equivalent_permissions_are_not_reported() -> None:
    before = policy(allow(["s3:Get*", "s3:List*"], "*"))
    after = policy(allow("s3:GetObject", "arn:x"), allow("S3:ListBucket", "arn:y"))
    assert wider(before, after) == []
    assert wider(after, before) != []


@pytest.mark.parametrize(
    ("old", "new", "more"),
    [
        ("s3:Get*", "s3:GetObject", False),
        ("s3:GetObject", "s3:Get*", True),
        ("s3:Get?bject", "s3:Get*bject", True),
        ("s3:*", "s3:Get*", False),
        ("s3:Get[ab]", "s3:Geta", True),
    ],
)
def test_wildcard_patterns_are_compared(old: str, new: str, more: bool) -> None:
    assert bool(wider(policy(allow(old)), policy(allow(new)))) is more


def test_removed_deny_is_reported() -> None:
    deny = {"Effect": "Deny", "Action": "s3:DeleteObject", "Resource": "*"}
    before, after = policy(allow("s3:*", "*"), deny), policy(allow("s3:*", "*"))
    assert wider(before, after) == ["no longer denied: <Role>: s3:DeleteObject on *"]
    assert wider(after, before) == []


def test_not_action_is_compared_as_a_whole() -> None:
    before = policy({"Effect": "Allow", "NotAction": ["iam:*", "s3:*"], "Resource": "*"})
    after = policy({"Effect": "Allow", "NotAction": ["iam:*"], "Resource": "*"})
    assert "everything except iam:*" in wider(before, after)[0]


def test_principals_of_resources_and_roles_are_compared() -> None:
    def bucket(who: Any) -> Assembly:
        statement = {"Effect": "Allow", "Principal": who, "Action": "s3:*", "Resource": "*"}
        body = resource(
            "AWS::S3::BucketPolicy", Bucket="b", PolicyDocument={"Statement": statement}
        )
        return app(a=stack({"P": body}))

    assert wider(bucket({"AWS": "arn:one"}), bucket({"AWS": ["arn:one", "*"]})) == [
        "newly allowed: AWS * at P: s3:* on *"
    ]

    def role(service: str) -> Assembly:
        trust = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
        body = resource("AWS::IAM::Role", AssumeRolePolicyDocument={"Statement": [trust]})
        return app(a=stack({"R": body}))

    assert wider(role("sagemaker.amazonaws.com"), role("ec2.amazonaws.com"))


def test_attached_policies_and_boundaries_are_compared() -> None:
    def role(**properties: Any) -> Assembly:
        return app(a=stack({"R": resource("AWS::IAM::Role", **properties)}))

    attached = role(ManagedPolicyArns=["arn:aws:iam::aws:policy/AdministratorAccess"])
    assert "AdministratorAccess is attached" in wider(role(), attached)[0]
    bounded = role(PermissionsBoundary="arn:boundary")
    assert wider(bounded, role()) == ["the permissions boundary arn:boundary is removed"]
    assert wider(role(), bounded) == []


def test_computed_policy_is_compared_as_a_whole() -> None:
    def one(name: str) -> Assembly:
        statement = {"Fn::Transform": {"Name": name}}
        body = resource("AWS::IAM::Policy", PolicyDocument={"Statement": [statement]}, Roles=["r"])
        return app(a=stack({"P": body}))

    assert wider(one("A"), one("A")) == []
    assert wider(one("A"), one("B")) != []
