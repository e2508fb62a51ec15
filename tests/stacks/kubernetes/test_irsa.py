"""Roles that pods assume through the OIDC provider of their cluster."""

from __future__ import annotations

import json
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from stacks.kubernetes.irsa import OidcProvider, ServiceAccount
from tests.support.rich_specs import ON_PLAIN_EKS
from tests.support.validation import cluster


def role(account: ServiceAccount, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The properties of the role, and its trust policy."""
    stack = cdk.Stack(cdk.App(), "stack")
    provider = OidcProvider(
        stack, cluster(base=ON_PLAIN_EKS), issuer_url="https://oidc.example/id"
    )
    provider.role(stack, "Role", account, description="d", **options)
    template = Template.from_stack(stack).to_json()["Resources"]
    (found,) = [r["Properties"] for r in template.values() if r["Type"] == "AWS::IAM::Role"]
    document, _ = found["AssumeRolePolicyDocument"]["Fn::Sub"]
    return found, json.loads(document)


@pytest.mark.parametrize(
    ("name", "test"), [("controller", "StringEquals"), ("controller-*", "StringLike")]
)
def test_only_the_service_account_can_assume_the_role(name: str, test: str) -> None:
    _, trust = role(ServiceAccount("system", name))
    (statement,) = trust["Statement"]
    assert statement["Action"] == "sts:AssumeRoleWithWebIdentity"
    assert statement["Condition"] == {
        test: {
            "${Issuer}:aud": "sts.amazonaws.com",
            "${Issuer}:sub": f"system:serviceaccount:system:{name}",
        }
    }


def test_sagemaker_can_assume_the_role_too() -> None:
    found, trust = role(
        ServiceAccount("system", "controller"),
        with_sagemaker=True,
        managed_policies=["AmazonSageMakerFullAccess"],
    )
    assert trust["Statement"][1]["Principal"] == {"Service": "sagemaker.amazonaws.com"}
    assert found["ManagedPolicyArns"] == ["arn:aws:iam::aws:policy/AmazonSageMakerFullAccess"]
