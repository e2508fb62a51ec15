"""The step that excludes Slurm from needrestart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nodes.needrestart import CONF, decisions
from tests.nodes.world import World


@pytest.mark.parametrize("name", ["controller-1", "login-1", "workers-1"])
@pytest.mark.parametrize("configuration", ["managed", "scripted"])
def test_only_slurm_daemons_are_excluded(
    world: Callable[..., World], name: str, configuration: str
) -> None:
    node = world(name, configuration)
    assert node.run().statuses()["needrestart"] == "applied"
    assert decisions(
        node.root / CONF,
        "slurmd.service",
        "slurmd-25.11.service",
        "slurmctld.service",
        "slurmdbd.service",
        "sackd.service",
        "dbus.service",
        "ssh.service",
        "slurmd-exporter.service",
    ) == {
        "slurmd.service": "kept",
        "slurmd-25.11.service": "kept",
        "slurmctld.service": "kept",
        "slurmdbd.service": "kept",
        "sackd.service": "kept",
        "dbus.service": "kept",
        "ssh.service": "restarted",
        "slurmd-exporter.service": "restarted",
    }
    assert node.run().statuses()["needrestart"] == "unchanged"


def test_changed_file_is_restored(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    (node.root / CONF).write_text("1;\n")
    assert node.run().statuses()["needrestart"] == "applied"
    assert decisions(node.root / CONF, "slurmd.service") == {"slurmd.service": "kept"}


def test_image_without_needrestart_is_skipped(world: Callable[..., World]) -> None:
    node = world("workers-1")
    (node.root / "etc/needrestart/conf.d").rmdir()
    (node.root / "etc/needrestart").rmdir()
    run = node.run()
    assert run.end_of("needrestart")["hint"] == "the image has no needrestart"
    assert not (node.root / "etc/needrestart").exists()


def test_path_that_is_not_a_folder_fails_with_its_name(world: Callable[..., World]) -> None:
    node = world("workers-1")
    (node.root / "etc/needrestart/conf.d").rmdir()
    (node.root / "etc/needrestart/conf.d").write_text("")
    run = node.run()
    assert run.code == 1
    assert "step needrestart failed" in run.last
    assert "conf.d" in run.last
