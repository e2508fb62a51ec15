"""Signatures of the family `storage`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

CASES = (
    ("log", "md/raid0:md127: Disk failure on nvme3n1 detected, failing array.", "disk-errors"),
    ("log", "failed to ping 10.1.81.213@tcp: Network is down", "lnet"),
    ("log", "inotify_add_watch /var/log: no space left on device", "inotify"),
    ("log", "[File Watcher (chokidar)] Inotify limit reached (ENOSPC)", "inotify"),
    ("log", "write /var/log/a: no space left on device", "disk-full"),
    (
        "log",
        "modprobe: FATAL: Module lustre not found in directory /lib/modules/6.8",
        "lustre-module",
    ),
    ("log", "mount.nfs: access denied by server while mounting fs-1:/fsx", "nfs"),
    ("log", "LustreError: 9:0:(osc_io.c:17:osc_lock()) LBUG", "lustre-assertion"),
    ("log", "OSError: [Errno 122] Disk quota exceeded: '/home/ada/x'", "disk-quota"),
    (
        "log",
        "EXT4-fs error (device nvme1n1): ext4_journal_check_start: Detected aborted journal",
        "disk-errors",
    ),
    (
        "log",
        "mkdir(/sys/fs/cgroup/system.slice/job_7) failed: No space left on device",
        "cgroups-full",
    ),
    ("log", "OSError: [Errno 28] No space left on device: '/scratch/x'", "disk-full"),
    ("log", "mkdir: cannot create directory 'x': Read-only file system", "read-only"),
    ("database", "state incompatible-network", "database-state"),
    ("log", "fuse: failed to open /dev/fuse: No such device", "fuse"),
    ("log", 'Failed to resolve "fs-0a1b2c3d.efs.us-east-1.amazonaws.com"', "file-system-name"),
    ("log", "mount: bad address 'fs-179748de.efs.eu-west-1.amazonaws.com'", "file-system-name"),
    ("log", "OSError: [Errno 5] Input/output error: '/fsx/a'", "io-error"),
    ("log", "STDERR: mount.nfs4: Connection timed out", "nfs-time"),
    ("log", "mount.nfs4: access denied by server while mounting 10.0.0.9:/", "nfs"),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("127.0.0.1", "efs-tunnel"),
        ("127.0.0.9", "efs-tunnel"),
        ("localhost", "efs-tunnel"),
        ("10.0.1.27", "nfs"),
        ("fs-0a1b2c3d.efs.us-east-1.amazonaws.com", "nfs"),
    ],
)
def test_server_on_the_node_itself_is_the_tunnel_of_efs(server: str, expected: str) -> None:
    (found,) = findings(*of_log(f"[252.689613] nfs: server {server} not responding, timed out"))
    assert found.signature == expected
