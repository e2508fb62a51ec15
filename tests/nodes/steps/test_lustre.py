"""The step that mounts Lustre."""

from __future__ import annotations

from collections.abc import Callable

from tests.nodes.world import World

MOUNT = {
    "target": "/fsx",
    "source": "10.1.0.99@tcp:/abcdefgh",
    "fstype": "lustre",
    "options": "rw,noatime",
}


def without_fsx(node: World) -> list[dict[str, object]]:
    return [row for row in node.state["mounts"] if row["target"] != "/fsx"]


def test_scripted_mounts_with_a_unit_that_waits_for_the_network(
    world: Callable[..., World],
) -> None:
    node = world("login-1", "scripted")
    assert node.run().statuses()["lustre"] == "applied"
    unit = (node.root / "etc/systemd/system/fsx.mount").read_text()
    assert "What=fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com@tcp:/abcdefgh\n" in unit
    assert "Type=lustre\nOptions=noatime,flock,_netdev\n" in unit
    assert "After=network-online.target clusterwright-lnet-efa.service" in unit
    assert "WantedBy=remote-fs.target" in unit
    assert not (node.root / "etc/fstab").exists()


def test_scripted_mount_is_restored_after_a_reboot(world: Callable[..., World]) -> None:
    node = world("workers-1", "scripted")
    node.run().machine.reboot()
    run = node.run()
    assert run.statuses()["lustre"] == "unchanged"
    assert run.statuses()["efa_transport"] == "applied", "each boot proves it again"


def test_failed_mount_is_retried(world: Callable[..., World]) -> None:
    node = world("login-1", "scripted", mounts_fail_for=3)
    node.edit("cluster.json", lambda c: c.update(home=None))
    node.edit("deployment.json", lambda d: d.update(home=None))
    run = node.run()
    assert run.statuses()["lustre"] == "applied"
    assert sum("Connection timed out" in text for text in run.notices()) == 3


def test_permanent_mount_failure_has_the_output_of_the_unit(world: Callable[..., World]) -> None:
    node = world("login-1", "scripted", mounts_fail_for=10**6)
    node.edit("cluster.json", lambda c: c.update(home=None))
    node.edit("deployment.json", lambda d: d.update(home=None))
    run = node.run()
    assert run.code == 1
    assert "its journal: mount.lustre: fs-0123456789abcdef0" in run.last
    assert run.end_of("lustre")["seconds"] <= 600


def test_managed_waits_for_the_mount_of_hyperpod(world: Callable[..., World]) -> None:
    node = world("login-1")
    event = {"at": 100, "path": ["mounts"], "value": node.state["mounts"]}
    node.change(mounts=without_fsx(node), events=[event])
    run = node.run()
    assert run.statuses()["lustre"] == "applied"
    assert run.end_of("lustre")["seconds"] == 100
    assert not (node.root / "etc/systemd/system/fsx.mount").exists()


def test_managed_without_a_mount_fails_at_the_deadline_of_the_spec(
    world: Callable[..., World],
) -> None:
    node = world("login-1")
    node.change(mounts=without_fsx(node))
    run = node.run()
    assert run.code == 1
    assert "not done after 900 s: HyperPod has not mounted Lustre file system fsx" in run.last
    assert "988" in run.last


def test_managed_mounts_file_systems_unknown_to_hyperpod(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.change(mounts=without_fsx(node))
    node.edit("cluster.json", lambda c: c["lustre"][0].update(by_platform=False))
    run = node.run()
    assert run.statuses()["lustre"] == "applied"
    assert (node.root / "etc/systemd/system/fsx.mount").exists()
    assert node.run().statuses()["lustre"] == "unchanged"


def test_automount_is_triggered(world: Callable[..., World]) -> None:
    node = world("login-1")
    auto = {"target": "/fsx", "source": "systemd-1", "fstype": "autofs", "options": "rw"}
    node.change(mounts=[*without_fsx(node), auto], automounts={"/fsx": MOUNT})
    assert node.run().statuses()["lustre"] == "unchanged"


def test_another_file_system_at_the_path_is_refused(world: Callable[..., World]) -> None:
    node = world("login-1")
    wrong = dict(MOUNT, source="10.1.0.98@tcp:/zzzzzzzz")
    node.change(mounts=[*without_fsx(node), wrong])
    run = node.run()
    assert "not Lustre file system fsx (mount name abcdefgh)" in run.last


def test_read_only_mount_fails(world: Callable[..., World]) -> None:
    run = world("login-1", read_only=["/fsx"]).run()
    assert run.code == 1
    assert "/fsx cannot be written: touch: cannot touch" in run.last


def test_hanging_mount_fails_within_the_deadline(world: Callable[..., World]) -> None:
    run = world("login-1", hanging_commands=["touch"]).run()
    assert run.code == 1
    assert "does not respond" in run.last


def test_step_is_skipped_without_lustre(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", lambda c: c.update(lustre=[]))
    node.edit("deployment.json", lambda d: d.update(lustre=[]))
    assert node.run().statuses()["lustre"] == "skipped"
