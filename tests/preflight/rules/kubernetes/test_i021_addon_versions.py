"""Tests of CW-I021."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.kubernetes import EKS


def test_addons_without_a_version_are_reported(rule: Harness) -> None:
    rule.fails(
        "CW-I021",
        EKS,
        path="platform",
        message="EKS chooses the versions of vpc-cni, kube-proxy",
        severity="info",
    )
    names = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns", "metrics-server")
    pinned = [{"name": name, "version": "v9.9.9-eksbuild.1"} for name in names]
    agent = {"name": "eks-node-monitoring-agent", "version": "v9.9.9-eksbuild.1"}
    rule.passes("CW-I021", {**EKS, "kubernetes": {"addons": [*pinned, agent]}})
    rule.passes("CW-I021", tested=False)
