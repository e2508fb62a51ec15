"""Roles of the control plane and of add-ons."""

from __future__ import annotations

import json

from tests.stacks.templates import properties, statements, text_of
from tests.support.rich_specs import ACCOUNT, EKS, changed
from tests.support.synthesis import Build


def test_only_mounted_buckets_are_readable(build: Build) -> None:
    """One role for the driver: it lists and reads what is mounted, and decrypts with one key."""
    buckets = [
        {"name": "test-results", "create": True},
        {"name": "test-datasets", "mount_path": "/s3/datasets"},
        {"name": "test-shards", "mount_path": "/s3/shards", "directory": True},
    ]
    assembly = build(changed(EKS, storage__buckets=buckets))
    [driver] = [
        one
        for one in properties(assembly, "AWS::EKS::Addon")
        if one["AddonName"] == "aws-mountpoint-s3-csi-driver"
    ]
    # Jobs read on nodes with taints.
    assert json.loads(driver["ConfigurationValues"]) == {"node": {"tolerateAllTaints": True}}
    [role] = [
        role
        for role in properties(assembly, "AWS::IAM::Role")
        if "s3:GetObject" in text_of(role.get("Policies", []))
    ]
    statements = {s["Sid"]: s for s in role["Policies"][0]["PolicyDocument"]["Statement"]}
    assert statements["ListBuckets"]["Action"] == "s3:ListBucket"
    assert statements["ListBuckets"]["Resource"] == "arn:aws:s3:::test-datasets"
    assert statements["ReadObjects"]["Action"] == "s3:GetObject"
    assert statements["ReadObjects"]["Resource"] == "arn:aws:s3:::test-datasets/*"
    sessions = statements["ReadDirectoryBuckets"]
    assert sessions["Resource"].endswith(":bucket/test-shards--use1-az6--x-s3")
    assert sessions["Condition"] == {"StringEquals": {"s3express:SessionMode": "ReadOnly"}}
    assert statements["Key"]["Action"] == "kms:Decrypt"
    assert set(statements) == {"ListBuckets", "ReadObjects", "ReadDirectoryBuckets", "Key"}


def test_roles_have_the_boundary_and_no_managed_policy(build: Build) -> None:
    for role in properties(build(EKS), "AWS::IAM::Role"):
        assert "ManagedPolicyArns" not in role
        assert role["PermissionsBoundary"] == f"arn:aws:iam::{ACCOUNT}:policy/boundary"
    for where, statement in statements(build(EKS)):
        assert "*" not in statement["Action"], where
        assert not [a for a in statement["Action"] if a.endswith(":*")], where
