"""The step that polls for a Spot interruption notice."""

from __future__ import annotations

from collections.abc import Callable

from tests.nodes.world import World

UNIT = "etc/systemd/system/clusterwright-spot.service"


def test_service_runs_on_nodes_of_spot_groups(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c["groups"][2].update(spot=True))
    assert node.run().statuses()["spot_notice"] == "applied"
    (start,) = [
        line for line in (node.root / UNIT).read_text().splitlines() if "ExecStart" in line
    ]
    assert "-m clusterwright_spot --slurm-name=" in start
    assert (node.root / "opt/clusterwright/lib/clusterwright_spot/service.py").is_file()
    assert node.run().statuses()["spot_notice"] == "unchanged"


def test_service_does_not_run_on_other_nodes(world: Callable[..., World]) -> None:
    for name in ("workers-1", "controller-1"):
        node = world(name)
        assert node.run().statuses()["spot_notice"] == "skipped"
        assert not (node.root / UNIT).exists()


def test_changed_program_replaces_the_running_one(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c["groups"][2].update(spot=True))
    node.run()
    (node.root / "opt/clusterwright/lib/clusterwright_spot/notice.py").write_text("# older\n")
    run = node.run()
    assert run.statuses()["spot_notice"] == "applied"
    assert ("systemctl", "stop", "clusterwright-spot.service") in run.machine.ran
