"""The step that configures Slurm to load pyxis."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nodes.world import World

PLUGSTACK = "opt/slurm/etc/plugstack.conf"
LIBRARY = "/usr/local/lib/slurm/spank_pyxis.so"


def test_controller_configures_the_plugin_and_reconfigures(world: Callable[..., World]) -> None:
    node = world("controller-1")
    (node.root / "opt/slurm/etc").mkdir(parents=True)
    (node.root / PLUGSTACK).write_text("optional other.so")
    assert node.run().statuses()["containers"] == "applied"
    assert (node.root / PLUGSTACK).read_text() == f"optional other.so\nrequired {LIBRARY}\n"
    assert node.state["reconfigured"]


def test_stopped_slurmctld_is_not_reconfigured(
    world: Callable[..., World],
) -> None:
    node = world("controller-1", controller_up=False)
    node.edit("cluster.json", lambda c: c["users"][0].update(slurm_account=None))
    node.edit("cluster.json", lambda c: c["slurm"].update(accounts=[]))
    assert node.run().code == 0
    assert not node.state["reconfigured"]


@pytest.mark.parametrize("include", ["plugstack.conf.d/*", "plugstack.conf.d/pyxis.conf"])
def test_plugin_of_the_image_is_not_loaded_twice(
    world: Callable[..., World], include: str
) -> None:
    node = world("controller-1")
    folder = node.root / "opt/slurm/etc/plugstack.conf.d"
    folder.mkdir(parents=True)
    (folder / "pyxis.conf").write_text(f"required {LIBRARY}\n")
    (node.root / PLUGSTACK).write_text(f"include /opt/slurm/etc/{include}\n")
    assert node.run().statuses()["containers"] == "unchanged"


def test_commented_line_loads_nothing(world: Callable[..., World]) -> None:
    node = world("controller-1")
    (node.root / "opt/slurm/etc").mkdir(parents=True)
    (node.root / PLUGSTACK).write_text(f"# required {LIBRARY}\n")
    assert node.run().statuses()["containers"] == "applied"


@pytest.mark.parametrize("name", ["workers-1", "login-1"])
def test_other_nodes_only_need_the_files(world: Callable[..., World], name: str) -> None:
    node = world(name)
    assert node.run().statuses()["containers"] == "unchanged"
    assert not (node.root / PLUGSTACK).exists()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("usr/bin/enroot", "the image has no enroot (searched: /usr/bin/enroot"),
        ("usr/local/lib/slurm/spank_pyxis.so", "the image has no spank_pyxis.so (searched:"),
    ],
)
def test_image_without_the_plugin_fails_with_the_reason(
    world: Callable[..., World], path: str, said: str
) -> None:
    node = world("workers-1")
    (node.root / path).unlink()
    run = node.run()
    assert run.code == 1
    assert said in run.last
    assert "slurm.containers.install: mirrored" in run.last


def test_step_is_skipped_without_pyxis(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c["containers"].update(pyxis=False))
    (node.root / "usr/bin/enroot").unlink()
    assert node.run().statuses()["containers"] == "skipped"
