"""A small file system in memory that several nodes share, for a scenario that fills it.

The shared file systems of a rehearsal are folders of this host, which must not become full. The
nodes have one kernel: a mount of one node is copied to the others as a file descriptor
(`open_tree` and `move_mount`), so that all of them see the same files and the same free space.
The mounts end with the nodes.
"""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.scenario_api.cluster_access import ClusterAccess
from clusterwright_rehearsal.scenario_api.node import Node

# A separate process: one with threads cannot enter a mount namespace.
_PROGRAM = r"""
import ctypes, os, sys
folder, others = sys.argv[1].encode(), sys.argv[2:]
libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, CLONE_NEWNS = -100, 0x20000
OPEN_TREE, OPEN_TREE_CLONE, MOVE_MOUNT, MOVE_MOUNT_F_EMPTY_PATH = 428, 1, 429, 4

def checked(result, what):
    if result < 0:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result

first, *rest = (os.open(f"/proc/{leader}/ns/mnt", os.O_RDONLY) for leader in others)
checked(libc.setns(first, CLONE_NEWNS), "setns")
copies = [
    checked(libc.syscall(OPEN_TREE, AT_FDCWD, folder, OPEN_TREE_CLONE), "open_tree")
    for _ in rest
]
for namespace, copy in zip(rest, copies):
    checked(libc.setns(namespace, CLONE_NEWNS), "setns")
    moved = libc.syscall(MOVE_MOUNT, copy, b"", AT_FDCWD, folder, MOVE_MOUNT_F_EMPTY_PATH)
    checked(moved, "move_mount")
"""


@contextlib.contextmanager
def small_file_system(
    context: ClusterAccess, nodes: Sequence[Node], folder: str, mib: int
) -> Iterator[None]:
    """Mount it at an existing folder on all nodes inside the `with` block.

    Raises
    ------
    Broken
        It cannot be mounted on the first node.
    RehearsalError
        It cannot be mounted on the others.
    """
    quoted = shlex.quote(folder)
    nodes[0].must(f"mount -t tmpfs -o size={mib}m,mode=1777 tmpfs {quoted}")
    try:
        _share(context, nodes, folder)
        yield
    finally:
        for node in nodes:
            if node.is_up:
                node.run(f"umount --lazy {quoted}")


def resize(node: Node, folder: str, mib: int) -> None:
    """Give the file system another size, on all nodes; raises `Broken` if that fails."""
    node.must(f"mount -o remount,size={mib}m {shlex.quote(folder)}")


def _share(context: ClusterAccess, nodes: Sequence[Node], folder: str) -> None:
    leaders = [context.machine(node.host, node.address).leader for node in nodes]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, folder, *map(str, leaders)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise RehearsalError(
            f"{folder} cannot be mounted: {said[-1] if said else done.returncode}"
        )
