"""Tests of identity stack."""

from __future__ import annotations

import pytest

from tests.stacks.identity.node_statements import node_statements
from tests.stacks.templates import listed, properties
from tests.support.rich_specs import ACCOUNT, FULL, MINIMAL, SPECS, changed
from tests.support.synthesis import ROOT, Build


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


WITHOUT_SOURCE = {
    "capabilities.eks.amazonaws.com",
    "ec2.amazonaws.com",
    "hyperpod.sagemaker.amazonaws.com",
    "sagemaker.amazonaws.com",
}
"""Services that document no condition key for the roles that they assume: threat-model.md."""


@pytest.mark.parametrize("name", SPECS)
def test_services_assume_roles_for_this_account_only(build: Build, name: str) -> None:
    found = set()
    for properties_of_role in properties(build(SPECS[name]), "AWS::IAM::Role"):
        document = properties_of_role["AssumeRolePolicyDocument"]
        if "Statement" not in document:
            continue  # a substitution of the issuer's address, for pods alone
        for statement in document["Statement"]:
            for service in listed(statement["Principal"].get("Service", [])):
                found.add(service)
                if service in WITHOUT_SOURCE:
                    continue
                condition = statement["Condition"]["StringEquals"]
                assert condition["aws:SourceAccount"] == ACCOUNT, service
    assert found
    threats = (ROOT / "docs/explanations/threat-model.md").read_text()
    for service in found & WITHOUT_SOURCE:
        assert f"`{service}`" in threats


def test_no_empty_stack_with_an_existing_key(build: Build) -> None:
    """CloudFormation refuses a stack without resources."""
    key = f"arn:aws:kms:us-east-1:{ACCOUNT}:key/0a1b2c3d-0000-4000-8000-000000000000"
    for name in ("minimal", "parallelcluster minimal"):
        assembly = build(changed(SPECS[name], identity__kms_key_arn=key))
        for stack, template in assembly.templates.items():
            assert template.get("Resources"), stack
