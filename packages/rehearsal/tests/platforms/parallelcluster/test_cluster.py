"""A running cluster: numbers of nodes, relaunches, and what clustermgtd replaces."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_localaws.drivers import ClusterOrder
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.machines import MachineDown
from clusterwright_rehearsal.platforms.parallelcluster.cluster import (
    PROTECTED,
    RunningCluster,
    _launch_options,
)
from clusterwright_rehearsal.platforms.parallelcluster.cluster_nodes import ClusterNode
from clusterwright_rehearsal.platforms.parallelcluster.node import ActionFailed
from clusterwright_rehearsal.platforms.parallelcluster.settings import Settings
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine

ORDER = ClusterOrder("111122223333", "eu-west-1", "train", {}, "/aws/parallelcluster/train")


def member(number: int = 1, *, kind: str = "ComputeFleet", group: str = "workers") -> ClusterNode:
    compute = kind == "ComputeFleet"
    return ClusterNode(
        name=f"{group}-{number}",
        group_name=group,
        node_type=kind,
        host=f"training-st-{group}-{number}" if compute else f"ip-10-0-0-{number}",
        instance_id=f"i-{group}-{number}",
        instance_type="p5.48xlarge",
        address=f"10.0.0.{number}",
        subnet_id="subnet-1",
        zone_name="eu-west-1a",
        image_id="ami-1",
        role_arn="arn:role",
        actions={},
        ephemeral_dir="/scratch",
        queue="training" if compute else "",
        resource=group if compute else "",
    )


class Cluster(RunningCluster):
    """A cluster whose machines are fakes, and whose events are a list."""

    def __init__(self, **settings: Any) -> None:
        self.events: list[str] = []
        self.vpc: Any = Mock()
        self.terminated: list[str] = []
        super().__init__(
            ORDER,
            Mock(client=self._client),
            self.vpc,
            Settings(**settings),
            lambda event, *_, **__: self.events.append(event),
        )
        self.relaunches: list[str] = []
        self.relaunch_failures: list[Exception] = []
        self.head = self.add(member(9, kind="HeadNode", group="head"))

    def _client(self, service: str) -> Any:
        assert service == "ec2"
        instances = [{"InstanceId": one} for one in self.terminated]
        pages = [{"Reservations": [{"Instances": instances}]}]
        return Mock(get_paginator=lambda _: Mock(paginate=lambda **_: pages))

    def add(self, one: ClusterNode, *, up: bool = True, phase: str = "running") -> Any:
        machine = FakeMachine(one.host, up=up)
        node = SimpleNamespace(
            machine=machine,
            order=one,
            phase=phase,
            timings={},
            must=lambda command: machine.run(command).stdout,
        )
        self._nodes[one.name] = node  # type: ignore[assignment]
        return node

    def _relaunch(self, node: Any, reason: str) -> None:
        self.relaunches.append(f"{node.machine.name}: {reason}")
        if self.relaunch_failures:
            raise self.relaunch_failures.pop(0)


class TestNumbers:
    def test_new_nodes_get_unused_numbers(self) -> None:
        cluster = Cluster()
        cluster.add(member(1))
        cluster.add(member(3))
        found = cluster._numbered([member(1), member(1), member(1, kind="LoginNode", group="l")])
        assert [node.name for node in found] == ["workers-2", "workers-4", "l-1"]
        assert [node.host for node in found] == [
            "training-st-workers-2",
            "training-st-workers-4",
            "ip-10-0-0-1",
        ]


class TestUnhealthy:
    def test_a_lost_node_after_the_time_of_detection(self) -> None:
        cluster = Cluster(detection_s=0.0)
        lost = cluster.add(member(1), up=False)
        assert cluster._unhealthy_reason(lost, {}) == "instance is terminated"
        patient = Cluster(detection_s=3600.0)
        assert patient._unhealthy_reason(patient.add(member(1), up=False), {}) is None

    def test_an_instance_that_somebody_terminated(self) -> None:
        cluster = Cluster(detection_s=0.0)
        cluster._pool = Mock(submit=lambda work, *arguments: work(*arguments))
        node, login = cluster.add(member(1)), cluster.add(member(2, kind="LoginNode", group="l"))
        cluster.terminated = [node.order.instance_id, login.order.instance_id, "i-other"]
        cluster.replace_unhealthy_nodes()
        assert cluster.relaunches == ["training-st-workers-1: instance is terminated"]
        assert login.machine.is_up()

    def test_a_drained_node_that_was_running(self) -> None:
        cluster = Cluster()
        states = {"training-st-workers-1": "drained"}
        node = cluster.add(member(1))
        assert cluster._unhealthy_reason(node, states) == "node state is drained"
        node.phase = "scripts"
        assert cluster._unhealthy_reason(node, states) is None

    def test_a_state_from_before_the_node_ran_does_not_count(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A node starts while its state is read: slurmctld has still shown it as down."""
        cluster = Cluster()
        cluster._pool = Mock(submit=lambda work, *arguments: work(*arguments))
        node = cluster.add(member(1), phase="scripts")

        def drained() -> dict[str, str]:
            node.phase = "running"
            return {"training-st-workers-1": "down"}

        monkeypatch.setattr(cluster, "_drained", drained)
        cluster.replace_unhealthy_nodes()
        assert cluster.relaunches == []
        cluster.replace_unhealthy_nodes()
        assert cluster.relaunches == ["training-st-workers-1: node state is down"]

    def test_states_of_slurm(self) -> None:
        cluster = Cluster()
        listed = "a idle\nb drained*\nc down~\nd draining\ne mixed\nbroken\nf drained@\ng down^\n"
        cluster.head.machine.answers["sinfo"] = (0, listed)
        assert cluster._drained() == {"b": "drained*", "c": "down~"}

    def test_a_node_that_reboots_is_started_again(self) -> None:
        cluster = Cluster(detection_s=0.0)
        node = cluster.add(member(1), up=False)
        node.machine.reboots = True
        placed: list[str] = []
        node.place_action = lambda event, _: placed.append(event)
        cluster._pool = Mock(submit=lambda work, *arguments: work(*arguments))
        cluster.replace_unhealthy_nodes()
        assert node.machine.events == ["stop", "boot"]
        assert node.machine.files == {
            "/etc/default/slurmd": 'SLURMD_OPTIONS="-b -N training-st-workers-1"\n'
        }
        assert placed == ["OnNodeConfigured"]
        assert (node.phase, cluster._busy, cluster.relaunches) == ("running", set(), [])
        assert cluster.events == ["reboot"]

    def test_without_the_head_node_nothing_is_known(self) -> None:
        cluster = Cluster()

        def down(_: str) -> None:
            raise MachineDown("down")

        cluster.head.machine.run = down
        assert cluster._drained() == {}
        cluster._nodes.clear()
        with pytest.raises(RehearsalError, match="the cluster has no head node"):
            cluster._head()

    def test_only_compute_nodes_are_replaced_and_each_once(self) -> None:
        cluster = Cluster(detection_s=0.0)
        cluster.add(member(1), up=False)
        cluster.add(member(2))
        cluster.add(member(3), up=False)
        cluster.add(member(1, kind="LoginNode", group="login"), up=False)
        cluster._given_up.add("training-st-workers-3")
        submitted: list[Any] = []
        cluster._pool = Mock(submit=lambda _, node, reason: submitted.append((node, reason)))
        cluster.replace_unhealthy_nodes()
        cluster.replace_unhealthy_nodes()
        assert [(node.order.name, reason) for node, reason in submitted] == [
            ("workers-1", "instance is terminated")
        ]


