"""The step that mounts the shared home directories."""

from __future__ import annotations

from collections.abc import Callable

from tests.nodes.world import World

SOURCE = "fs-0fedcba9876543210.fsx.us-east-1.amazonaws.com:/fsx"


def without_home(node: World) -> list[dict[str, object]]:
    return [row for row in node.state["mounts"] if row["target"] != "/home"]


def test_scripted_mounts_openzfs_with_a_unit(world: Callable[..., World]) -> None:
    node = world("login-1", "scripted")
    assert node.run().statuses()["home"] == "applied"
    unit = (node.root / "etc/systemd/system/home.mount").read_text()
    assert f"What={SOURCE}\n" in unit
    assert "Type=nfs\n" in unit
    assert "After=network-online.target" in unit


def test_managed_waits_for_hyperpod(world: Callable[..., World]) -> None:
    node = world("login-1")
    event = {"at": 20, "path": ["mounts"], "value": node.state["mounts"]}
    node.change(mounts=without_home(node), events=[event])
    assert node.run().statuses()["home"] == "applied"


def test_managed_without_a_mount_fails(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.change(mounts=without_home(node))
    run = node.run()
    assert "not done after 600 s: HyperPod has not mounted the home directories" in run.last
    assert "2049" in run.last


def test_other_volume_is_refused(world: Callable[..., World]) -> None:
    node = world("login-1")
    wrong = {"target": "/home", "source": "other:/fsx", "fstype": "nfs4", "options": "rw"}
    node.change(mounts=[*without_home(node), wrong])
    assert f"other:/fsx at /home is nfs4, not the OpenZFS volume {SOURCE}" in node.run().last


def test_a_read_only_export_fails(world: Callable[..., World]) -> None:
    run = world("login-1", read_only=["/home"]).run()
    assert "/home cannot be written" in run.last


def test_step_is_skipped_without_shared_homes(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", lambda c: c.update(home=None))
    node.edit("deployment.json", lambda d: d.update(home=None))
    node.change(mounts=without_home(node))
    run = node.run()
    assert run.code == 0
    assert run.statuses()["home"] == "skipped"
    assert (node.root / "home/ada/.ssh/authorized_keys").exists()


def test_changed_unit_is_reloaded(world: Callable[..., World]) -> None:
    """As after a newer program was killed between write and daemon-reload."""
    node = world("login-1", "scripted")
    node.run()
    units = node.state["units"]
    units["home.mount"]["loaded"] = "[Mount]\nOptions=old\n"
    node.change(units=units)
    assert node.run().statuses()["home"] == "applied"
    assert "nconnect=16" in node.state["units"]["home.mount"]["loaded"]
