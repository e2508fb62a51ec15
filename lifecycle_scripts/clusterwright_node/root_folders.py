"""Folders of root below a folder that every user may write to, such as scratch disks.

A user may have created the name before: as a folder, in which they could replace root's files, or
as a link to a path that root would then change.
"""

from __future__ import annotations

import errno

from clusterwright_node.errors import StepError
from clusterwright_node.node import Node

_HINT = "find out who created it and why, remove it, and run the node program again"


def is_there(node: Node, path: str, mode: int) -> bool:
    """Whether root's folder exists with this mode. Raises StepError for a folder of a user."""
    owner = owner_without_links(node, path)
    if owner is None:
        return False
    if owner[0] != 0:
        raise StepError(f"{path} belongs to UID {owner[0]}, not to root", _HINT)
    return node.machine.mode_of(path) == mode


def make(node: Node, path: str, mode: int) -> None:
    """Create it, or set its mode. Raises StepError for a folder of a user."""
    if is_there(node, path, mode):
        return
    node.machine.make_directory(path, mode=mode)
    if not is_there(node, path, mode):
        node.machine.set_mode(path, mode)


def owner_without_links(node: Node, path: str) -> tuple[int, int] | None:
    """UID and GID, None if it does not exist. Raises StepError for a link."""
    try:
        return node.machine.owner_of(path)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise StepError(f"{path} is a link", _HINT) from None
