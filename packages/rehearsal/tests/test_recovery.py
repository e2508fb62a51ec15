"""Returning a cluster to service after a scenario that ended early."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright_rehearsal import recovery
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.scenario_api import operator
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from packages.rehearsal.tests.scenario_api.contexts import answering, context


@pytest.fixture
def found(tmp_path: Path) -> Any:
    """A cluster in service, which records what is done to it."""
    found = context(tmp_path)
    found.statuses = dict.fromkeys((row["name"] for row in found.rows), "Running")
    found.api_nodes = lambda: {
        name: {"InstanceStatus": {"Status": status}} for name, status in found.statuses.items()
    }
    found.states = {"ip-10-0-0-7": "idle", "ip-10-0-0-8": "idle"}
    found.slurm = lambda command: found.states.get(command.split()[3], "")
    found.commands = answering(found, {})
    found.waited, found.replaced = [], []
    found.wait_idle = lambda *, within_s: found.waited.append(within_s)
    found.replace = lambda node: found.replaced.append(node.name)
    return found


def test_a_cluster_in_service_is_only_waited_for(found: Any) -> None:
    assert recovery.recover(found) == ([], None)
    assert found.replaced == []
    assert found.waited == [45.0]


def test_faults_of_the_account_and_settings_are_undone(found: Any) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []
    nodes = found.worker.ask.side_effect

    def ask(do: str, **arguments: Any) -> Any:
        asked.append((do, arguments))
        return nodes(do, **arguments)

    found.worker.ask.side_effect = ask
    recovery.recover(found)
    assert ("clear_faults", {}) in asked
    assert ("settings", {"hold_scripts": False}) in asked
    assert ("settings", {"detection_s": 4.0}) in asked
    assert ("databases", {"up": True}) in asked
    assert "rm -f /srv/emulation/lustre/*.down" in found.commands


def test_a_failed_node_is_replaced(found: Any) -> None:
    found.statuses["workers-2"] = "Failure"
    assert recovery.recover(found) == (["workers-2 was replaced"], None)
    assert found.replaced == ["workers-2"]
    assert found.waited == [180.0]


def test_a_failed_controller_ends_the_rehearsal(found: Any) -> None:
    found.statuses["controller-1"] = "Failure"
    reason = "controller-1 has failed, and a controller cannot be replaced"
    assert recovery.recover(found) == ([], reason)
    assert found.waited == []


def test_a_drained_node_is_resumed(found: Any) -> None:
    found.states["ip-10-0-0-7"] = "drained"
    ran: list[str] = []

    def slurm(command: str) -> str:
        ran.append(command)
        return str(found.states.get(command.split()[3], ""))

    found.slurm = slurm
    assert recovery.recover(found) == (["workers-1 (drained) was resumed"], None)
    assert "scontrol update nodename=ip-10-0-0-7 state=resume" in ran


def test_acceptance_of_nodes_that_the_hold_keeps_is_requested(
    found: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[list[str]] = []
    monkeypatch.setattr(operator, "start_acceptance", lambda _, nodes: requested.append(nodes))
    found.states["ip-10-0-0-8"] = "reserved"
    recovery.recover(found)
    assert requested == []
    found.cluster.acceptance.hold = True
    assert recovery.recover(found) == (["acceptance of workers-2 was requested"], None)
    assert requested == [["ip-10-0-0-8"]]


def test_a_node_that_stays_unusable_is_replaced(found: Any) -> None:
    def wait_idle(*, within_s: float) -> None:
        found.waited.append(within_s)
        if len(found.waited) == 1:
            found.states["ip-10-0-0-8"] = "idle*"
            raise Broken("after 45 s: ip-10-0-0-8 is idle*")

    found.wait_idle = wait_idle
    assert recovery.recover(found) == (["workers-2 was replaced"], None)
    assert found.waited == [45.0, 180.0]


@pytest.mark.parametrize(
    "error", [Broken("after 45 s: login-1 is Pending"), RehearsalError("the worker has ended")]
)
def test_the_reason_is_returned_if_it_does_not_succeed(found: Any, error: Exception) -> None:
    def wait_idle(*, within_s: float) -> None:
        raise error

    found.wait_idle = wait_idle
    assert recovery.recover(found) == ([], str(error))
    assert found.replaced == []
