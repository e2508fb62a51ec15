"""Folders of root's below one that every user may write to, as scratch disks are.

Somebody may have taken the name before: with a folder of their own, in which they could exchange
what root puts there, or with a link to a place that root would then change.
"""

from __future__ import annotations

import errno

from clusterwright_node.errors import StepError
from clusterwright_node.node import Node

_HINT = "see who made it and why, remove it, and run the node program again"


def is_there(node: Node, path: str, mode: int) -> bool:
    """Whether root's folder is there with this mode. Raises StepError where it is somebody's."""
    owner = owner_without_links(node, path)
    if owner is None:
        return False
    if owner[0] != 0:
        raise StepError(f"{path} belongs to UID {owner[0]}, not to root", _HINT)
    return node.machine.mode_of(path) == mode


def make(node: Node, path: str, mode: int) -> None:
    """Makes it, or gives it the mode. Raises StepError where it is somebody's."""
    if is_there(node, path, mode):
        return
    node.machine.make_directory(path, mode=mode)
    if not is_there(node, path, mode):
        node.machine.set_mode(path, mode)


def owner_without_links(node: Node, path: str) -> tuple[int, int] | None:
    """UID and GID, None where there is nothing. Raises StepError for a link."""
    try:
        return node.machine.owner_of(path)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise StepError(f"{path} is a link", _HINT) from None
