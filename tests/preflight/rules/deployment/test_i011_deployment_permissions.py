"""Tests of CW-I011."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import ACCOUNT, FILES, refused, rights
from tests.support import specs


def test_cloudformation_permissions_are_checked(rule: Harness) -> None:
    name = f"cdk-hnb659fds-cfn-exec-role-{ACCOUNT}-us-east-1"
    denied = rights(rule, "CW-I011", FILES, refused("fsx:CreateFileSystem", by_organization=False))
    rule.fails(
        "CW-I011",
        FILES,
        denied,
        path="account",
        message=f"{name} is not allowed fsx:CreateFileSystem: a service control policy of the "
        "organization",
    )
    passing = rights(rule, "CW-I011", {}, refused("iam:PassRole", decision="explicitDeny"))
    rule.fails("CW-I011", {}, passing, path="account", message="iam:PassRole: a policy denies it")
    unsure = rights(
        rule, "CW-I011", {}, refused("ec2:CreateVpc", missing=("aws:PrincipalTag/team",))
    )
    message = "depends on aws:PrincipalTag/team"
    rule.unsure("CW-I011", {}, unsure, path="account", message=message)
    rule.passes("CW-I011", FILES, rights(rule, "CW-I011", FILES))
    rule.passes("CW-I011", FILES, rights(rule, "CW-I011", FILES, exists=False))
    asked = {a for fact in denied for one in fact.asked for a in one.actions}
    assert {"fsx:CreateFileSystem", "sagemaker:CreateCluster", "iam:PassRole"} <= asked
    fewer = {a for fact in passing for one in fact.asked for a in one.actions}
    assert "fsx:CreateFileSystem" not in fewer


def test_cloudformation_permissions_on_linked_buckets_are_checked(rule: Harness) -> None:
    links = [
        {"s3": "s3://acme-corpus/tokens", "path": "/data", "import": ["NEW"]},
        {"s3": "s3://acme-out/run", "path": "/out", "export": ["NEW"]},
    ]
    linked = {"storage.lustre": [{**specs.LUSTRE, "repositories": links}]}
    found = rights(rule, "CW-I011", linked)
    asked = {(a, one.resource) for fact in found for one in fact.asked for a in one.actions}
    assert ("s3:GetObject", "arn:aws:s3:::acme-corpus/*") in asked
    assert ("s3:PutObject", "arn:aws:s3:::acme-corpus/*") not in asked
    assert ("s3:PutObject", "arn:aws:s3:::acme-out/*") in asked
    assert ("s3:ListBucket", "arn:aws:s3:::acme-out") in asked
    rule.passes("CW-I011", linked, found)
    denied = rights(rule, "CW-I011", linked, refused("s3:ListBucket"))
    rule.fails("CW-I011", linked, denied, path="account", message="is not allowed")
