"""The scenario context of AWS PCS."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal.platforms.pcs import context as module
from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.runs import Run
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

NODES = [
    {"name": name, "host": name, "group": name[:-2], "instance_id": instance, "phase": phase}
    for name, instance, phase in (("login-1", "i-3", "held"), ("workers-1", "i-1", "running"))
]


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(module, "_ABSENT_S", 0.0)
    found: Any = PcsContext.__new__(PcsContext)
    found.results, found._notes = [], []
    found.worker = Mock(run=Run("r1", tmp_path))
    found.worker.ask.side_effect = lambda do, **_: NODES if do == "nodes" else None
    groups = [SimpleNamespace(name="login", role="login")]
    groups.append(SimpleNamespace(name="workers", role="compute"))
    found.cluster = SimpleNamespace(environment="prod", compute=groups)
    found._work = tmp_path
    event = {"event": "failed", "instance_id": "i-9", "node": "workers-1", "text": "no Slurm"}
    found.worker.run.timeline.write_text(json.dumps(event) + "\n")
    return found


def test_controller_is_the_first_login_node(context: Any) -> None:
    assert context.controller.name == "login-1"


def test_cluster_without_a_login_node_is_told(context: Any) -> None:
    context.worker.ask.side_effect = lambda do, **_: NODES[1:] if do == "nodes" else None
    with pytest.raises(Broken, match="no login node"):
        _ = context.controller


def test_statuses_come_from_the_worker(context: Any) -> None:
    found = context.api_nodes()
    assert found["workers-1"]["InstanceStatus"]["Status"] == "Running"
    assert found["login-1"]["InstanceStatus"]["Status"] == "Pending"


def test_logs_of_an_instance_that_has_ended(context: Any, tmp_path: Path) -> None:
    (tmp_path / "logs/workers-1").mkdir(parents=True)
    (tmp_path / "logs/workers-1/i-9.log").write_text("a\nb\n")
    assert context.logs_of("workers-1", "i-9") == ["a", "b"]
    assert context.logs(context.node("workers-1")) == []
    assert context.failure_of("i-9") == "no Slurm"
    assert context.failure_of("i-1") == ""


def test_instance_is_terminated_in_ec2(context: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ec2 = Mock()
    monkeypatch.setattr(PcsContext, "aws", lambda *_: ec2)
    context.replace(context.node("workers-1"))
    ec2.terminate_instances.assert_called_once_with(InstanceIds=["i-1"])
    context.reboot(context.node("workers-1"))
    context.worker.ask.assert_called_with("reboot", node="workers-1")


def test_idle_cluster_has_all_its_static_nodes(context: Any) -> None:
    context.spec = {
        "compute": [{"name": "login", "count": 1}, {"name": "workers", "count": 2}],
    }
    assert context._without_instance() == "group workers has 1 of 2 nodes"
    context.spec["compute"][1]["min_count"] = 1
    assert context._without_instance() is None


def test_idle_cluster_has_a_login_node_that_runs(context: Any) -> None:
    context.spec = {"compute": [{"name": "login", "count": 1}, {"name": "workers", "count": 1}]}
    with pytest.raises(Broken, match="login-1 is held"):
        context.wait_idle(within_s=0.0)


@pytest.mark.parametrize(
    ("state", "problem"),
    [("exited", None), ("running", "clusterwright-slurm-administration is running")],
)
def test_administration_of_the_login_node(
    context: Any, monkeypatch: pytest.MonkeyPatch, state: str, problem: str | None
) -> None:
    ran = Mock(return_value=SimpleNamespace(stdout=f"{state}\n"))
    monkeypatch.setattr(Node, "run", ran)
    context.default_scripts = True
    assert context.not_administered() == problem
    context.default_scripts = False
    assert context.not_administered() is None
    assert ran.call_count == 1


def test_waits(context: Any) -> None:
    login, worker = context.node("login-1"), context.node("workers-1")
    assert context.wait_held(login, but="i-0") == "i-3"
    context.wait_running_past(worker, failed="i-9")
    with pytest.raises(Broken, match="no node workers-7"):
        context.facts("workers-7")
