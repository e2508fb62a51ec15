"""Tests of CW-I028."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts.references import IdentityCenterInstances
from tests.preflight.harness import Harness
from tests.preflight.rules.support.kubernetes import EKS

ARN = "arn:aws:sso:::instance/ssoins-0123456789abcdef"
OTHER = "arn:aws:sso:::instance/ssoins-fedcba9876543210"
HERE = "kubernetes.capabilities.argocd.identity_center_arn"


def argocd(**more: Any) -> dict[str, Any]:
    settings = {
        "repository": "https://git.example.com/clusters.git",
        "path": "clusters/dev",
        "identity_center_arn": ARN,
        **more,
    }
    return {**EKS, "kubernetes": {"capabilities": {"argocd": settings}}}


def test_instance_is_in_its_region(rule: Harness) -> None:
    rule.passes("CW-I028", argocd(), {IdentityCenterInstances("us-east-1"): (ARN,)})
    elsewhere = {IdentityCenterInstances("eu-west-1"): (OTHER, ARN)}
    rule.passes("CW-I028", argocd(identity_center_region="eu-west-1"), elsewhere)
    rule.passes("CW-I028", EKS, tested=False)


def test_other_instances_are_named(rule: Harness) -> None:
    rule.fails("CW-I028", argocd(), {IdentityCenterInstances("us-east-1"): (OTHER,)}, path=HERE,
               message=f"in us-east-1: the account sees {OTHER}")  # fmt: skip
    rule.fails("CW-I028", argocd(), {IdentityCenterInstances("us-east-1"): ()}, path=HERE,
               message="the account sees none")  # fmt: skip
