"""Tests of CW-L017."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.preflight.facts.pcs import PcsCluster
from tests.preflight.harness import Harness
from tests.preflight.rules.support.pcs import SPEC, cluster
from tests.preflight.rules.support.platforms import PARALLELCLUSTER

HERE = "pcs.slurm_version"


def _spec(version: str) -> dict[str, Any]:
    return {**SPEC, "pcs.slurm_version": version}


def _deployed(version: str, status: str = "ACTIVE") -> dict[Any, Any]:
    return {PcsCluster("test"): cluster(version, status)}


def test_an_older_version_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-L017",
        _spec("25.05"),
        _deployed("25.11"),
        path=HERE,
        message="PCS does not update test from Slurm 25.11 to 25.05: only to newer versions",
    )
    rule.passes("CW-L017", _spec("25.11"), _deployed("25.05"))
    rule.passes("CW-L017", _spec("25.11"), {PcsCluster("test"): None})
    rule.passes("CW-L017", PARALLELCLUSTER, tested=False)


def test_too_many_versions_at_once_are_reported(rule: Harness) -> None:
    found = rule.fails(
        "CW-L017",
        _spec("26.05"),
        _deployed("24.05"),
        path=HERE,
        message="from Slurm 24.05 to 26.05 at once: over at most 3 major versions",
    )
    assert found.hint == "slurm_version: 25.11 first"


@pytest.mark.parametrize("status", ["SUSPENDING", "SUSPENDED"])
def test_a_suspended_cluster_needs_a_newer_version(rule: Harness, status: str) -> None:
    rule.fails(
        "CW-L017",
        _spec("24.11"),
        _deployed("24.11", status),
        path=HERE,
        message=f"test is {status}: AWS no longer runs Slurm 24.11",
    )
    rule.passes("CW-L017", _spec("25.11"), _deployed("24.11", status))


def test_a_version_in_no_source_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-L017",
        _spec("25.11"),
        _deployed("26.11"),
        path=HERE,
        message="whether PCS updates test from Slurm 26.11 to 25.11: no source lists 26.11",
    )
