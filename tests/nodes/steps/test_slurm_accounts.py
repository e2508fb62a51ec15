"""The step that fills the accounting database."""

from __future__ import annotations

from collections.abc import Callable

from tests.nodes.world import World


def test_accounts_and_users_are_added_on_the_controller(world: Callable[..., World]) -> None:
    node = world("controller-1")
    assert node.run().statuses()["slurm_accounts"] == "applied"
    assert ["research", ""] in node.state["associations"]
    assert ["research", "ada"] in node.state["associations"]
    assert world("workers-1").run().end_of("slurm_accounts")["hint"] == "the controller does it"


def test_what_others_have_added_stays(world: Callable[..., World]) -> None:
    rows = [["root", ""], ["research", ""], ["physics", ""], ["physics", "bob"]]
    node = world("controller-1", associations=rows)
    node.run()
    assert node.state["associations"] == [*rows, ["research", "ada"]]


def test_a_database_that_comes_late_is_waited_for(world: Callable[..., World]) -> None:
    event = {"at": 60, "path": ["slurmdbd_up"], "value": True}
    run = world("controller-1", slurmdbd_up=False, events=[event]).run()
    assert run.statuses()["slurm_accounts"] == "applied"
    assert run.end_of("slurm_accounts")["seconds"] == 60


def test_a_database_that_never_comes_fails(world: Callable[..., World]) -> None:
    run = world("controller-1", slurmdbd_up=False).run()
    assert run.code == 1
    assert "not done after 600 s: the accounting database does not answer" in run.last
    assert "slurmdbd" in run.last


def test_a_controller_that_is_down_is_said(world: Callable[..., World]) -> None:
    node = world("controller-1", controller_up=False)
    node.edit("cluster.json", lambda c: c["containers"].update(pyxis=False))
    assert "slurmctld does not answer" in node.run().last


def test_no_accounts_is_skipped(world: Callable[..., World]) -> None:
    node = world("controller-1")
    node.edit("cluster.json", lambda c: c["users"][0].update(slurm_account=None))
    assert node.run().end_of("slurm_accounts")["hint"] == "no user has a Slurm account"
