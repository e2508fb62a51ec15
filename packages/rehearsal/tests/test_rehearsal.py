"""A rehearsal without machines: its options, and platforms without emulated nodes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal import deployment, prerequisites, rehearsal, runs
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.findings import Findings
from clusterwright_rehearsal.scenario_loader import scenarios
from clusterwright_rehearsal.scenario_runner import applicable
from clusterwright_rehearsal.verdict import Promise
from packages.rehearsal.tests.conftest import ROOT


def request(config: str, state: Path, **more: Any) -> rehearsal.Request:
    spec = load_cluster(ROOT / config)
    return rehearsal.Request(config, spec.cluster, spec.resolved(), state=state, **more)


def test_custom_scripts_are_refused_on_other_platforms(tmp_path: Path) -> None:
    asked = request("configs/dev-parallelcluster.yaml", tmp_path, lifecycle=tmp_path)
    with pytest.raises(RehearsalError, match="for lifecycle scripts of HyperPod"):
        rehearsal.rehearse(asked, lambda _: None)


class NoWorker:
    """A worker client without a process; nothing connects to its URL."""

    url = "http://localhost:9"

    def __init__(self, run: runs.Run, image: Path | None, **_: Any) -> None:
        assert image is None, "no image is built for nodes that do not come"
        self.run = run

    def ask(self, do: str) -> list[Any]:
        assert do == "nodes"
        return []

    def close(self) -> list[str]:
        return []


@pytest.mark.parametrize("works", [True, False])
@pytest.mark.parametrize("config", ["configs/dev-hyperpod-eks.yaml", "configs/dev-eks.yaml"])
def test_nodes_of_kubernetes_platforms_are_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, works: bool
) -> None:
    deployed: list[str] = []

    def deploy(_: Any, __: Any, spec: Any, findings: Any, ___: Any) -> bool:
        deployed.append(spec["platform"])
        status = "held" if works else "broken"
        promise = Promise("deployment.deploys", "deployment", "it deploys", status, 1.0, None)
        findings.promises.append(promise)
        return works

    monkeypatch.setattr(rehearsal, "WorkerClient", NoWorker)
    monkeypatch.setattr(deployment, "deploy", deploy)
    asked = request(config, tmp_path)
    verdict = rehearsal.rehearse(asked, lambda _: None)
    assert deployed == [asked.cluster.platform]
    found = {promise.id: promise for promise in verdict.promises}
    assert verdict.nodes == ()
    assert verdict.slurm is None
    if not works:
        assert found.keys() == {"deployment.deploys"}
        assert verdict.exit_code == 1
        return
    assert found.keys() == {"deployment.deploys", "nodes.ready"}
    assert found["nodes.ready"].status == "unknown"
    assert f"nodes of {asked.cluster.platform} are not emulated: no Kubernetes control plane" in (
        found["nodes.ready"].reason or ""
    )
    assert {entry.reason for entry in verdict.skipped} == {"it applies to Slurm only"}
    assert {entry.what for entry in verdict.skipped} == {scenario.name for scenario in scenarios()}
    assert verdict.exit_code == 2


def test_scenarios_are_skipped_without_an_image_with_a_newer_slurm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*_: Any) -> Any:
        raise RehearsalError("no mirror has forky")

    monkeypatch.setattr(rehearsal.images, "with_newer_slurm", build)
    findings = Findings()
    asked = request("configs/dev-pcs.yaml", tmp_path)
    every = rehearsal.scenarios(())
    newer, chosen = rehearsal._newer(asked, every, findings, lambda _: None)
    assert newer == {}
    (skipped,) = findings.skipped
    assert skipped.what == "slurm-version-ends"
    assert skipped.reason == "there is no image with a newer Slurm: no mirror has forky"
    assert len(chosen) == len(every) - 1


@pytest.fixture
def _no_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deployment that works, on a machine that cannot have nodes."""
    monkeypatch.setattr(rehearsal, "WorkerClient", NoWorker)
    monkeypatch.setattr(deployment, "deploy", lambda *_: True)
    monkeypatch.setattr(prerequisites, "nodes_unavailable", lambda: "emulated nodes need root")


@pytest.mark.usefixtures("_no_nodes")
@pytest.mark.parametrize("everything", [False, True])
def test_default_scenarios_take_minutes_and_all_is_explicit(
    tmp_path: Path, everything: bool
) -> None:
    """Without nodes the promises of the chosen scenarios are unknown."""
    said: list[str] = []
    asked = request("configs/dev.yaml", tmp_path, everything=everything)
    verdict = rehearsal.rehearse(asked, said.append)
    mine = [found for found in applicable(asked.cluster, scenarios()) if not found.packages]
    wanted = {scenario.name for scenario in mine if everything or scenario.default}
    assert {promise.scenario for promise in verdict.promises} == wanted
    assert re.fullmatch(
        rf"deployment and {len(wanted)} scenarios: about \d+ (minutes|seconds)", said[0]
    )
    note = f"only the default scenarios were chosen; --all adds {len(mine) - len(wanted)}, about "
    assert any(text.startswith(note) for text in verdict.notes) is not everything
    assert sum(scenario.seconds for scenario in mine if scenario.default) <= 240


@pytest.mark.usefixtures("_no_nodes")
@pytest.mark.parametrize("config", ["dev", "dev-parallelcluster", "dev-pcs"])
def test_all_runs_a_scenario_or_says_why_not(tmp_path: Path, config: str) -> None:
    asked = request(f"configs/{config}.yaml", tmp_path, everything=True)
    verdict = rehearsal.rehearse(asked, lambda _: None)
    reasons = {entry.what: entry.reason for entry in verdict.skipped}
    run = {promise.scenario for promise in verdict.promises}
    assert run | reasons.keys() == {scenario.name for scenario in scenarios()}
    assert not run & reasons.keys()
    assert ("`--scenario` runs it" in reasons["training"]) is (config == "dev")
