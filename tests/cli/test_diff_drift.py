"""Drift of deployed stacks: what is compared, what is not checked, what is unknown."""

from __future__ import annotations

from typing import Any, cast

import pytest

from clusterwright.aws.cloudformation.change_sets import Drift, PropertyDrift
from clusterwright.aws.cloudformation.stacks import StackResource
from clusterwright.aws.ec2.vpc import Permission, SecurityGroup
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cli.diff_drift import drift_of
from clusterwright.review.results import SpecChange, UncheckedResource, Unknown
from clusterwright.review.role_drift import ROLE
from tests.review.templates import app, resource, stack

GROUP = "AWS::EC2::SecurityGroup"
DEPLOYED = app(
    n=stack(
        {
            "Nodes": resource(GROUP, GroupDescription="nodes"),
            "Vpc": resource("AWS::EC2::VPC"),
            "Subnet": resource("AWS::EC2::Subnet", CidrBlock="10.0.0.0/24"),
            "Alarm": resource("AWS::CloudWatch::Alarm"),
        }
    ),
    s=stack({"Topic": resource("AWS::SNS::Topic")}),
)
SESSION = cast(AwsSession, object())
ANYWHERE = Permission("tcp", 22, 22, frozenset(), frozenset({"0.0.0.0/0"}))
IPV6 = Permission("tcp", 22, 22, frozenset(), frozenset(), frozenset(), frozenset({"::/0"}))


def refusal() -> AwsUnavailable:
    return AwsUnavailable(
        service="ec2", operation="X", region="us-east-1", reason="denied", detail="no"
    )


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What AWS answers: drift by stack, and the rules of the group; None is a refusal."""
    answers: dict[str, Any] = {
        "n": Drift((PropertyDrift("n", "Vpc", "Tags", "a", "b"),), frozenset({"Vpc"})),
        "s": Drift((), frozenset({"Topic"})),
        "rules": (ANYWHERE, IPV6),
        "subnets": {"subnet-1": {"CidrBlock": "10.0.9.0/24"}},
    }

    def answer(name: str) -> Any:
        if answers[name] is None:
            raise refusal()
        return answers[name]

    def groups(_: object) -> tuple[SecurityGroup, ...]:
        return (SecurityGroup("sg-1", "vpc-1", answer("rules"), ()),)

    monkeypatch.setattr(
        "clusterwright.aws.cloudformation.change_sets.drift", lambda _, name, **__: answer(name)
    )
    monkeypatch.setattr(
        "clusterwright.aws.cloudformation.stacks.stack_resources",
        lambda _, name: (
            StackResource("Nodes", GROUP, "sg-1"),
            StackResource("Subnet", "AWS::EC2::Subnet", "subnet-1"),
        ),
    )
    monkeypatch.setattr("clusterwright.aws.ec2.vpc.security_groups", groups)
    monkeypatch.setattr(
        "clusterwright.aws.live_properties.READERS",
        {"AWS::EC2::Subnet": lambda *_: answer("subnets")},
    )
    return answers


def drift() -> tuple[Any, Any, list[Unknown]]:
    unknown: list[Unknown] = []
    found, unchecked = drift_of(SESSION, DEPLOYED, 10, unknown)
    return found, unchecked, unknown


def test_properties_and_rules_are_drift_and_the_rest_is_named(account: dict[str, Any]) -> None:
    found, unchecked, unknown = drift()
    assert found == (
        SpecChange("n/Vpc.Tags", "a", "b"),
        SpecChange("n/Nodes.rules", None, "tcp 22-22 from 0.0.0.0/0"),
        SpecChange("n/Nodes.rules", None, "tcp 22-22 from ::/0"),
        SpecChange("n/Subnet.CidrBlock", "10.0.0.0/24", "10.0.9.0/24"),
    )
    assert unchecked == (UncheckedResource("n", "Alarm", "AWS::CloudWatch::Alarm"),)
    assert unknown == []


def test_refused_stack_is_unknown_and_not_listed(account: dict[str, Any]) -> None:
    account["s"] = None
    _, unchecked, unknown = drift()
    assert [entry.what for entry in unknown] == ["the drift of s"]
    assert {resource.stack for resource in unchecked} == {"n"}


def test_refused_rules_are_unknown_and_not_compared(account: dict[str, Any]) -> None:
    account["rules"] = None
    _, unchecked, unknown = drift()
    assert [entry.what for entry in unknown] == ["the rules of security groups"]
    assert "Nodes" in {resource.logical_id for resource in unchecked}


def test_refused_readers_are_unknown_and_not_compared(account: dict[str, Any]) -> None:
    account["subnets"] = None
    _, unchecked, unknown = drift()
    assert [entry.what for entry in unknown] == ["resources of type AWS::EC2::Subnet"]
    assert "Subnet" in {resource.logical_id for resource in unchecked}


def test_a_difference_that_cloudformation_found_is_not_repeated(account: dict[str, Any]) -> None:
    changes = (PropertyDrift("n", "Subnet", "CidrBlock", "a", "b"),)
    account["n"] = Drift(changes, frozenset({"Subnet"}))
    found, _, _ = drift()
    assert [change for change in found if "Subnet" in change.path] == [
        SpecChange("n/Subnet.CidrBlock", "a", "b")
    ]


@pytest.mark.parametrize(
    ("resource_of_template", "paths"),
    [
        # The call's difference replaces CloudFormation's, which sees a part of the permissions.
        ("arn:aws:s3:::b", ["Policies[p].Statement", "Policies[p].Statement"]),
        # The call does not know the value: CloudFormation does.
        ({"Fn::Other": "x"}, ["Policies.0.PolicyDocument.Statement.0.Resource"]),
    ],
)
def test_a_changed_policy_of_a_role_is_found(
    account: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    resource_of_template: Any,
    paths: list[str],
) -> None:
    def document(of: Any) -> dict[str, Any]:
        return {"Statement": {"Effect": "Allow", "Action": "s3:GetObject", "Resource": of}}

    live: dict[str, Any] = {
        "AssumeRolePolicyDocument": {},
        "PermissionsBoundary": None,
        "ManagedPolicyArns": [],
        "Policies": {"p": document("*")},
    }
    role = resource(
        ROLE,
        AssumeRolePolicyDocument={},
        Policies=[{"PolicyName": "p", "PolicyDocument": document(resource_of_template)}],
    )
    monkeypatch.setattr(
        "clusterwright.aws.live_properties.READERS", {ROLE: lambda *_: {"nodes": live}}
    )
    monkeypatch.setattr(
        "clusterwright.aws.cloudformation.stacks.stack_resources",
        lambda *_: (StackResource("Role", ROLE, "nodes"),),
    )
    path = "Policies.0.PolicyDocument.Statement.0.Resource"
    changed = PropertyDrift("n", "Role", path, "b", "*")
    added = PropertyDrift("n", "Role", "Policies.1", "", "of another stack")
    account["n"] = Drift((changed, added), frozenset({"Role"}))
    found, _ = drift_of(SESSION, app(n=stack({"Role": role})), 10, [])
    assert [change.path for change in found] == [f"n/Role.{path}" for path in paths]