class TestRelaunch:
    def test_a_failed_node_is_launched_again_until_it_starts(self) -> None:
        cluster = Cluster(launches=3)
        node = cluster.add(member(1))
        cluster.relaunch_failures = [RehearsalError("again")]
        assert cluster._relaunch_failed(node) == ""
        assert len(cluster.relaunches) == 2
        assert cluster._given_up == set()

    def test_at_most_the_number_of_launches(self) -> None:
        cluster = Cluster(launches=3)
        node = cluster.add(member(1))
        cluster.relaunch_failures = [RehearsalError("first"), OSError("second")]
        assert cluster._relaunch_failed(node) == "second"
        assert cluster._given_up == {"training-st-workers-1"}
        assert node.machine.events == ["stop"]

    def test_such_a_node_can_be_started_again(self) -> None:
        cluster = Cluster(detection_s=0.0)
        cluster._pool = Mock(submit=lambda work, *arguments: work(*arguments))
        for number in (1, 2):
            cluster.add(member(number), up=False)
            cluster._given_up.add(f"training-st-workers-{number}")
        cluster.replace_unhealthy_nodes()
        assert cluster.relaunches == []
        cluster.start_again("training-st-workers-1")
        cluster.replace_unhealthy_nodes()
        assert cluster.relaunches == ["training-st-workers-1: instance is terminated"]

    def test_why_a_node_failed_is_printed(self, capsys: pytest.CaptureFixture[str]) -> None:
        cluster = Cluster(launches=2)
        node = cluster.add(member(1))
        cluster.relaunch_failures = [RehearsalError("no disk"), RehearsalError("no network")]
        cluster._replace(node, "it is lost")
        assert capsys.readouterr().out.splitlines() == [
            "clustermgtd: training-st-workers-1: no disk",
            "clustermgtd: no further launches of training-st-workers-1: no network",
        ]

    def test_a_replacement_ends_its_turn(self) -> None:
        cluster = Cluster()
        node = cluster.add(member(1))
        cluster._busy.add("training-st-workers-1")
        cluster._replace(node, "it is lost")
        assert cluster.relaunches == ["training-st-workers-1: it is lost"]
        assert cluster._busy == set()


