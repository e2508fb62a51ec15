"""The fourth mode, AWS PCS: identity of the node, who administers, and refused input."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from clusterwright_node import parallelcluster, slurm_later

from tests.nodes.world import World

LEFT_TO_PCS = {
    "acceptance_hold",
    "munge_key",
    "slurm_daemons",
    "slurm_database",
    "slurm_files",
    "slurm_follow",
    "slurm_scripts",
    "slurmdbd",
    "topology",
}
ONCE = {"cluster_state", "shared_folders", "slurm_administration"}


@pytest.mark.parametrize(("name", "role"), [("login-1", "login"), ("workers-1", "compute")])
def test_node_is_identified_by_its_instance_and_the_argument(
    world: Callable[..., World], name: str, role: str
) -> None:
    node = world(name, "pcs")
    ran = node.run()
    assert ran.code == 0, ran.text
    identity = json.loads((node.root / "var/lib/clusterwright/identity.json").read_text())
    assert identity["role"] == role
    assert identity["configuration"] == "pcs"
    assert identity["instance_id"].startswith("i-")


@pytest.mark.parametrize("name", ["login-1", "workers-1"])
def test_slurm_is_left_to_pcs_and_file_systems_are_mounted(
    world: Callable[..., World], name: str
) -> None:
    ran = world(name, "pcs").run()
    statuses = ran.statuses()
    assert {step for step, status in statuses.items() if status == "skipped"} >= LEFT_TO_PCS
    assert "AWS PCS writes slurm.conf" in ran.end_of("slurm_files")["hint"]
    assert statuses["lustre"] == statuses["home"] == statuses["slurm_programs"] == "applied"


def test_first_login_node_does_what_the_controller_does_elsewhere(
    world: Callable[..., World],
) -> None:
    nodes = [world(name, "pcs") for name in ("login-1", "workers-1")]
    for node in nodes:
        node.edit("cluster.json", lambda c: c.update(state_bucket="prod-state"))
    login, worker = (node.run() for node in nodes)
    assert {login.statuses()[step] for step in ONCE} == {"applied"}
    assert {worker.statuses()[step] for step in ONCE} == {"skipped"}


def test_steps_that_need_slurm_wait_for_it_in_a_service(world: Callable[..., World]) -> None:
    login = world("login-1", "pcs")
    ran = login.run()
    assert ran.statuses()["slurm_accounts"] == "skipped"
    assert slurm_later.UNIT in ran.end_of("slurm_accounts")["hint"]
    login.change(controller_up=True, database_up=True)
    later = login.run(only=slurm_later.STEPS)
    assert later.code == 0, later.text
    assert later.statuses()["slurm_accounts"] == "applied"


def test_health_programs_are_those_of_slurm(world: Callable[..., World]) -> None:
    node = world("workers-1", "pcs")
    node.run()
    for name in ("prolog", "epilog", "health_check"):
        assert (node.root / "opt/clusterwright/slurm" / name).exists()
    assert not (node.root / "etc/systemd/system/clusterwright-health.timer").exists()


@pytest.mark.parametrize("name", ["login-1", "workers-1"])
def test_second_run_changes_nothing(world: Callable[..., World], name: str) -> None:
    node = world(name, "pcs")
    assert node.run().code == 0
    second = node.run()
    assert set(second.statuses().values()) <= {"unchanged", "skipped"}
    assert second.machine.points == []


def test_compute_nodes_need_no_login_group_in_their_file(world: Callable[..., World]) -> None:
    """The scripts of a partition have only its groups."""
    node = world("workers-1", "pcs")
    node.edit(
        "cluster.json",
        lambda c: c.update(groups=[one for one in c["groups"] if one["role"] == "compute"]),
    )
    ran = node.run()
    assert ran.code == 0, ran.text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "name no group; expected one group"),
        (("workers", "login"), "name workers, login; expected one group"),
        (("unknown",), "the entry script's arguments name group unknown"),
    ],
)
def test_wrong_arguments_are_refused(
    world: Callable[..., World], words: tuple[str, ...], text: str
) -> None:
    node = world("workers-1", "pcs")
    node.groups = words
    ran = node.run()
    assert ran.code == 3
    assert text in ran.text


def test_machine_without_an_instance_is_refused(world: Callable[..., World]) -> None:
    node = world("workers-1", "pcs")
    (node.root / parallelcluster.INSTANCE_ID.lstrip("/")).unlink()
    ran = node.run()
    assert ran.code == 3
    assert "nothing is not an instance id" in ran.text


def test_controller_group_is_refused(world: Callable[..., World]) -> None:
    node = world("workers-1", "pcs")
    node.edit("cluster.json", lambda c: c["groups"][0].update(role="controller"))
    ran = node.run()
    assert ran.code == 3
    assert "AWS PCS runs slurmctld" in ran.text
