"""Tests of identity stack."""

from __future__ import annotations

from tests.stacks.identity.node_statements import node_statements
from tests.stacks.templates import properties, text_of
from tests.support.rich_specs import ACCOUNT, FULL, MINIMAL
from tests.support.synthesis import Build


def test_database_secret_is_the_only_secret(build: Build) -> None:
    (secret,) = [
        s for s in node_statements(build(FULL)) if "secretsmanager:GetSecretValue" in s["Action"]
    ]
    assert "SecretAttachment" in secret["Resource"]["Fn::ImportValue"]


def test_boundary_is_on_every_role(build: Build) -> None:
    roles = build(FULL).resources("AWS::IAM::Role")
    assert len(roles) >= 5
    for name, role in roles.items():
        assert role["Properties"].get("PermissionsBoundary") == (
            f"arn:aws:iam::{ACCOUNT}:policy/boundary"
        ), name


def test_no_boundary_by_default(build: Build) -> None:
    for role in properties(build(MINIMAL), "AWS::IAM::Role"):
        assert "PermissionsBoundary" not in role


def test_service_roles_are_limited_to_this_account_where_supported(
    build: Build,
) -> None:
    trusts = {
        text_of(s["Principal"]["Service"]): s.get("Condition")
        for p in properties(build(FULL), "AWS::IAM::Role")
        for s in p["AssumeRolePolicyDocument"]["Statement"]
    }
    assert trusts['"vpc-flow-logs.amazonaws.com"'] == {
        "StringEquals": {"aws:SourceAccount": ACCOUNT}
    }
    assert '"sagemaker.amazonaws.com"' in trusts
