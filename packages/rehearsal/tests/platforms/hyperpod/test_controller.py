"""Slurm of a HyperPod cluster, by what is written and run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clusterwright_localaws.drivers import Member
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.databases import Database
from clusterwright_rehearsal.platforms.hyperpod.controller import Controller
from clusterwright_rehearsal.platforms.hyperpod.node import HyperPodNode
from clusterwright_rehearsal.platforms.hyperpod.slurm_files import FOLDER
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine
from packages.rehearsal.tests.platforms.hyperpod.orders import (
    ROLES,
    member,
    order,
    specification,
)

CONF = f"{FOLDER}/slurm.conf"
REMOTE = Database("db.rds", 3306, "acct", "slurm", "secret")


class Cluster:
    """A controller with some compute nodes, which can be changed."""

    def __init__(self, *workers: int) -> None:
        self.groups: list[Member] = [member(5, "controller"), *(member(n) for n in workers)]
        self.machine = FakeMachine()
        self.controller = Controller("Train", self._members, ROLES)
        self.node = HyperPodNode(
            self.machine,  # type: ignore[arg-type]
            order(5, "controller"),
            Path("/run"),
        )

    def _members(self) -> list[tuple[Member, Mapping[str, Any]]]:
        return [(each, specification(each.group_name)) for each in self.groups]

    @property
    def conf(self) -> str:
        return str(self.machine.files[CONF])


def test_roles_and_the_address() -> None:
    found = Cluster(6).controller
    assert found.role("workers") == "Compute"
    assert found.role("other") is None
    assert found.address == "10.0.0.5"


def test_a_cluster_without_a_controller_is_refused() -> None:
    cluster = Cluster()
    cluster.groups = [member(6)]
    with pytest.raises(RehearsalError, match="the cluster has no controller"):
        _ = cluster.controller.address


def test_every_node_has_the_same_key() -> None:
    cluster, other = Cluster(6), FakeMachine("ip-10-0-0-6")
    cluster.controller.give_key(cluster.node)
    cluster.controller.give_key(HyperPodNode(other, order(6), Path("/run")))  # type: ignore[arg-type]
    key = "/etc/munge/munge.key"
    assert cluster.machine.files[key] == other.files[key]
    assert len(cluster.machine.files[key]) == 1024


def test_configuration_files() -> None:
    cluster = Cluster(6, 7)
    cluster.controller.write_configuration(cluster.node, accounting=True)
    assert set(cluster.machine.files) == {CONF, f"{FOLDER}/gres.conf", f"{FOLDER}/cgroup.conf"}
    assert "ClusterName=train" in cluster.conf
    assert "ip-10-0-0-6" in cluster.conf
    assert "AccountingStorage" in cluster.conf
    assert "chown -R slurm:slurm" in cluster.machine.commands[-1]


class TestStart:
    def test_slurmdbd_comes_before_slurmctld(self) -> None:
        cluster = Cluster(6)
        cluster.controller.start(cluster.node, REMOTE)
        assert cluster.controller.ready.is_set()
        cluster.controller.wait(0.0)
        commands = cluster.machine.commands
        order_ = [
            next(i for i, text in enumerate(commands) if word in text)
            for word in ("--now slurmdbd", "add cluster train", "--now slurmctld")
        ]
        assert order_ == sorted(order_)
        conf = str(cluster.machine.files[f"{FOLDER}/slurmdbd.conf"])
        assert "StorageHost=db.rds" in conf
        assert cluster.machine.modes[f"{FOLDER}/slurmdbd.conf"] == 0o600
        assert not any("mariadb" in text for text in commands)

    def test_without_a_database_one_runs_on_the_controller(self) -> None:
        cluster = Cluster(6)
        cluster.controller.start(cluster.node, None)
        assert cluster.machine.commands[0].startswith("systemctl start mariadb")
        assert "StorageHost=localhost" in str(cluster.machine.files[f"{FOLDER}/slurmdbd.conf"])

    def test_waiting_ends_with_an_error(self) -> None:
        with pytest.raises(RehearsalError, match="the controller was not ready in 0 s"):
            Cluster(6).controller.wait(0.0)


@pytest.mark.parametrize(
    ("method", "daemon", "variable"),
    [("start_slurmd", "slurmd", "SLURMD_OPTIONS"), ("start_login", "sackd", "SACKD_OPTIONS")],
)
def test_other_nodes_read_the_controllers_configuration(
    method: str, daemon: str, variable: str
) -> None:
    cluster, machine = Cluster(6), FakeMachine("ip-10-0-0-6")
    node = HyperPodNode(machine, order(6), Path("/run"))  # type: ignore[arg-type]
    getattr(cluster.controller, method)(node)
    assert machine.files == {
        f"/etc/default/{daemon}": f'{variable}="--conf-server 10.0.0.5:6817"\n'
    }
    assert f"systemctl enable -q --now {daemon}" in machine.commands[0]
    assert any("show node ip-10-0-0-6" in text for text in machine.commands) is (
        daemon == "slurmd"
    )


class TestUpdate:
    def started(self) -> Cluster:
        cluster = Cluster(6)
        cluster.controller.write_configuration(cluster.node, accounting=True)
        cluster.controller.start(cluster.node, REMOTE)
        cluster.machine.answers[f"cat {CONF}"] = (0, cluster.conf)
        cluster.machine.commands.clear()
        return cluster

    def test_new_nodes_are_added_and_slurm_reads_them(self) -> None:
        cluster = self.started()
        cluster.groups.append(member(7))
        cluster.controller.update_nodes()
        assert "ip-10-0-0-7" in cluster.conf
        assert "scontrol reconfigure" in cluster.machine.commands[-1]

    def test_without_a_change_nothing_is_written(self) -> None:
        cluster = self.started()
        cluster.controller.update_nodes()
        assert cluster.machine.commands == [f"cat {CONF}"]

    def test_a_controller_that_is_down_is_left_alone(self) -> None:
        cluster = self.started()
        cluster.machine.up = False
        cluster.controller.update_nodes()
        assert cluster.machine.commands == []

    def test_in_the_scripted_configuration_the_whole_file_is_written(self) -> None:
        cluster = Cluster(6)
        cluster.controller.rewrite_configuration()
        assert cluster.machine.files == {}
        cluster.controller.write_configuration(cluster.node, accounting=False)
        cluster.machine.files.clear()
        cluster.controller.rewrite_configuration()
        assert cluster.machine.files == {}
        cluster.groups.append(member(7))
        cluster.controller.rewrite_configuration()
        assert "ip-10-0-0-7" in cluster.conf


class TestReservations:
    def test_node_is_reserved_and_released(self) -> None:
        cluster = Cluster(6)
        cluster.controller.write_configuration(cluster.node, accounting=True)
        cluster.controller.reserve("ip-10-0-0-6")
        cluster.controller.release("ip-10-0-0-6")
        assert cluster.machine.commands[-2:] == [
            "scontrol create reservation ReservationName=sagemaker-deep-health-check-ip-10-0-0-6"
            " Nodes=ip-10-0-0-6 StartTime=now Duration=infinite Users=root"
            " Flags=MAINT,IGNORE_JOBS",
            "scontrol delete ReservationName=sagemaker-deep-health-check-ip-10-0-0-6",
        ]

    def test_node_with_a_job_is_known(self) -> None:
        cluster = Cluster(6)
        assert not cluster.controller.has_job("ip-10-0-0-6")
        cluster.controller.write_configuration(cluster.node, accounting=True)
        assert not cluster.controller.has_job("ip-10-0-0-6")
        cluster.machine.answers["squeue"] = (0, "17\n")
        assert cluster.controller.has_job("ip-10-0-0-6")

    def test_cluster_without_a_controller_is_refused(self) -> None:
        with pytest.raises(RehearsalError, match="no Slurm controller"):
            Cluster(6).controller.reserve("ip-10-0-0-6")
