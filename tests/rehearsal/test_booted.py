"""Every scenario, played on machines that are really booted, with Slurm's own daemons."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from clusterwright.platforms import load_cluster
from clusterwright.rehearsal import rehearsal, runs
from clusterwright.rehearsal.scenario_files import Scenario, scenarios
from tests.rehearsal.conftest import ROOT, Rehearse, command

pytestmark = [pytest.mark.slow, pytest.mark.slurm]

_DEV = "configs/dev.yaml"
_TRAINIUM = "configs/examples/trn1-1.yaml"
_SCRIPTED = (
    *("first-boot", "second-run", "metrics", "kill-at-every-step", "denied", "scale"),
    "container-job",
)
_ON_PARALLELCLUSTER = (
    *("first-boot", "people", "second-run", "instance-replaced", "sick-instance"),
    *("custom-action-fails", "users-updated"),
)
_ON_TRAINIUM = ("first-boot", "metrics", "neuron-lost", "neuron-ecc", "efa-down")


def _of(answer: dict[str, Any], scenario: str) -> dict[str, str]:
    """Promise → what is wrong with it; empty for what held or was skipped."""
    return {
        p["id"]: f"{p['status']}: {p['reason']}"
        for p in answer["promises"]
        if p["scenario"] == scenario and p["status"] != "held"
    }


def _skipped(answer: dict[str, Any]) -> set[str]:
    return {entry["what"] for entry in answer["skipped"]}


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.name)
def test_managed(rehearsed: Rehearse, scenario: Scenario) -> None:
    answer = rehearsed(_DEV)
    assert _of(answer, "deployment") == {}
    assert _of(answer, scenario.name) == {}
    if "managed" in scenario.modes and scenario.name not in _skipped(answer):
        looked_at = {p["id"] for p in answer["promises"] if p["scenario"] == scenario.name}
        assert looked_at == {f"{scenario.name}.{name}" for name in scenario.promises}


@pytest.mark.parametrize("name", _ON_TRAINIUM)
def test_trainium(rehearsed: Rehearse, name: str) -> None:
    words = [word for each in _ON_TRAINIUM for word in ("--scenario", each)]
    answer = rehearsed(_TRAINIUM, *words)
    assert _of(answer, "deployment") == {}
    assert _of(answer, name) == {}
    assert name not in _skipped(answer)


def test_what_is_for_other_hardware_is_skipped_with_the_reason(rehearsed: Rehearse) -> None:
    skipped = {entry["what"]: entry["reason"] for entry in rehearsed(_DEV)["skipped"]}
    assert "neuron devices" in skipped["neuron-lost"]
    assert "gpu-lost" not in skipped
    assert skipped["silent-corruption"].startswith("cannot be detected: ")
    assert rehearsed(_DEV)["exit_code"] == 0


@pytest.mark.parametrize("name", _SCRIPTED)
def test_scripted(rehearsed: Rehearse, scripted_config: str, name: str) -> None:
    words = [word for each in _SCRIPTED for word in ("--scenario", each)]
    answer = rehearsed(scripted_config, *words)
    assert _of(answer, "deployment") == {}
    assert _of(answer, name) == {}
    assert name not in _skipped(answer)


@pytest.mark.parametrize("name", _ON_PARALLELCLUSTER)
def test_parallelcluster(rehearsed: Rehearse, parallelcluster_config: str, name: str) -> None:
    answer = rehearsed(parallelcluster_config)
    assert _of(answer, "deployment") == {}
    assert _of(answer, name) == {}
    assert name not in _skipped(answer)
    looked_at = {p["id"] for p in answer["promises"] if p["scenario"] == name}
    (played,) = (scenario for scenario in scenarios() if scenario.name == name)
    assert looked_at == {f"{name}.{promise}" for promise in played.promises}
    others = {scenario.name for scenario in scenarios()} - set(_ON_PARALLELCLUSTER)
    assert _skipped(answer) == others


def test_a_step_that_fails_on_the_head_node_fails_the_cluster_in_its_words(
    rehearsed: Rehearse, parallelcluster_config: str, tmp_path: Path
) -> None:
    """What a user of ParallelCluster sees: the executor's words, and the log that they name."""
    step = tmp_path / "never_right.py"
    step.write_text(_NEVER_RIGHT)
    for name in ("base.yaml", "dev-parallelcluster.yaml"):
        text = (ROOT / "configs" / name).read_text()
        (tmp_path / name).write_text(text)
    config = tmp_path / "dev-parallelcluster.yaml"
    with config.open("a") as file:
        file.write(f"\nlifecycle:\n  steps: [{step}]\n")
    answer = rehearsed(str(config), "--scenario", "first-boot")
    (deployed,) = (p for p in answer["promises"] if p["scenario"] == "deployment")
    assert deployed["status"] == "broken"
    for words in (
        "fetch_and_run - Failed to execute OnNodeConfigured script 1, return code: 1.",
        "Please check /var/log/cfn-init.log in the head node",
    ):
        assert words in deployed["reason"]
    logs = {row["node"]: row["log"] for row in answer["failure_logs"]}
    assert "step never_right failed" in logs["controller-1"]
    assert answer["exit_code"] == 1


