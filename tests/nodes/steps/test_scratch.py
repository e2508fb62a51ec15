"""The step that combines the local NVMe disks to one file system."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.nodes.world import World

IMAGE_MOUNT = {
    "target": "/opt/dlami/nvme",
    "source": "/dev/mapper/vg.01-lv_ephemeral",
    "fstype": "xfs",
    "options": "rw",
    "by_image": True,
}


def at(node: World, path: str) -> dict[str, Any]:
    return next(row for row in node.state["mounts"] if row["target"] == path)


def changes(node: World) -> list[tuple[str, ...]]:
    run = node.run()
    assert run.code == 0, run.text
    return [argv for argv in run.machine.ran if argv[0] in ("mdadm", "mkfs.xfs")]


def test_blank_disks_become_raid_0_with_xfs_and_a_unit(
    world: Callable[..., World],
) -> None:
    node = world("workers-1")
    ran = changes(node)
    create = next(argv for argv in ran if "--create" in argv)
    assert create[-3:] == ("/dev/nvme1n1", "/dev/nvme2n1", "/dev/nvme3n1")
    assert "--level=0" in create
    assert "--raid-devices=3" in create
    assert not [argv for argv in ran if "/dev/nvme0n1" in argv], "the EBS root is never touched"
    assert at(node, "/opt/dlami/nvme")["source"] == "/dev/md127"
    assert (node.root / "opt/dlami/nvme").stat().st_mode & 0o7777 == 0o1777
    unit = (node.root / "etc/systemd/system/opt-dlami-nvme.mount").read_text()
    assert "What=/dev/disk/by-uuid/5c4a7c39-0000-4000-8000-000000000001" in unit
    assert "WantedBy=local-fs.target" in unit, "a lost disk must not stop the boot"


def test_mount_is_restored_after_a_reboot(world: Callable[..., World]) -> None:
    node = world("workers-1")
    run = node.run()
    run.machine.reboot()
    again = node.run()
    assert again.statuses()["scratch"] == "unchanged"


def test_single_disk_needs_no_array(world: Callable[..., World]) -> None:
    disks = {"/dev/nvme1n1": "Amazon EC2 NVMe Instance Storage"}
    node = world("workers-1", disks=disks)
    assert changes(node) == [("mkfs.xfs", "-f", "-L", "cw-scratch", "/dev/nvme1n1")]


def test_mount_of_the_image_is_used(world: Callable[..., World]) -> None:
    node = world("workers-1")
    (node.root / "opt/dlami/nvme").mkdir(parents=True)
    node.change(mounts=[*node.state["mounts"], IMAGE_MOUNT])
    assert changes(node) == []
    assert node.run().statuses()["scratch"] == "unchanged"


def test_mount_of_the_image_is_bound_to_another_path(world: Callable[..., World]) -> None:
    node = world("workers-1")
    (node.root / "opt/dlami/nvme").mkdir(parents=True)
    node.change(mounts=[*node.state["mounts"], IMAGE_MOUNT])
    node.edit("cluster.json", lambda c: c["groups"][2]["scratch"].update(mount_path="/scratch"))
    assert changes(node) == []
    unit = (node.root / "etc/systemd/system/scratch.mount").read_text()
    assert "What=/opt/dlami/nvme" in unit
    assert "Options=bind,nofail" in unit
    assert "After=dlami-nvme.service" in unit
    assert node.run().statuses()["scratch"] == "unchanged"


def test_service_of_the_image_is_awaited(world: Callable[..., World]) -> None:
    """Otherwise both would write to the same disks."""
    unit = {"active": False, "enabled": True, "loaded": None, "forced_state": "activating"}
    node = world(
        "workers-1",
        image_units={
            **world("workers-1").state["image_units"],
            "dlami-nvme.service": "[Service]\n",
        },
        units={"dlami-nvme.service": unit},
        events=[
            {"at": 50, "path": ["mounts"], "value": [*world().state["mounts"], IMAGE_MOUNT]},
            {"at": 50, "path": ["units", "dlami-nvme.service", "forced_state"], "value": "active"},
        ],
    )
    (node.root / "opt/dlami/nvme").mkdir(parents=True)
    assert changes(node) == []


@pytest.mark.parametrize(
    ("signatures", "said"),
    [
        (
            {"/dev/nvme2n1": {"type": "ext4", "label": "data", "uuid": "x"}},
            "/dev/nvme2n1 has a ext4 that this program did not create",
        ),
        (
            {"/dev/nvme1n1": {"type": "linux_raid_member", "label": "host:mine", "uuid": "x"}},
            "/dev/nvme1n1 has a linux_raid_member that this program did not create",
        ),
    ],
)
def test_disk_with_other_content_is_never_changed(
    world: Callable[..., World], signatures: dict[str, Any], said: str
) -> None:
    node = world("workers-1", signatures=signatures)
    run = node.run()
    assert run.code == 1
    assert said in run.last
    assert node.state["signatures"] == signatures


def test_array_of_others_is_never_changed(world: Callable[..., World]) -> None:
    disks = [f"/dev/nvme{n}n1" for n in (1, 2, 3)]
    member = {"type": "linux_raid_member", "label": "host:mine", "uuid": "x"}
    node = world("workers-1", arrays={"/dev/md0": disks}, signatures=dict.fromkeys(disks, member))
    run = node.run()
    assert "the disks are already in use by /dev/md0" in run.last
    assert node.state["arrays"] == {"/dev/md0": disks}


def test_disks_in_use_elsewhere_are_refused(world: Callable[..., World]) -> None:
    node = world("workers-1")
    mount = {"target": "/data", "source": "/dev/nvme2n1", "fstype": "xfs", "options": "rw"}
    node.change(mounts=[*node.state["mounts"], mount])
    assert "/dev/nvme2n1 is in use at /data" in node.run().last


def test_stopped_array_is_assembled(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    node.change(arrays={}, mounts=[row for row in node.state["mounts"] if row.get("by_image")])
    units = node.state["units"]
    units["opt-dlami-nvme.mount"]["active"] = False
    node.change(units=units)
    ran = changes(node)
    assert any("--assemble" in argv for argv in ran)
    assert not any("--create" in argv or argv[0] == "mkfs.xfs" for argv in ran), "data is kept"


def test_a_type_without_local_disks_is_refused(world: Callable[..., World]) -> None:
    run = world("workers-1", disks={"/dev/nvme0n1": "Amazon Elastic Block Store"}).run()
    assert run.code == 1
    assert "p5.48xlarge has no instance-store disk" in run.last


def test_step_is_skipped_without_scratch(world: Callable[..., World]) -> None:
    run = world("controller-1").run()
    assert run.statuses()["scratch"] == "skipped"
    assert run.end_of("scratch")["hint"] == "group controller has no scratch"


def test_other_mount_at_the_path_is_refused(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c["groups"][2]["scratch"].update(mount_path="/scratch"))
    mount = {"target": "/scratch", "source": "/dev/sdb", "fstype": "ext4", "options": "rw"}
    node.change(mounts=[*node.state["mounts"], mount])
    assert "/dev/sdb is already mounted at /scratch, not by this program" in node.run().last
