"""Re-checks: which nodes, when, and that jobs come first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from clusterwright_common import records
from clusterwright_state import rechecks
from clusterwright_state.acceptance import Runs
from clusterwright_state.rechecks import Rechecks

from tests.nodes.metrics.fake_node import Machine

NOW = 1_795_420_000.0  # 2026-11-23T07:46:40Z
LONG_AGO, TODAY = "2026-11-01T00:00:00Z", "2026-11-23T07:00:00Z"


class Controller:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "machine").mkdir()
        self.folder, self.machine, self.now = folder, Machine(folder / "machine"), NOW
        self.queue()
        self.started: list[tuple[str, str, list[str], dict[str, str]]] = []
        runs = Runs(str(folder))
        monkeypatch.setattr(rechecks.time, "time", lambda: self.now)
        monkeypatch.setattr(runs, "start", self._start)
        self.rechecks = Rechecks(str(folder), "quick", 168, runs)
        self.nodes: dict[str, dict[str, Any]] = {}
        self.states: dict[str, dict[str, Any]] = {}

    def _start(self, run: str, level: str, nodes: list[str], _: Any, reserved: Any) -> None:
        self.started.append((run, level, nodes, reserved))

    def queue(self, *lines: str) -> None:
        text = "\\n".join(lines)
        self.machine.command("squeue", f"printf '{text}\\n'")

    def add(
        self, name: str, *states: str, tested: str = LONG_AGO, state: str = "accepted", **more: Any
    ) -> None:
        self.nodes[name] = {"name": name, "states": [*states] or ["IDLE"], "reservation": None}
        self.nodes[name].update(more)
        self.states[name] = {"state": state}
        records.write(self.folder / f"nodes/{name}.json", {"tested_at": tested})

    def look(self, **reserved: str) -> list[str]:
        nodes = list(self.nodes.values())
        return self.rechecks.start(self.machine.probe(), nodes, self.states, reserved)


@pytest.fixture
def controller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Controller:
    return Controller(tmp_path, monkeypatch)


def test_half_of_the_idle_nodes_are_tested_the_oldest_first(controller: Controller) -> None:
    controller.add("a", tested="2026-11-02T00:00:00Z")
    controller.add("b", tested="2026-11-01T00:00:00Z")
    controller.add("c", tested="2026-11-03T00:00:00Z")
    controller.add("d", tested=TODAY)
    assert controller.look() == ["b", "a"]
    ((run, level, nodes, reserved),) = controller.started
    assert (run, level) == ("20261123T074640Z-recheck", "quick")
    assert (nodes, reserved) == (["b", "a"], {})


@pytest.mark.parametrize(
    "changes",
    [
        {"states": ["ALLOCATED"]},
        {"states": ["IDLE", "DRAIN"]},
        {"states": ["IDLE", "POWERED_DOWN"]},
        {"reservation": "maintenance"},
    ],
)
def test_nodes_that_are_not_free_are_left_alone(
    controller: Controller, changes: dict[str, Any]
) -> None:
    controller.add("a", **changes)
    assert controller.look() == []


@pytest.mark.parametrize("more", [{"tested": TODAY}, {"state": "rejected"}, {"state": "new"}])
def test_nodes_that_are_not_due_are_left_alone(
    controller: Controller, more: dict[str, str]
) -> None:
    controller.add("a", **more)
    assert controller.look() == []


def test_a_spare_is_tested_in_its_reservation(controller: Controller) -> None:
    controller.add("a", reservation="clusterwright_spares_workers")
    assert controller.look(a="clusterwright_spares_workers") == ["a"]
    assert controller.started[0][3] == {"a": "clusterwright_spares_workers"}


def test_nothing_starts_while_a_job_waits_for_nodes(controller: Controller) -> None:
    controller.add("a")
    controller.queue("12|Resources|train")
    assert controller.look() == []
    controller.queue("12|Dependency|train")
    assert controller.look() == ["a"]


def test_a_run_that_gave_way_is_repeated_later(controller: Controller) -> None:
    controller.add("a")
    controller.look()
    assert controller.look() == []
    controller.now += rechecks.RETRY_SECONDS + 1
    assert controller.look() == ["a"]


def test_one_run_at_a_time(controller: Controller) -> None:
    controller.add("a")
    records.write(controller.folder / "wanted/20261123T080000Z-1.json", {"nodes": []})
    assert controller.look() == []
