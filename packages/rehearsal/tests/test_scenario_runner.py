"""Which scenarios apply to a cluster, and the reasons for skipping the others."""

from __future__ import annotations

import pytest

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal import prerequisites, scenario_runner
from clusterwright_rehearsal.platforms.parallelcluster.unsupported_scenarios import REASONS
from clusterwright_rehearsal.scenario_loader import scenarios
from clusterwright_rehearsal.scenario_runner import mode_of
from packages.rehearsal.tests.conftest import ROOT


def test_skipped_scenarios_have_a_reason() -> None:
    applicable = {scenario.name for scenario in scenarios() if "parallelcluster" in scenario.modes}
    assert applicable >= {
        "custom-action-fails",
        "first-boot",
        "instance-replaced",
        "people",
        "second-run",
        "users-updated",
    }
    for scenario in scenarios():
        if scenario.name not in applicable:
            reason = scenario_runner.skip_reason("parallelcluster", scenario)
            assert reason == f"it does not apply to ParallelCluster: {REASONS[scenario.name]}"
            continue
        assert scenario.name not in REASONS
        if scenario.modes == ("parallelcluster",):
            assert (
                scenario_runner.skip_reason("managed", scenario)
                == "it applies to ParallelCluster only"
            )


def cluster_of(config: str) -> Cluster:
    return load_cluster(ROOT / config).cluster


def test_modes_follow_the_platform() -> None:
    assert mode_of(cluster_of("configs/dev.yaml")) == "managed"
    assert mode_of(cluster_of("configs/dev-parallelcluster.yaml")) == "parallelcluster"


def test_promises_of_parallelcluster_are_unknown_without_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = cluster_of("configs/dev-parallelcluster.yaml")
    mine = scenario_runner.applicable(cluster, scenarios())
    assert {scenario.name for scenario in mine} >= {"first-boot", "people"}
    assert "gpu-lost" not in {scenario.name for scenario in mine}
    monkeypatch.setattr(prerequisites, "nodes_unavailable", lambda: "emulated nodes require root")
    assert prerequisites.unsupported_platform(cluster) is None
