"""Every scenario on booted machines with Slurm's daemons (managed configuration)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal import prerequisites, rehearsal, runs
from clusterwright_rehearsal.scenario_loader import Scenario, scenarios
from clusterwright_rehearsal.scenarios import alerts
from packages.rehearsal.tests.answers import ATTEMPTS, attempt, of, skipped
from packages.rehearsal.tests.conftest import ROOT, Rehearse, command

pytestmark = [pytest.mark.slow, pytest.mark.slurm]

_DEV = "configs/dev.yaml"


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.name)
def test_managed_configuration_keeps_its_promises(rehearsed: Rehearse, scenario: Scenario) -> None:
    answer = rehearsed(_DEV, "--all")
    assert of(answer, "deployment") == {}
    assert of(answer, scenario.name) == {}
    if "managed" in scenario.modes and scenario.name not in skipped(answer):
        looked_at = {p["id"] for p in answer["promises"] if p["scenario"] == scenario.name}
        assert looked_at == {f"{scenario.name}.{name}" for name in scenario.promises}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_ordinary_user_is_refused(rehearsed: Rehearse, name: str) -> None:
    assert attempt(rehearsed(_DEV, "--all"), name) == "held"


def test_scenarios_for_other_hardware_are_skipped_with_reasons(rehearsed: Rehearse) -> None:
    reasons = {entry["what"]: entry["reason"] for entry in rehearsed(_DEV, "--all")["skipped"]}
    assert "neuron devices" in reasons["neuron-lost"]
    assert "gpu-lost" not in reasons
    assert reasons["silent-corruption"].startswith("cannot be detected: ")
    assert rehearsed(_DEV, "--all")["exit_code"] == 0


def test_alerts_fire_in_a_real_prometheus(rehearsed: Rehearse) -> None:
    answer = rehearsed(_DEV, "--all")
    assert "alerts" not in skipped(answer)
    held = {p["id"]: p["reason"] for p in answer["promises"] if p["scenario"] == "alerts"}
    assert f"{len(alerts.FIRED)} alerts" in held["alerts.clears"]
    assert "queries of " in held["alerts.panels"]


def test_newer_slurm_keeps_its_promises(rehearsed: Rehearse) -> None:
    answer = rehearsed(_DEV, "--slurm", "forky", "--scenario", "first-boot")
    assert of(answer, "first-boot") == {}
    assert answer["slurm"] != rehearsed(_DEV, "--all")["slurm"]


def test_output_has_nodes_steps_and_phases(rehearsed: Rehearse) -> None:
    answer = rehearsed(_DEV, "--all")
    spec = load_cluster(ROOT / _DEV)
    wanted = sum(group.count for group in spec.cluster.compute)
    assert len(answer["nodes"]) == wanted
    nodes = {node["name"] for node in answer["nodes"]}
    assert {step["node"] for step in answer["steps"]} >= nodes
    assert all(step["seconds"] >= 0 for step in answer["steps"])
    assert {"deployment", "first-boot"} <= {phase["name"] for phase in answer["phases"]}


def test_clean_removes_everything_after_a_kill(tmp_path: Path) -> None:
    """The command and its worker are killed with SIGKILL while nodes come up."""
    _needs_nodes()
    # The images are shared with the other tests.
    (tmp_path / "cache").symlink_to("/var/lib/clusterwright/cache")
    process = subprocess.Popen(
        command(_DEV, "--scenario", "first-boot", "--state-dir", str(tmp_path)),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    run = _wait_for_machines(tmp_path, process)
    worker = next(
        int(line.split('"name": "')[1].split('"')[0])
        for line in (run.folder / "made.jsonl").read_text().splitlines()
        if "worker" in line
    )
    process.kill()
    os.kill(worker, signal.SIGKILL)
    process.wait()
    done = subprocess.run(
        command("--clean", "--state-dir", str(tmp_path)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "removed netns" in done.stdout
    assert "verified: " in done.stdout
    assert not run.folder.exists()
    assert not list(Path("/run/netns").glob(f"cw-{run.id}-*"))
    assert str(run.folder) not in Path("/proc/self/mountinfo").read_text()
    assert not list(Path("/sys/fs/cgroup").glob(f"**/clusterwright-{run.id}"))


def test_only_the_deployment_is_rehearsed_without_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prerequisites, "nodes_unavailable", lambda: "emulated nodes require root")
    spec = load_cluster(ROOT / _DEV)
    verdict = rehearsal.rehearse(
        rehearsal.Request(_DEV, spec.cluster, spec.resolved(), state=tmp_path), lambda _: None
    )
    assert verdict.exit_code == 2
    by_status = {
        promise.status for promise in verdict.promises if promise.scenario != "deployment"
    }
    assert by_status == {"unknown"}
    (deployed,) = [p for p in verdict.promises if p.scenario == "deployment"]
    assert deployed.status == "held", deployed.reason
    assert not runs.runs(tmp_path)


def _needs_nodes() -> None:
    reason = prerequisites.nodes_unavailable()
    if reason is not None:
        pytest.skip(reason)


def _wait_for_machines(state: Path, process: subprocess.Popen[bytes]) -> runs.Run:
    ends = time.monotonic() + 400
    while time.monotonic() < ends:
        assert process.poll() is None, "the rehearsal ended early"
        for run in runs.runs(state):
            if list(run.folder.glob("machines/*/machine.json")):
                return run
        time.sleep(0.1)
    raise AssertionError("no machine has started")
