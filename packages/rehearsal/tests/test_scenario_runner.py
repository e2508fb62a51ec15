"""Which scenarios apply to a cluster, and what one that ends early does to the others."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal import prerequisites, recovery, scenario_runner
from clusterwright_rehearsal.findings import Findings
from clusterwright_rehearsal.platforms.parallelcluster.unsupported_scenarios import REASONS
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from clusterwright_rehearsal.scenario_loader import Scenario, scenarios
from clusterwright_rehearsal.scenario_runner import mode_of
from packages.rehearsal.tests.conftest import ROOT
from packages.rehearsal.tests.scenario_api.contexts import context


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
        if scenario.modes == ("pcs",):
            reason = scenario_runner.skip_reason("parallelcluster", scenario)
            assert reason == "it applies to AWS PCS only"
            continue
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


def test_scenarios_that_do_not_apply_to_pcs_say_why() -> None:
    found = {scenario.name: scenario for scenario in scenarios()}
    reason = scenario_runner.skip_reason("pcs", found["race"])
    assert reason.startswith("it does not apply to AWS PCS: ")
    assert scenario_runner.skip_reason("pcs", found["people"]) == (
        "it applies to ParallelCluster only"
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


class TestSeries:
    """Three scenarios on a cluster without machines."""

    @pytest.fixture(autouse=True)
    def _cluster(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.context = context(tmp_path)
        self.context.cluster = cluster_of("configs/dev.yaml")
        self.context.default_scripts = True
        self.idle: list[str | None] = []
        self.context.wait_idle = self.wait_idle
        self.recovered: tuple[list[str], str | None] = ([], None)
        self.calls = 0
        monkeypatch.setattr(recovery, "recover", self.recover)
        self.findings, self.said = Findings(), list[str]()

    def wait_idle(self) -> None:
        reason = self.idle.pop(0) if self.idle else None
        if reason is not None:
            raise Broken(reason)

    def recover(self, found: object) -> tuple[list[str], str | None]:
        assert found is self.context
        self.calls += 1
        return self.recovered

    def scenario(self, name: str, run: Callable[[Any], None], **more: Any) -> Scenario:
        facts: dict[str, Any] = {"modes": ("managed",), "needs_compute": 1, "order": 5, **more}
        promises = {"one": f"the first of {name}", "two": f"the second of {name}"}
        return Scenario(name, f"{name}.", promises, run, any_scripts=False, **facts)

    def run(self, *chosen: Scenario) -> dict[str, tuple[str, str | None]]:
        series = scenario_runner.ScenarioSeries(self.context, self.findings, self.said.append)
        series.run(chosen)
        self.said = [re.sub(r" \(\d+ s\)$", "", text) for text in self.said]
        return {p.id: (p.status, p.reason) for p in self.findings.promises}

    def good(self, found: Any) -> None:
        for name in ("one", "two"):
            with found.promise(name):
                pass

    def bad(self, found: Any) -> None:
        with found.promise("one"):
            found.expect(False, "workers-1 is Failure")

    def test_results_are_shown_while_the_series_runs(self) -> None:
        self.run(self.scenario("a", self.good), self.scenario("b", self.bad))
        assert self.said == [
            "[1/2] a: a",
            "[1/2] a: 2 passed",
            "[2/2] b: b",
            "[2/2] b: 1 failed, 1 unknown",
            "[2/2] b: failed: the first of b: workers-1 is Failure",
        ]
        assert self.calls == 0, "nothing comes after the last one"

    def test_the_text_of_a_failure_is_stated_once(self) -> None:
        found = self.run(self.scenario("b", self.bad))
        assert found == {
            "b.one": ("broken", "workers-1 is Failure"),
            "b.two": ("unknown", "not reached: see b.one"),
        }

    def test_the_cluster_is_returned_to_service_after_a_broken_promise(self) -> None:
        self.recovered = (["workers-1 was replaced"], None)
        found = self.run(self.scenario("b", self.bad), self.scenario("c", self.good))
        assert found["c.one"] == found["c.two"] == ("held", None)
        note = "before c: workers-1 was replaced (the scenario b ended early)"
        assert self.findings.notes == [note]
        assert self.calls == 1

    def test_the_series_ends_if_the_cluster_cannot_be_returned_to_service(self) -> None:
        self.recovered = ([], "controller-1 has failed")
        chosen = (self.scenario("b", self.bad), *(self.scenario(n, self.good) for n in "cd"))
        found = self.run(*chosen)
        reason = (
            "not run: the cluster could not be returned to service before c:"
            " controller-1 has failed"
        )
        for promise in ("c.one", "c.two", "d.one", "d.two"):
            assert found[promise] == ("unknown", reason)
        assert self.calls == 1

    def test_a_cluster_that_is_not_idle_is_returned_to_service(self) -> None:
        self.idle = [None, "after 120 s: workers-1 is Failure"]
        found = self.run(*(self.scenario(n, self.good) for n in "ab"))
        assert found["b.two"] == ("held", None)
        assert self.calls == 1

    def test_too_small_clusters_and_other_modes(self) -> None:
        found = self.run(
            self.scenario("a", self.good, needs_compute=99),
            self.scenario("b", self.good, modes=("scripted",)),
        )
        assert {status for status, _ in found.values()} == {"unknown"}
        assert "it needs 99 compute nodes" in str(found["a.one"][1])
        (skipped,) = self.findings.skipped
        assert skipped.what == "b"
        assert self.said == ["[1/1] a: 2 unknown"]
