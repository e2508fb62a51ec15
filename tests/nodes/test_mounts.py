"""Mounts, and whether they are writable."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from clusterwright_node import mounts
from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.mounts import Mount

from tests.nodes.stub_node import stub_node

ROWS = [
    {"target": "/", "source": "/dev/nvme0n1p1", "fstype": "ext4", "options": "rw,relatime"},
    {"target": "/fsx", "source": "systemd-1", "fstype": "autofs", "options": "rw"},
    {"target": "/data", "source": "a", "fstype": "nfs", "options": "rw"},
    {"target": "/data", "source": None, "fstype": "nfs4", "options": "ro,vers=4"},
]
FINDMNT = {"findmnt": json.dumps({"filesystems": ROWS})}
IDENTITY = SimpleNamespace(instance_id="i-1")


def test_the_last_mount_hides_earlier_ones() -> None:
    node = stub_node(FINDMNT)
    found = mounts.mount_at(node, "/data")
    assert found == Mount("/data", "", "nfs4", "ro,vers=4")
    assert found.is_read_only
    assert mounts.mount_at(node, "/missing") is None


def test_an_automount_is_not_a_mount_yet() -> None:
    node = stub_node(FINDMNT)
    assert mounts.mount_at(node, "/fsx") is None
    assert mounts.is_automounted(node, "/fsx")
    assert not mounts.is_automounted(node, "/data")


def test_a_findmnt_that_fails() -> None:
    with pytest.raises(CommandError, match="exited 1: no such option"):
        mounts.mounts(stub_node({"findmnt": (1, "no such option")}))
    with pytest.raises(StepError, match="JSON of findmnt is not valid"):
        mounts.mounts(stub_node({"findmnt": "{}"}))


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"touch": "", "rm": ""}, None),
        ({"touch": (1, "read-only"), "rm": ""}, "/fsx cannot be written: read-only"),
        ({"touch": "", "rm": (1, "stale")}, "/fsx cannot be written: stale"),
        ({}, "/fsx does not respond: no answer for "),
    ],
)
def test_writing(answers: dict[str, str], reason: str | None) -> None:
    found = mounts.why_not_writable(stub_node(answers, identity=IDENTITY), "/fsx")
    assert found == reason or (reason is not None and str(found).startswith(reason))


def test_nodes_have_different_names_for_the_probe() -> None:
    node = stub_node({"touch": "", "rm": ""}, identity=IDENTITY)
    mounts.why_not_writable(node, "/fsx")
    assert all(line.endswith("/fsx/.clusterwright-probe-i-1") for line in node.machine.ran)


def test_an_automount_is_accessed() -> None:
    node = stub_node({"ls": ""})
    mounts.wake_automount(node, "/fsx")
    assert node.machine.ran[0].endswith("/fsx/.")
