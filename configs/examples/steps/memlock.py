"""Allow users' programs on compute nodes to lock unlimited memory.

An example of a custom step. RDMA registers memory by locking it, and a login by ssh has the limit
of pam_limits, which is low by default.
"""

from __future__ import annotations

from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("users",)
DEADLINE_SECONDS = 30
RETRIES = 0

PATH = "/etc/security/limits.d/90-site-memlock.conf"
TEXT = "* soft memlock unlimited\n* hard memlock unlimited\n"


def applies(node: Node) -> Verdict:
    """Return whether the step applies to this node."""
    return APPLIES if node.group.role == "compute" else skip("for compute nodes")


def check(node: Node) -> Verdict:
    """Return whether the file is current; must not change the machine."""
    if node.machine.read_text(PATH) == TEXT:
        return SATISFIED
    return missing(f"{PATH} is missing or out of date")


def apply(node: Node) -> None:
    """Write the file, from any state that an interrupted run may have left."""
    node.machine.write_text(PATH, TEXT)
