"""One cluster of AWS PCS: instances of orders, lost instances, scaling, suspension."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.drivers import PcsInstance, PcsOrder
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.pcs import cluster as module
from clusterwright_rehearsal.platforms.pcs.cluster import RunningCluster
from clusterwright_rehearsal.platforms.pcs.members import Member
from clusterwright_rehearsal.platforms.pcs.settings import Settings
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine
from packages.rehearsal.tests.platforms.pcs.orders import group, member, order


class FakeController:
    """A controller without a machine."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.asked: dict[str, list[str]] = {}
        self.found: dict[str, str] = {}

    def apply(self, order: PcsOrder) -> None:
        self.done.append("apply")

    def suspend(self) -> None:
        self.done.append("suspend")

    def end(self) -> None:
        self.done.append("end")

    def run(self, command: str) -> str:
        self.done.append(command)
        return ""

    def take(self, name: str) -> list[str]:
        return self.asked.pop(name, [])

    def states(self) -> dict[str, str]:
        return self.found


class Site:
    """A cluster whose order and calls are kept; nodes are running at once."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.order = order(groups=(group(least=2),))
        self.controller = FakeController()
        self.events: list[tuple[str, str]] = []
        self.launched: list[dict[str, set[int]]] = []
        self.machines: dict[str, FakeMachine] = {}
        self.failure: Exception | None = None
        vpc = Mock(folder=folder)
        vpc.machine.side_effect = lambda name, *_: self.machines.setdefault(
            name, FakeMachine(name)
        )
        monkeypatch.setattr(module, "Controller", lambda *_: self.controller)
        monkeypatch.setattr(module, "members", lambda _, found: list(self.members(found)))
        monkeypatch.setattr(module, "current_order", lambda *_: self.order)
        monkeypatch.setattr(module, "running_instances", lambda *_: self.running())
        monkeypatch.setattr(module, "end_nodes", self.end_nodes)
        monkeypatch.setattr(module, "launch_nodes", self.launch_nodes)
        settings = Settings(detection_s=0.0, failed_launches=2)
        record: Callable[..., None] = lambda event, one, **_: self.events.append(  # noqa: E731
            (event, one.instance_id)
        )
        self.cluster = RunningCluster(Mock(), self.order, Mock(), vpc, settings, record)
        monkeypatch.setattr(self.cluster, "_boot", lambda _: None)
        monkeypatch.setattr(self.cluster, "_run_agent", self.run_agent)

    def running(self) -> frozenset[str] | None:
        if not self.order.is_up:
            return None
        return frozenset(one.instance_id for each in self.order.groups for one in each.instances)

    def run_agent(self, node: Any, **_: Any) -> None:
        if self.failure is not None:
            raise self.failure

    def members(self, found: PcsOrder) -> list[Member]:
        return [
            member(
                name=one.name,
                group_name=each.name,
                group_id=each.id,
                number=one.number,
                is_static=one.number <= 2,
                instance_id=one.instance_id,
            )
            for each in found.groups
            for one in each.instances
        ]

    def launch_nodes(
        self, _: Any, account: str, region: str, cluster: str, numbers: dict[str, set[int]]
    ) -> PcsOrder:
        self.launched.append(numbers)
        (only,) = self.order.groups
        more = [
            PcsInstance(f"i-new{number}", number, f"workers-{number}")
            for number in numbers["pcs_workers"]
        ]
        return self.change((*only.instances, *more))

    def end_nodes(
        self, _: Any, account: str, region: str, cluster: str, ids: list[str]
    ) -> PcsOrder:
        (only,) = self.order.groups
        return self.change(tuple(one for one in only.instances if one.instance_id not in ids))

    def change(self, instances: tuple[PcsInstance, ...]) -> PcsOrder:
        (only,) = self.order.groups
        self.order = dataclasses.replace(
            self.order, groups=(dataclasses.replace(only, instances=instances),)
        )
        return self.order

    def apply(self) -> None:
        self.cluster.apply(self.order)
        self.wait()

    def wait(self) -> None:
        ends = time.monotonic() + 5
        while any(node.phase in ("created", "booting") for node in self.cluster.nodes()):
            assert time.monotonic() < ends
            time.sleep(0.01)

    def ids(self) -> dict[str, str]:
        return {node.order.name: node.order.instance_id for node in self.cluster.nodes()}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(tmp_path, monkeypatch)


def test_instances_of_an_order_become_nodes_and_others_are_removed(site: Site) -> None:
    site.apply()
    assert site.ids() == {"workers-1": "i-workers1", "workers-2": "i-workers2"}
    assert ("running", "i-workers1") in site.events
    site.change(site.order.groups[0].instances[:1])
    site.apply()
    assert site.ids() == {"workers-1": "i-workers1"}
    assert site.machines["workers-2"].events == ["remove"]


def test_lost_static_instance_is_launched_again(site: Site) -> None:
    site.apply()
    site.machines["workers-1"].up = False
    site.machines.pop("workers-1")
    site.cluster.look()
    site.wait()
    assert site.launched == [{"pcs_workers": {1}}]
    assert site.ids()["workers-1"] == "i-new1"
    assert ("lost", "i-workers1") in site.events
    down = "scontrol update nodename=workers-1 state=down reason='the instance was lost'"
    assert down in site.controller.done, "a job on it is requeued"


def test_launch_that_ec2_refuses_is_tried_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> Any:
        error = {"Code": "InsufficientInstanceCapacity", "Message": "none left"}
        raise ClientError({"Error": error}, "RunInstances")

    site.apply()
    site.machines.pop("workers-1").up = False
    monkeypatch.setattr(module, "launch_nodes", refuse)
    for _ in range(2):
        site.cluster.look()
    assert site.ids() == {"workers-2": "i-workers2"}
    monkeypatch.setattr(module, "launch_nodes", site.launch_nodes)
    for _ in range(2):
        site.cluster.look()
        site.wait()
    assert site.launched == [{"pcs_workers": {1}}]
    assert site.ids()["workers-1"] == "i-new1"


def test_lost_node_of_a_group_that_became_smaller_is_not_launched(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> Any:
        raise ClientError({"Error": {"Code": "InsufficientInstanceCapacity"}}, "RunInstances")

    site.apply()
    site.machines.pop("workers-2").up = False
    monkeypatch.setattr(module, "launch_nodes", refuse)
    site.cluster.look()
    smaller = order(groups=(group(least=1),))
    site.order = smaller
    site.cluster.apply(smaller)
    monkeypatch.setattr(module, "launch_nodes", site.launch_nodes)
    site.cluster.look()
    site.wait()
    assert site.launched == []


def test_lost_node_is_not_forgotten_if_the_configuration_fails(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.apply()
    site.machines.pop("workers-1").up = False
    apply = site.cluster.apply

    def fail(_: PcsOrder) -> None:
        monkeypatch.setattr(site.cluster, "apply", apply)
        raise RehearsalError("scontrol reconfigure failed")

    monkeypatch.setattr(site.cluster, "apply", fail)
    with pytest.raises(RehearsalError):
        site.cluster.look()
    site.cluster.look()
    site.wait()
    assert site.launched == [{"pcs_workers": {1}}]


@pytest.mark.parametrize("before", ["", "2026-11-27T10:00:00"])
def test_the_instance_after_another_says_that_it_has_booted(
    site: Site, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    """Acceptance compares the time: a start of slurmd alone is no other instance."""
    agent, node = Mock(), Mock()
    node.bootstrap.return_value = None
    monkeypatch.setattr(module, "Agent", lambda *_, **__: agent)
    monkeypatch.setattr(module.reachability, "blocked", lambda *_: None)
    monkeypatch.setattr(site.cluster, "_join", lambda *_: None)
    controller = Mock(slurmd_started=lambda _: before)
    monkeypatch.setattr(site.cluster, "_controller", controller)
    RunningCluster._run_agent(site.cluster, node, is_first_boot=True)
    agent.start_slurmd.assert_called_once_with(says_booted=bool(before))
    assert controller.run.call_count == 1, "the node returns to service"


def test_drained_node_stays_drained_after_a_reboot(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, controller = Mock(), Mock(slurmd_started=lambda _: "2026-11-27T10:00:00")
    node.bootstrap.return_value = None
    monkeypatch.setattr(module, "Agent", Mock())
    monkeypatch.setattr(module.reachability, "blocked", lambda *_: None)
    monkeypatch.setattr(site.cluster, "_join", lambda *_: None)
    monkeypatch.setattr(site.cluster, "_controller", controller)
    RunningCluster._run_agent(site.cluster, node, is_first_boot=False)
    controller.run.assert_not_called()


def test_silent_slurmd_is_lost_too(site: Site) -> None:
    site.apply()
    site.controller.found = {"workers-1": "idle", "workers-2": "down*"}
    site.cluster.look()
    assert site.launched == [{"pcs_workers": {2}}]


def test_instance_that_reboots_is_started_again(site: Site) -> None:
    site.apply()
    site.machines["workers-1"].reboots = True
    site.machines["workers-1"].up = False
    site.cluster.look()
    site.wait()
    assert site.machines["workers-1"].events[-1] == "reboot"
    assert site.launched == []


def test_instance_terminated_in_ec2_is_noticed(site: Site) -> None:
    site.apply()
    site.change(site.order.groups[0].instances[1:])
    site.cluster.look()
    assert site.machines["workers-1"].events == ["crash"]


def test_slurm_asks_for_a_node_and_gives_it_back(site: Site) -> None:
    site.apply()
    site.controller.asked = {"resume": ["workers-3", "unknown-1"]}
    site.cluster.look()
    site.wait()
    assert site.launched == [{"pcs_workers": {3}}]
    assert site.ids()["workers-3"] == "i-new3"
    site.controller.asked = {"suspend": ["workers-3"]}
    site.cluster.look()
    assert "workers-3" not in site.ids()
    site.cluster.look()
    assert site.launched == [{"pcs_workers": {3}}], "it is not static"


def test_node_that_slurm_suspends_while_it_becomes_static_is_launched_again(site: Site) -> None:
    """The minimum of its group was raised after Slurm's request."""
    larger = group(least=2)
    site.order = order(groups=(dataclasses.replace(group(least=1), instances=larger.instances),))
    site.apply()
    site.order = order(groups=(larger,))
    site.controller.asked = {"suspend": ["workers-2"]}
    site.cluster.look()
    site.wait()
    assert site.launched == [{"pcs_workers": {2}}]
    assert site.ids()["workers-2"] == "i-new2"


