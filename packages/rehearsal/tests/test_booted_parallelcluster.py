"""Scenarios on the nodes of ParallelCluster, with Slurm as it configures it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright_rehearsal.scenario_loader import scenarios
from packages.rehearsal.tests.answers import ATTEMPTS, attempt, of, skipped
from packages.rehearsal.tests.conftest import ROOT, Rehearse

pytestmark = [pytest.mark.slow, pytest.mark.slurm]

_ON_PARALLELCLUSTER = (
    *("first-boot", "people", "second-run", "instance-replaced", "sick-instance"),
    *("custom-action-fails", "users-updated", "topology", "kill-at-every-step", "ordinary-user"),
    *("operator-requests", "acceptance", "acceptance-at-boot", "acceptance-interrupted"),
    "metrics",
)


@pytest.mark.parametrize("name", _ON_PARALLELCLUSTER)
def test_parallelcluster_keeps_its_promises(
    rehearsed: Rehearse, parallelcluster_config: str, name: str
) -> None:
    answer = rehearsed(parallelcluster_config, "--all")
    assert of(answer, "deployment") == {}
    assert of(answer, name) == {}
    assert name not in skipped(answer)
    looked_at = {p["id"] for p in answer["promises"] if p["scenario"] == name}
    (scenario,) = (found for found in scenarios() if found.name == name)
    assert looked_at == {f"{name}.{promise}" for promise in scenario.promises}
    others = {scenario.name for scenario in scenarios()} - set(_ON_PARALLELCLUSTER)
    assert skipped(answer) == others


@pytest.mark.parametrize("name", ATTEMPTS)
def test_ordinary_user_is_refused(
    rehearsed: Rehearse, parallelcluster_config: str, name: str
) -> None:
    assert attempt(rehearsed(parallelcluster_config, "--all"), name) == "held"


def test_failed_step_on_the_head_node_fails_the_cluster_with_its_message(
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
