"""Shared file systems."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import mounts

from tests.nodes.acceptance.fake_node import Node

LUSTRE = ("10.1.0.9@tcp:/abcdef12", "lustre")
HOME = ("10.1.0.8:/", "nfs4")


def test_the_right_file_systems_pass_and_nothing_is_left(node: Node) -> None:
    found = node.look("mounts")
    assert (found.verdict, found.facts) == ("pass", {"mounts": "/fsx, /home"})
    assert [path.name for path in (node.root / "fsx").iterdir()] == [".keep"]


@pytest.mark.parametrize(
    ("mount", "reason"),
    [
        (None, "/fsx is a folder of /, nothing is mounted there"),
        (("/dev/nvme1n1", "xfs"), "/fsx is xfs, not Lustre"),
        (
            ("10.1.0.9@tcp:/zzzzzz99", "lustre"),
            "10.1.0.9@tcp:/zzzzzz99 is mounted at /fsx, not the file system abcdef12",
        ),
        (
            ("10.9.9.9@tcp:/abcdef12", "lustre"),
            "/fsx is mounted from 10.9.9.9, which is not fs-0abc.fsx.us-east-1.amazonaws.com",
        ),
    ],
)
def test_anything_else_fails(node: Node, mount: tuple[str, str] | None, reason: str) -> None:
    node.findmnt({"/home": HOME} | ({} if mount is None else {"/fsx": mount}))
    found = node.look("mounts")
    assert (found.verdict, found.reason, found.action) == ("fail", reason, "reboot")


def test_address_is_not_compared_where_the_name_cannot_be_resolved(node: Node) -> None:
    node.command("getent", "exit 2")
    node.findmnt({"/fsx": ("10.9.9.9@tcp:/abcdef12", "lustre"), "/home": HOME})
    assert node.look("mounts").verdict == "pass"


def test_file_system_that_cannot_be_written_fails(node: Node) -> None:
    for path in (node.root / "fsx").iterdir():
        path.unlink()
    (node.root / "fsx").rmdir()
    assert node.look("mounts").reason.startswith("/fsx cannot be written: ")


def test_scratch_disk_that_is_not_mounted_replaces_the_node(node: Node) -> None:
    node.expect(scratch_path="/opt/dlami/nvme")
    found = node.look("mounts")
    assert found.reason == "/opt/dlami/nvme is a folder of /, nothing is mounted there"
    assert found.action == "replace"


def test_hanging_and_strange_findmnt_are_no_pass(node: Node) -> None:
    node.hangs("findmnt")
    with pytest.raises(running.Hung):
        node.look("mounts", seconds=0.5)
    node.prints("findmnt", "{}")
    with pytest.raises(running.Unreadable):
        node.look("mounts")
    node.command("findmnt", "exit 1")
    assert node.look("mounts").reason == "/fsx is not mounted"


def test_cluster_without_shared_storage_is_left_out(node: Node) -> None:
    node.expect(lustre=(), home_path=None)
    assert mounts.applies(node.expected) == "the cluster has no shared file system"