def test_lost_instance_of_a_job_is_powered_down_in_slurm(site: Site) -> None:
    site.apply()
    site.controller.asked = {"resume": ["workers-3"]}
    site.cluster.look()
    site.wait()
    site.machines["workers-3"].up = False
    site.cluster.look()
    assert "scontrol update nodename=workers-3 state=power_down_force" in site.controller.done
    assert len(site.launched) == 1


def test_node_that_fails_too_often_is_given_up(site: Site) -> None:
    site.change(site.order.groups[0].instances[:1])
    site.failure = RehearsalError("no Slurm")
    site.apply()
    for _ in range(3):
        site.cluster.look()
        site.wait()
    assert len(site.launched) == 1, "two launches in all"
    assert [event for event, _ in site.events].count("failed") == 2


def test_suspended_cluster_has_no_machines(site: Site) -> None:
    site.apply()
    site.order = dataclasses.replace(site.order, is_up=False)
    site.cluster.apply(site.order)
    assert site.controller.done[-1] == "suspend"
    assert site.cluster.nodes() == []
    site.cluster.look()
    assert site.launched == []


def test_deleted_cluster_has_no_controller(site: Site) -> None:
    site.apply()
    site.cluster.end()
    assert site.controller.done[-1] == "end"
    assert site.cluster.nodes() == []
