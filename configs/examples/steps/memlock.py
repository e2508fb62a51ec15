"""Let people's programs on compute nodes lock as much memory as they want.

An example of a step of your own. RDMA registers memory by locking it, and a shell that comes in by
ssh has the limit of pam_limits, which is small by default.
"""

from __future__ import annotations

from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("users",)
DEADLINE_SECONDS = 30
RETRIES = 0

PATH = "/etc/security/limits.d/90-site-memlock.conf"
TEXT = "* soft memlock unlimited\n* hard memlock unlimited\n"


def applies(node: Node) -> Verdict:
    """Where it has something to do."""
    return APPLIES if node.group.role == "compute" else skip("for compute nodes")


def check(node: Node) -> Verdict:
    """Whether all is right; it only looks."""
    if node.machine.read_text(PATH) == TEXT:
        return SATISFIED
    return missing(f"{PATH} is not there or not current")


def apply(node: Node) -> None:
    """Make it right, from any state that a killed run may have left."""
    node.machine.write_text(PATH, TEXT)
