"""What waits for Slurm on a node of AWS PCS.

PCS starts slurmd after this program, and Slurm's commands have no configuration before. On the
node that administers the cluster the steps in `STEPS` are therefore skipped until Slurm answers,
and a service (the step `slurm_administration`) runs them when it does.
"""

from __future__ import annotations

from clusterwright_node.node import Node

STEPS = ("slurm_qos", "slurm_accounts", "managed_limits")
UNIT = "clusterwright-slurm-administration.service"


def reason_to_wait(node: Node) -> str | None:
    """Why Slurm's commands cannot be used yet; None if they can."""
    if not node.is_pcs or node.machine.query("scontrol", "ping").ok:
        return None
    return f"{node.platform} has not started Slurm here: {UNIT} does it then"
