"""What EKS is asked for: launch templates, versions of Kubernetes and of add-ons."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.platforms.kubernetes import control_plane
from tests.preflight.harness import Harness

WORKERS = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
EKS: dict[str, Any] = {"platform": "eks", "compute": [WORKERS]}
HYPERPOD: dict[str, Any] = {"platform": "hyperpod-eks", "compute": [WORKERS]}


def of(version: str, support: str = "standard", base: dict[str, Any] = EKS) -> dict[str, Any]:
    return {**base, "kubernetes": {"version": version, "support": support}}


def test_interfaces_that_no_source_knows_are_an_error(rule: Harness) -> None:
    rule.fails(
        "CW-C024",
        {**EKS, "compute": [{**WORKERS, "instance_type": "p6e-gb200.36xlarge"}]},
        path="compute[0].instance_type",
        message="the network interfaces of p6e-gb200.36xlarge are unknown",
        severity="error",
    )
    rule.passes("CW-C024", EKS)
    rule.passes("CW-C024", HYPERPOD, tested=False)


@pytest.mark.parametrize(
    ("version", "support", "today", "severity", "words"),
    [
        ("1.34", "standard", "2026-11-20", "warning", "on 2026-12-02 EKS upgrades"),
        (
            "1.33",
            "standard",
            "2026-11-20",
            "error",
            "standard support of Kubernetes 1.33 ended",
        ),
        ("1.33", "extended", "2026-11-20", "info", "is in extended support until 2027-07-29"),
        ("1.30", "extended", "2026-11-20", "error", "support of Kubernetes 1.30 ended"),
        ("1.29", "standard", "2026-11-20", "error", "EKS no longer supports Kubernetes 1.29"),
    ],
)
def test_versions_whose_days_are_over_or_near(
    rule: Harness, version: str, support: str, today: str, severity: str, words: str
) -> None:
    rule.fails(
        "CW-I020",
        of(version, support),
        path="kubernetes.version",
        message=words,
        severity=severity,
        today=dt.date.fromisoformat(today),
    )


@pytest.mark.parametrize(
    ("version", "support", "today"),
    [
        ("1.35", "standard", "2026-11-20"),
        ("1.34", "extended", "2026-11-20"),
        ("1.34", "standard", "2026-10-02"),
    ],
)
def test_versions_in_standard_support_pass(
    rule: Harness, version: str, support: str, today: str
) -> None:
    rule.passes("CW-I020", of(version, support), today=dt.date.fromisoformat(today))


def test_versions_that_nobody_knows_yet_are_unknown(rule: Harness) -> None:
    path = "kubernetes.version"
    rule.unsure("CW-I020", of("1.39"), path=path, message="whether EKS supports Kubernetes 1.39")
    rule.unsure(
        "CW-I020",
        of("1.36", base=HYPERPOD),
        path=path,
        message="whether HyperPod supports Kubernetes 1.36",
    )
    rule.passes("CW-I020", tested=False)


@pytest.mark.parametrize("base", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_what_eks_no_longer_has_hyperpod_has_neither(rule: Harness, base: dict[str, Any]) -> None:
    path = "kubernetes.version"
    rule.fails("CW-I020", of("1.20", base=base), path=path, message="EKS no longer supports")


def test_addons_without_a_version_are_said(rule: Harness) -> None:
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


def test_the_calendar_is_the_local_awss() -> None:
    from clusterwright_localaws.testing import eks_versions as versions

    ours = {
        each.name: (each.end_of_standard, each.end_of_extended) for each in control_plane.VERSIONS
    }
    theirs = {
        each.name: (each.end_of_standard.date(), each.end_of_extended.date())
        for each in versions.VERSIONS
    }
    assert ours.items() <= theirs.items()
