"""The step that refuses or says what this program cannot do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nodes.world import World


def test_spares_are_said_and_the_run_goes_on(world: Callable[..., World]) -> None:
    run = world("workers-1").run()
    assert run.code == 0
    said = "not built yet: group workers: its 2 spare nodes take jobs like others"
    assert run.notices().count(said) == 1


def test_nothing_is_said_where_nothing_is_missing(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", lambda c: c["groups"][2].update(spare_count=0))
    assert not [text for text in node.run().notices() if "not built" in text]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda c: c["slurm"].update(accounting="local"), "accounting local in the scripted"),
        (lambda c: c["slurm"].update(topology="tree"), "topology tree in the scripted"),
        (lambda c: c["slurm"].update(topology="block"), "topology block in the scripted"),
    ],
)
def test_what_scripted_cannot_do_is_refused(
    world: Callable[..., World], edit: Callable[[dict], object], said: str
) -> None:
    node = world("controller-1", "scripted")
    node.edit("cluster.json", edit)
    run = node.run()
    assert run.code == 1
    assert "step not_built failed on controller-1: not built yet: " in run.last
    assert said in run.last
    assert "/etc/systemd" not in " ".join(run.machine.points)


def test_automatic_topology_in_scripted_mode_is_said(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.edit("cluster.json", lambda c: c["slurm"].update(topology="automatic"))
    run = node.run()
    assert run.code == 0
    assert any("slurm.conf keeps HyperPod's" in text for text in run.notices())
