"""Tests of CW-I020."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.platforms.kubernetes import control_plane
from tests.preflight.harness import Harness
from tests.preflight.rules.support.kubernetes import EKS, HYPERPOD, of


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
def test_expired_versions_are_reported(
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


def test_unknown_versions_are_unknown(rule: Harness) -> None:
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
def test_hyperpod_has_the_support_dates_of_eks(rule: Harness, base: dict[str, Any]) -> None:
    path = "kubernetes.version"
    rule.fails("CW-I020", of("1.20", base=base), path=path, message="EKS no longer supports")


def test_calendar_matches_the_local_aws() -> None:
    from clusterwright_localaws.testing import eks_versions as versions

    ours = {
        each.name: (each.end_of_standard, each.end_of_extended) for each in control_plane.VERSIONS
    }
    theirs = {
        each.name: (each.end_of_standard.date(), each.end_of_extended.date())
        for each in versions.VERSIONS
    }
    assert ours.items() <= theirs.items()
