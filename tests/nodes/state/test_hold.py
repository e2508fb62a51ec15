"""The hold: which nodes are reserved, resumed and tested, and with which commands."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from clusterwright_common import records
from clusterwright_common.times import stamp
from clusterwright_state import hold
from clusterwright_state.hold import NEW, RESERVATION, Hold, held_nodes

from tests.nodes.metrics.fake_node import Machine

BOOT = "2026-11-23T06:00:00Z"
TESTED = "2026-11-23T06:05:00Z"


def node(name: str, *states: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "states": list(states) or ["IDLE"],
        "partitions": ["gpu"],
        "reason": "",
        "reason_at": None,
        "boot_time": BOOT,
        "instance_id": f"i-{name}",
        "slurmd_start_time": None,
        **changes,
    }


def announced(name: str, at: str) -> dict[str, Any]:
    return node(name, "IDLE", "DRAIN", reason=NEW, reason_at=at)


class Controller:
    """A hold with its folder, a fake scontrol, and runs that are only recorded."""

    def __init__(self, folder: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.machine = folder, machine
        self.started: list[tuple[str, list[str], dict[str, str]]] = []
        self.now = 1_795_420_000.0  # 2026-11-23T08:26:40Z
        self.nodes: Sequence[dict[str, Any]] = ()
        self.reserved: list[str] = []
        runs = hold.Runs(str(folder))
        monkeypatch.setattr(hold.time, "time", lambda: self.now)
        monkeypatch.setattr(runs, "start", self._start)
        self.hold = Hold(str(folder), "quick", runs)

    def _start(self, run: str, level: str, nodes: list[str], _: Any, reserved: Any) -> None:
        self.started.append((level, nodes, reserved))

    def tested(self, name: str, state: str = "accepted", **changes: Any) -> None:
        record = {"state": state, "instance_id": f"i-{name}", "tested_at": TESTED, **changes}
        records.write(self.folder / f"nodes/{name}.json", record)

    def look(self) -> list[dict[str, Any]]:
        existing = [{"name": RESERVATION, "nodes": self.reserved}] if self.reserved else []
        changes = self.hold.keep(self.machine.probe(), self.nodes, existing)
        for change in changes:
            if "after" in change and "error" not in change:
                self.reserved = change["after"]
        return changes

    def commands(self) -> list[str]:
        log = self.machine.root / "ran"
        return log.read_text().splitlines() if log.exists() else []


@pytest.fixture
def controller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Controller:
    (tmp_path / "machine").mkdir()
    machine = Machine(tmp_path / "machine")
    for name, shown in (("scontrol", ""), ("scancel", "scancel ")):
        machine.command(
            name, f'echo "{shown}$*" >> {machine.root}/ran; test ! -e {tmp_path}/fails'
        )
    return Controller(tmp_path / "acceptance", machine, monkeypatch)


@pytest.mark.parametrize(
    ("one", "state", "is_held"),
    [
        (node("a"), None, True),
        (node("a"), "new", True),
        (node("a"), "unknown", True),
        (node("a"), "rejected", True),
        (node("a"), "accepted", False),
        (node("a", "ALLOCATED"), "accepted", False),
        (node("a", "IDLE", "DRAIN", reason="disk"), "accepted", False),
        (announced("a", BOOT), "accepted", True),
        (node("a", "DOWN", "NOT_RESPONDING"), "accepted", True),
        (node("a", "IDLE", "REBOOT_ISSUED"), "accepted", True),
    ],
)
def test_only_accepted_nodes_that_are_there_are_open(
    one: dict[str, Any], state: str | None, is_held: bool
) -> None:
    states = {} if state is None else {"a": {"state": state}}
    assert (held_nodes([one], states) == ["a"]) is is_held


def test_a_new_cluster_is_held_and_tested_and_opens(controller: Controller) -> None:
    controller.nodes = [node("a"), node("b", "ALLOCATED"), node("c", "FUTURE")]
    assert controller.look() == [{"before": [], "after": ["a", "b"]}]
    assert controller.commands() == [
        "create reservation ReservationName=clusterwright_acceptance Nodes=a,b StartTime=now"
        " Duration=UNLIMITED Users=root Flags=IGNORE_JOBS,OVERLAP"
    ]
    # A node with a job is tested when it is idle.
    assert controller.started == [("quick", ["a"], {"a": RESERVATION})]
    controller.tested("a")
    assert controller.look() == [{"before": ["a", "b"], "after": ["b"]}]
    controller.tested("b")
    assert controller.look() == [{"before": ["b"], "after": []}]
    assert controller.commands()[-1] == "delete ReservationName=clusterwright_acceptance"
    assert controller.look() == []


def test_a_rebooted_or_replaced_node_is_held_again(controller: Controller) -> None:
    for name in ("a", "b"):
        controller.tested(name)
    controller.nodes = [
        node("a", boot_time="2026-11-23T07:00:00Z"),
        node("b", instance_id="i-other"),
    ]
    controller.look()
    assert controller.reserved == ["a", "b"]


def test_an_announced_boot_is_reserved_before_it_is_resumed(controller: Controller) -> None:
    controller.tested("a")
    controller.nodes = [announced("a", "2026-11-23T07:00:00Z")]
    controller.look()
    assert [command.split()[0] for command in controller.commands()] == ["create", "update"]
    assert controller.commands()[1] == "update NodeName=a State=RESUME"
    # slurmctld may still show the boot before: the announcement counts.
    controller.nodes = [node("a")]
    assert controller.look() == []
    assert controller.reserved == ["a"]
    assert controller.started[-1][1] == ["a"]
    controller.tested("a", tested_at="2026-11-23T07:02:00Z")
    controller.look()
    assert controller.reserved == []


def test_a_node_that_was_missed_for_long_is_resumed_when_it_responds(
    controller: Controller,
) -> None:
    """slurmctld has set it DOWN, and leaves it so: its reason is the announcement."""
    controller.reserved = ["a"]
    controller.nodes = [node("a", "DOWN", "NOT_RESPONDING", "DRAIN", reason=NEW, reason_at=BOOT)]
    assert controller.look() == []
    controller.nodes = [node("a", "DOWN", "DRAIN", reason=NEW, reason_at=BOOT)]
    assert controller.look() == [{"resumed": "a"}]


def test_the_test_of_a_boot_that_is_over_is_cancelled(controller: Controller) -> None:
    """Its srun would wait for minutes for a node that is gone, and there is one run at a time."""
    path = controller.folder / "wanted/20261123T080000Z-hold.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"nodes": ["a"]}))
    controller.reserved = ["a", "b"]
    controller.nodes = [announced("a", BOOT), node("b")]
    assert controller.look() == [{"resumed": "a"}]
    user = f"--user={os.getuid()}"
    assert controller.commands() == [
        f"scancel --quiet {user} --name=clusterwright-acceptance --nodelist=a",
        "update NodeName=a State=RESUME",
    ]


def test_the_test_of_a_replaced_instance_is_cancelled_once(controller: Controller) -> None:
    """A node that was drained announces no boot. slurmctld may not miss the job for minutes."""
    controller.reserved = ["a", "b"]
    before = {"slurmd_start_time": BOOT}
    controller.nodes = [node("a", **before), node("b", **before)]
    controller.look()
    assert [nodes for _, nodes, _ in controller.started] == [["a", "b"]]
    path = controller.folder / "wanted/20261123T082640Z-hold.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"nodes": ["a", "b"]}))
    controller.now += 10
    restarted = {"slurmd_start_time": stamp(controller.now)}
    looks = (
        (node("a", **restarted), node("b", **before)),  # the same instance: steps continue
        (node("a", instance_id="i-other", **before), node("b", **before)),  # not yet started
        (node("a", instance_id="i-other", **restarted), node("b", **before)),
        (node("a", instance_id="i-other", **restarted), node("b", **before)),
    )
    for controller.nodes in looks:
        controller.look()
    user = f"--user={os.getuid()}"
    assert controller.commands() == [
        f"scancel --quiet {user} --name=clusterwright-acceptance --nodelist=a"
    ]


def test_a_test_that_cannot_be_cancelled_is_said(controller: Controller, tmp_path: Path) -> None:
    path = controller.folder / "wanted/20261123T080000Z-hold.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"nodes": ["a"]}))
    controller.reserved = ["a"]
    controller.nodes = [announced("a", BOOT)]
    (tmp_path / "fails").touch()
    cancelled, resumed = controller.look()
    assert cancelled == {"cancelled": ["a"], "error": "exit code 1"}
    assert resumed == {"resumed": "a", "error": "exit code 1"}


def test_without_the_reservation_nothing_is_resumed(
    controller: Controller, tmp_path: Path
) -> None:
    (tmp_path / "fails").touch()
    controller.nodes = [announced("a", "2026-11-23T07:00:00Z")]
    (change,) = controller.look()
    assert change["error"] == "exit code 1"
    assert len(controller.commands()) == 1
    assert controller.started == []


def test_nodes_drained_by_others_are_not_resumed(controller: Controller) -> None:
    controller.nodes = [node("a", "IDLE", "DRAIN", reason="maintenance", reason_at=BOOT)]
    controller.look()
    assert [command.split()[0] for command in controller.commands()] == ["create"]
    assert controller.started == []


def test_a_node_that_was_not_accepted_is_tested_again_later(controller: Controller) -> None:
    controller.nodes = [node("a")]
    controller.look()
    controller.tested("a", "unknown")
    controller.look()
    assert len(controller.started) == 1
    controller.now += hold.AGAIN_SECONDS + 1
    controller.look()
    controller.look()
    assert len(controller.started) == 2


def test_a_node_without_a_result_is_tested_again_soon(controller: Controller) -> None:
    """Its checks did not run, such as before the node program was installed."""
    controller.tested("a", "rejected")
    controller.nodes = [node("a")]
    controller.look()
    controller.now += hold.RETRY_SECONDS - 1
    controller.look()
    assert len(controller.started) == 1
    controller.now += 2
    controller.look()
    assert len(controller.started) == 2
    controller.tested("a", "rejected", tested_at="2026-11-23T08:28:00Z")
    controller.now += hold.RETRY_SECONDS + 1
    controller.look()
    assert len(controller.started) == 2


def test_a_result_of_an_operators_run_counts(controller: Controller) -> None:
    """Else the hold would test a node again as soon as `accept` has rejected it."""
    controller.nodes = [node("a")]
    controller.look()
    controller.tested("a")
    controller.now += hold.AGAIN_SECONDS + 60
    controller.tested("a", "rejected", tested_at=stamp(controller.now))
    controller.look()
    assert (controller.reserved, len(controller.started)) == (["a"], 1)
    controller.now += hold.AGAIN_SECONDS + 1
    controller.look()
    assert len(controller.started) == 2


def test_a_replaced_node_is_tested_at_once(controller: Controller) -> None:
    controller.nodes = [node("a", instance_id="i-other")]
    controller.tested("a", "rejected", tested_at=stamp(controller.now))
    controller.look()
    assert len(controller.started) == 1


def test_an_instance_that_replaces_a_tested_one_is_tested_at_once(controller: Controller) -> None:
    """Its boot is not announced where the node was drained before, and kept the reason."""
    controller.nodes = [node("a")]
    controller.look()
    controller.tested("a", tested_at=stamp(controller.now + 5))
    controller.look()
    controller.now += 30
    controller.nodes = [node("a", instance_id=None)]
    controller.look()
    assert len(controller.started) == 1
    controller.nodes = [node("a", instance_id="i-other")]
    controller.look()
    controller.look()
    assert [nodes for _, nodes, _ in controller.started] == [["a"], ["a"]]


def test_an_instance_that_an_operator_has_tested_is_not_tested_again(
    controller: Controller,
) -> None:
    controller.nodes = [node("a")]
    controller.look()
    controller.tested("a", tested_at=stamp(controller.now + 5))
    controller.now += 30
    controller.nodes = [node("a", instance_id="i-other")]
    at = stamp(controller.now - 5)
    controller.tested("a", "rejected", instance_id="i-other", tested_at=at)
    controller.look()
    assert len(controller.started) == 1


def test_a_lost_node_is_tested_once_by_the_next_controller(controller: Controller) -> None:
    """Its announcement is lost with the controller, and the record names no boot to compare."""
    lost = {"instance_id": None, "boot_id": None, "tested_at": stamp(controller.now - 5)}
    controller.tested("a", "rejected", **lost)
    controller.tested("b", "rejected", boot_id="5ce2", tested_at=stamp(controller.now - 5))
    controller.nodes = [node("a"), node("b")]
    controller.look()
    assert [nodes for _, nodes, _ in controller.started] == [["a"]]
    controller.tested("a", "rejected", **{**lost, "tested_at": stamp(controller.now + 5)})
    controller.now += 60
    controller.look()
    assert len(controller.started) == 1


@pytest.mark.parametrize("former", [BOOT, "2026-11-23T07:00:00Z"])
def test_an_instance_is_tested_when_its_own_slurmd_has_started(
    controller: Controller, former: str
) -> None:
    """A test of the one before would wait for it, and be counted against the new instance."""
    controller.tested("a")
    for name in ("i-a", "i-other", "i-other"):
        controller.nodes = [node("a", instance_id=name, slurmd_start_time=former)]
        controller.look()
    assert (controller.reserved, controller.started) == (["a"], [])
    controller.nodes = [node("a", instance_id="i-other", slurmd_start_time=stamp(controller.now))]
    controller.look()
    assert [nodes for _, nodes, _ in controller.started] == [["a"]]


def test_an_instance_that_is_listed_after_its_slurmd_started_is_tested(
    controller: Controller,
) -> None:
    """It was drained, so its boot is not announced."""
    controller.tested("a")
    started = {"slurmd_start_time": stamp(controller.now - 30)}
    controller.nodes = [node("a", states=["IDLE", "DRAIN"], reason="disk", **started)]
    controller.look()
    controller.nodes = [node("a", instance_id="i-other", **started)]
    controller.look()
    assert [nodes for _, nodes, _ in controller.started] == [["a"]]


def test_an_announced_boot_is_that_of_the_instance_in_the_list(controller: Controller) -> None:
    controller.tested("a", instance_id="i-former", tested_at=stamp(controller.now))
    controller.nodes = [{**announced("a", stamp(controller.now)), "slurmd_start_time": BOOT}]
    controller.look()
    controller.nodes = [node("a", slurmd_start_time=BOOT)]
    controller.look()
    assert [nodes for _, nodes, _ in controller.started] == [["a"]]


def test_an_instance_waits_for_its_slurmd_for_a_limited_time(controller: Controller) -> None:
    controller.tested("a")
    controller.nodes = [node("a", instance_id="i-other", slurmd_start_time=BOOT)]
    controller.look()
    controller.now += hold.FORMER_SECONDS - 1
    controller.look()
    assert controller.started == []
    controller.now += 2
    controller.look()
    assert [nodes for _, nodes, _ in controller.started] == [["a"]]


def test_a_node_without_a_partition_is_not_tested(controller: Controller) -> None:
    """No job of a test starts there, so it would be tried again every minute."""
    controller.nodes = [node("a"), node("login", partitions=[])]
    controller.look()
    assert [nodes for _, nodes, _ in controller.started] == [["a"]]


def test_one_run_at_a_time(controller: Controller) -> None:
    path = controller.folder / "wanted/20261123T080000Z-1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"nodes": []}))
    controller.nodes = [node("a")]
    controller.look()
    assert controller.started == []
