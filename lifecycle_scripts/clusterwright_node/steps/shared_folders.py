"""Make Lustre and the folder of checkpoints writable for all users, as /tmp.

FSx creates the root of a file system, and the folder of each repository, with owner root and mode
0755: the first job of a user ends with "Permission denied" (aws/aws-parallelcluster #1466, #2635,
#4273). With the usual workaround, `chmod 777`, users could remove data of others; the sticky bit
prevents that. Only folders as FSx created them are changed: of root, mode 0755, with no entry of
another user. Other folders, and existing file systems, are not changed.
"""

from __future__ import annotations

import errno

from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.paths import is_under

AFTER = ("home", "lustre")
DEADLINE_SECONDS = 120
RETRIES = 3

_AS_MADE = 0o755
_EVERYBODYS = 0o1777
_ROOT = (0, 0)
_MOST_ENTRIES = 1000
"""A folder with more entries is in use."""


def applies(node: Node) -> Verdict:
    if not node.inputs.cluster.lustre:
        return skip("the cluster has no Lustre file system")
    if all(entry.existing for entry in node.inputs.cluster.lustre):
        return skip("existing file systems are mounted and never modified")
    if node.administers:
        return APPLIES
    return skip(f"{node.administrator} does it for every node")


def check(node: Node) -> Verdict:
    for path in _folders(node):
        if _is_as_made(node, path):
            return missing(f"users cannot write to {path}")
    return SATISFIED


def apply(node: Node) -> None:
    for path in _folders(node):
        if not _is_as_made(node, path):
            continue
        try:
            node.machine.make_directory(path)
            node.machine.set_mode(path, _EVERYBODYS)
        except PermissionError as error:
            raise StepError(
                f"root may not open {path} to users: {error}",
                "the file system squashes root: change the folder from a machine without root "
                "squash, or use another path in storage.checkpoint_path",
            ) from None


def _folders(node: Node) -> list[str]:
    cluster = node.inputs.cluster
    mounts = [entry.mount_path for entry in cluster.lustre if not entry.existing]
    shared = cluster.checkpoint_path
    if shared is not None and any(is_under(shared, mount) for mount in mounts):
        mounts.append(shared)
    return mounts


def _is_as_made(node: Node, path: str) -> bool:
    """Whether it is missing, or as FSx or a killed run left it."""
    machine = node.machine
    mode = machine.mode_of(path)
    if mode is None:
        return True
    if mode != _AS_MADE or _owner(node, path) != _ROOT:
        return False
    entries = machine.listing(path)
    return len(entries) <= _MOST_ENTRIES and all(
        _owner(node, f"{path}/{name}") == _ROOT for name in entries
    )


def _owner(node: Node, path: str) -> tuple[int, int] | None:
    """None for a link or a removed folder: FSx did not create it like that."""
    try:
        return node.machine.owner_of(path)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return None
