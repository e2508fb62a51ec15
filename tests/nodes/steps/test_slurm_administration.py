"""The service that runs the steps which need Slurm, on the first login node of AWS PCS."""

from __future__ import annotations

from collections.abc import Callable

from clusterwright_node import slurm_later

from tests.nodes.world import World

UNIT = f"etc/systemd/system/{slurm_later.UNIT}"
STEP = "slurm_administration"


def test_service_waits_for_slurm_and_runs_the_steps(world: Callable[..., World]) -> None:
    login = world("login-1", "pcs")
    assert login.run(only=[STEP]).statuses()[STEP] == "applied"
    text = (login.root / UNIT).read_text()
    assert "until scontrol ping" in text
    for step in slurm_later.STEPS:
        assert f"--only={step}" in text
    assert "--configuration=pcs" in text
    assert "--group=login" in text
    assert (login.root / "opt/clusterwright/scripts/cluster.json").exists()


def test_changed_inputs_run_the_steps_again(world: Callable[..., World]) -> None:
    login = world("login-1", "pcs")
    login.run(only=[STEP])
    before = (login.root / UNIT).read_text()
    assert login.run(only=[STEP]).statuses()[STEP] == "unchanged"
    login.edit("cluster.json", lambda c: c["slurm"]["timeouts"].update(message_seconds=11))
    ran = login.run(only=[STEP])
    assert ran.statuses()[STEP] == "applied"
    assert (login.root / UNIT).read_text() != before
    assert any(f"systemctl stop {slurm_later.UNIT}" in point for point in ran.machine.points)


def test_other_nodes_and_platforms_have_none(world: Callable[..., World]) -> None:
    for node in (world("workers-1", "pcs"), world("login-1", "parallelcluster")):
        assert node.run(only=[STEP]).statuses()[STEP] == "skipped"