class TestOutcome:
    def outcome(self, cluster: Cluster, one: ClusterNode, work: Callable[[], None]) -> str:
        return cluster._outcome(one, cluster._pool.submit(work))

    def failing(self) -> None:
        raise RehearsalError("no disk")

    def test_a_started_node_has_none(self) -> None:
        assert self.outcome(Cluster(), member(1), lambda: None) == ""

    def test_a_login_node_fails_the_cluster(self) -> None:
        login = member(1, kind="LoginNode", group="login")
        text = self.outcome(Cluster(), login, self.failing)
        assert text == "login node ip-10-0-0-1: no disk"

    def test_a_compute_node_that_never_starts_protects_the_cluster(self) -> None:
        cluster = Cluster(launches=2)
        cluster.add(member(1))
        cluster.relaunch_failures = [RehearsalError("still no disk")]
        text = self.outcome(cluster, member(1), self.failing)
        assert text == f"{PROTECTED} training-st-workers-1: still no disk"

    def test_one_that_starts_the_second_time_does_not(self) -> None:
        cluster = Cluster(launches=2)
        cluster.add(member(1))
        assert self.outcome(cluster, member(1), self.failing) == ""


@pytest.mark.parametrize(("event", "text"), [("OnNodeUpdated", "no"), ("OnNodeConfigured", "no")])
def test_a_failed_action_of_the_head_node(event: str, text: str) -> None:
    cluster = Cluster()

    def fails(*_: Any) -> None:
        raise ActionFailed(text)

    cluster._run_action = fails  # type: ignore[method-assign]
    found = cluster._head_action(cluster.head, event)
    assert text in found
    assert (found == text) is (event == "OnNodeUpdated")
    assert cluster.head.phase == "failed"
    assert cluster.events == ["failed"]


def test_a_removed_node_is_deleted() -> None:
    cluster = Cluster()
    node = cluster.add(member(1))
    cluster._remove_node(node)
    assert node.machine.events == ["remove"]
    assert cluster.events == ["deleted"]
    assert cluster.nodes() == [cluster.head]
    cluster.vpc.metadata.remove.assert_called_once_with("10.0.0.1")


def test_the_end_removes_every_machine() -> None:
    cluster = Cluster()
    nodes = [cluster.head, cluster.add(member(1))]
    cluster.end()
    assert [node.machine.events for node in nodes] == [["remove"], ["remove"]]
    assert cluster.nodes() == []


def test_the_instance_in_the_metadata_service() -> None:
    found = Cluster()._instance(member(1))
    assert found.host_name == "training-st-workers-1.eu-west-1.compute.internal"
    assert (found.account, found.region, found.role_arn) == (
        "111122223333",
        "eu-west-1",
        "arn:role",
    )


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        ({}, {}),
        ({"Placement": {"GroupName": "g"}}, {"Placement": {"GroupName": "g"}}),
        ({"InstanceLifecycle": "spot"}, {"InstanceMarketOptions": {"MarketType": "spot"}}),
        (
            {"CapacityReservationId": "cr-1"},
            {
                "CapacityReservationSpecification": {
                    "CapacityReservationTarget": {"CapacityReservationId": "cr-1"}
                }
            },
        ),
    ],
)
def test_a_fresh_instance_is_launched_like_the_old_one(
    instance: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert _launch_options(instance) == expected


def test_a_node_is_registered_although_slurmctld_is_busy() -> None:
    cluster = Cluster()
    cluster._register_in_slurm(cluster.add(member()))
    command = "scontrol update nodename=training-st-workers-1 nodeaddr=10.0.0.1"
    assert cluster.head.machine.commands[-1].startswith("{ for i in ")
    assert command in cluster.head.machine.commands[-1]