_NEVER_RIGHT = '''"""Be never right on the head node."""

from __future__ import annotations

from clusterwright_node.node import APPLIES, Node, Verdict, missing, skip

AFTER = ("clock",)
DEADLINE_SECONDS = 10
RETRIES = 0


def applies(node: Node) -> Verdict:
    return APPLIES if node.is_controller else skip("the head node is meant")


def check(node: Node) -> Verdict:
    return missing("it is never right")


def apply(node: Node) -> None:
    pass
'''


def test_the_newer_slurm(rehearsed: Rehearse) -> None:
    answer = rehearsed(_DEV, "--slurm", "forky", "--scenario", "first-boot")
    assert _of(answer, "first-boot") == {}
    assert answer["slurm"] != rehearsed(_DEV)["slurm"]


def test_the_answer_has_nodes_steps_and_phases(rehearsed: Rehearse) -> None:
    answer = rehearsed(_DEV)
    spec = load_cluster(ROOT / _DEV)
    wanted = sum(group.count for group in spec.cluster.compute)
    assert len(answer["nodes"]) == wanted
    nodes = {node["name"] for node in answer["nodes"]}
    assert {step["node"] for step in answer["steps"]} >= nodes
    assert all(step["seconds"] >= 0 for step in answer["steps"])
    assert {"deployment", "first-boot"} <= {phase["name"] for phase in answer["phases"]}


def test_after_a_kill_of_everybody_clean_leaves_nothing(tmp_path: Path) -> None:
    """The command and its engine are killed with SIGKILL while nodes come up."""
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
    engine = next(
        int(line.split('"name": "')[1].split('"')[0])
        for line in (run.folder / "made.jsonl").read_text().splitlines()
        if "engine" in line
    )
    process.kill()
    os.kill(engine, signal.SIGKILL)
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
    assert "looked again" in done.stdout
    assert not run.folder.exists()
    assert not list(Path("/run/netns").glob(f"cw-{run.id}-*"))
    assert str(run.folder) not in Path("/proc/self/mountinfo").read_text()
    assert not list(Path("/sys/fs/cgroup").glob(f"**/clusterwright-{run.id}"))


def test_without_nodes_the_deployment_half_runs_and_the_rest_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rehearsal, "why_no_nodes", lambda: "emulated nodes need root")
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
    reason = rehearsal.why_no_nodes()
    if reason is not None:
        pytest.skip(reason)


def _wait_for_machines(state: Path, process: subprocess.Popen[bytes]) -> runs.Run:
    ends = time.monotonic() + 400
    while time.monotonic() < ends:
        assert process.poll() is None, "it ended by itself"
        for run in runs.runs(state):
            if list(run.folder.glob("machines/*/machine.json")):
                return run
        time.sleep(0.1)
    raise AssertionError("no machine came up")
