"""The step that configures the accounting database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.nodes.world import World


def test_accounts_and_users_are_added_on_the_controller(world: Callable[..., World]) -> None:
    node = world("controller-1")
    assert node.run().statuses()["slurm_accounts"] == "applied"
    assert ["research", ""] in node.state["associations"]
    assert ["research", "ada"] in node.state["associations"]
    assert world("workers-1").run().end_of("slurm_accounts")["hint"] == "the controller does it"


def test_accounts_added_by_others_are_kept(world: Callable[..., World]) -> None:
    rows = [["root", ""], ["research", ""], ["physics", ""], ["physics", "bob"]]
    node = world("controller-1", associations=rows)
    node.run()
    assert node.state["associations"] == [*rows, ["research", "ada"]]


def test_late_database_is_awaited(world: Callable[..., World]) -> None:
    event = {"at": 60, "path": ["slurmdbd_up"], "value": True}
    node = world("controller-1", slurmdbd_up=False, events=[event])
    node.edit("cluster.json", lambda c: c["slurm"].update(qos=[]))
    run = node.run()
    assert run.statuses()["slurm_accounts"] == "applied"
    assert run.end_of("slurm_accounts")["seconds"] == 60


def test_unreachable_database_fails(world: Callable[..., World]) -> None:
    node = world("controller-1", slurmdbd_up=False)
    node.edit("cluster.json", lambda c: c["slurm"].update(qos=[]))
    run = node.run()
    assert run.code == 1
    assert "not done after 600 s: the accounting database does not respond" in run.last
    assert "slurmdbd" in run.last


def test_a_controller_that_is_down_is_reported(world: Callable[..., World]) -> None:
    node = world("controller-1", controller_up=False)
    node.edit("cluster.json", lambda c: c["containers"].update(pyxis=False))
    assert "slurmctld does not respond" in node.run().last


def test_step_is_skipped_without_accounts(world: Callable[..., World]) -> None:
    node = world("controller-1")
    node.edit("cluster.json", lambda c: c["users"][0].update(slurm_account=None))
    node.edit("cluster.json", lambda c: c["slurm"].update(accounts=[]))
    assert node.run().end_of("slurm_accounts")["hint"] == "no user has a Slurm account"


def test_shares_limits_and_qos_are_configured(world: Callable[..., World]) -> None:
    def edit(cluster: Any) -> None:
        cluster["slurm"]["accounts"] = [
            {"name": "research", "fair_share": 10, "max_nodes": 6, "qos": ["high"]}
        ]

    node = world("controller-1", "scripted")
    node.edit("cluster.json", edit)
    assert node.run().code == 0
    values = node.state["association_values"]
    assert values["research|"] == {"fairshare": "10", "grptres": "node=6", "qos": "high"}
    assert node.run().machine.points == []
    node.edit("cluster.json", lambda c: c["slurm"]["accounts"][0].update(max_nodes=None))
    assert node.run().statuses()["slurm_accounts"] == "applied"
    assert node.state["association_values"]["research|"]["grptres"] == ""


def test_account_without_qos_can_use_every_qos(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.edit("cluster.json", lambda c: c["slurm"].update(accounts=[]))
    node.run()
    assert node.state["association_values"]["research|"] == {"qos": "high,normal"}


def test_default_user_of_the_image_has_an_account(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.run()
    assert ["default", "ubuntu"] in node.state["associations"]
    managed = world("controller-1")
    managed.run()
    assert ["default", "ubuntu"] not in managed.state["associations"]
