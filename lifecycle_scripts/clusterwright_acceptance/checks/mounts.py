"""Shared file systems: really mounted, from the right file system, writable, read back whole.

A folder on the root disk, another file system under the same path and one that is mounted
read-only are failures. What is written is synced and dropped from the page cache before it is
read.
"""

from __future__ import annotations

import json
import sys
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected, FileSystem
from clusterwright_acceptance.outcome import Outcome, failed, passed

ID = "mounts"
SECONDS = 20.0

_WRITE_AND_READ = """
import hashlib, os, sys
path = os.path.join(sys.argv[1], ".clusterwright-acceptance-" + sys.argv[2])
data = os.urandom(1 << 20)
try:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    with open(path, "rb") as file:
        same = file.read() == data
finally:
    if os.path.exists(path):
        os.unlink(path)
print("same" if same else "different")
"""


def applies(expected: Expected) -> Optional[str]:
    if expected.lustre or expected.home_path or expected.scratch_path:
        return None
    return "the cluster has no shared file system"


def look(probe: Probe, expected: Expected) -> Outcome:
    findmnt = running.program(probe, expected, "findmnt")
    places = [(entry.mount_path, entry) for entry in expected.lustre]
    places += [(path, None) for path in (expected.home_path, expected.scratch_path) if path]
    for path, entry in places:
        reason = _why_wrong(probe, findmnt, path, entry)
        if reason is None:
            reason = _why_not_usable(probe, path, expected.node)
        if reason is not None:
            # The scratch disks are the node's own; the others are reached over the network.
            return failed(reason, "replace" if path == expected.scratch_path else "reboot")
    return passed(mounts=", ".join(path for path, _ in places))


def _why_wrong(
    probe: Probe, findmnt: str, path: str, entry: Optional[FileSystem]
) -> Optional[str]:
    result = running.run(
        probe, [findmnt, "--json", "--target", path, "--output", "TARGET,SOURCE,FSTYPE"], SECONDS
    )
    if not result.ok:
        return f"{path} is not mounted"
    try:
        found = json.loads(result.stdout)["filesystems"][0]
        target, source, kind = (str(found[key]) for key in ("target", "source", "fstype"))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise running.Unreadable("the output of findmnt has an unknown form") from error
    if target != path:
        return f"{path} is a folder of {target}, nothing is mounted there"
    if entry is None:
        return None
    if kind != "lustre":
        return f"{path} is {kind}, not Lustre"
    if entry.mount_name and not source.endswith(f":/{entry.mount_name}"):
        return f"{source} is mounted at {path}, not the file system {entry.mount_name}"
    server = source.partition("@")[0]
    if entry.dns_name and server != entry.dns_name:
        addresses = _addresses(probe, entry.dns_name)
        if addresses and server not in addresses:
            return f"{path} is mounted from {server}, which is not {entry.dns_name}"
    return None


def _why_not_usable(probe: Probe, path: str, node: str) -> Optional[str]:
    python = sys.executable or "/usr/bin/python3"
    argv = [python, "-c", _WRITE_AND_READ, str(probe.path(path)), node]
    result = running.run(probe, argv, SECONDS)
    if not result.ok:
        return f"{path} cannot be written: {result.summary}"
    if result.stdout.strip() != "same":
        return f"{path}: what was read back differs from what was written"
    return None


def _addresses(probe: Probe, name: str) -> set[str]:
    if not probe.has("getent"):
        return set()
    result = probe.run(["getent", "ahosts", name], timeout_seconds=10.0)
    return {line.split()[0] for line in result.stdout.splitlines() if line.split()}
