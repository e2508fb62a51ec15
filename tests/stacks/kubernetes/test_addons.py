"""Add-ons of EKS."""

from __future__ import annotations

from tests.stacks.templates import properties, text_of
from tests.support.rich_specs import ACCOUNT, EKS, EKS_MINIMAL, HYPERPOD_EKS_MINIMAL
from tests.support.synthesis import Build


def test_only_addons_that_call_aws_have_roles(build: Build) -> None:
    assembly = build(EKS)
    with_role = {
        one["AddonName"]: [a["ServiceAccount"] for a in one["PodIdentityAssociations"]]
        for one in properties(assembly, "AWS::EKS::Addon")
        if "PodIdentityAssociations" in one
    }
    assert with_role == {
        "vpc-cni": ["aws-node"],
        "amazon-cloudwatch-observability": ["cloudwatch-agent"],
        "aws-mountpoint-s3-csi-driver": ["s3-csi-driver-sa"],
    }
    trusts = [
        role["AssumeRolePolicyDocument"]["Statement"][0]
        for role in properties(assembly, "AWS::IAM::Role")
        if "pods.eks" in text_of(role["AssumeRolePolicyDocument"])
    ]
    assert len(trusts) == 3
    for trust in trusts:
        assert trust["Action"] == ["sts:AssumeRole", "sts:TagSession"]
        assert trust["Condition"]["ArnEquals"] == {
            "aws:SourceArn": f"arn:aws:eks:us-east-1:{ACCOUNT}:cluster/test"
        }


def test_unused_addons_are_omitted(build: Build) -> None:
    names = {one["AddonName"] for one in properties(build(EKS_MINIMAL), "AWS::EKS::Addon")}
    assert "aws-fsx-csi-driver" not in names
    assert "amazon-cloudwatch-observability" not in names
    assert "eks-node-monitoring-agent" in names
    hyperpod = {
        one["AddonName"] for one in properties(build(HYPERPOD_EKS_MINIMAL), "AWS::EKS::Addon")
    }
    assert "eks-node-monitoring-agent" not in hyperpod
