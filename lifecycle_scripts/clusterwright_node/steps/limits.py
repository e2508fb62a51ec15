"""Allow users to lock memory, for EFA and pinned buffers of GPUs (ParallelCluster, PCS).

Slurm gives a job the limits of the shell that submitted it (slurm.conf, PropagateResourceLimits:
`ALL` by default). ParallelCluster's slurm.conf does not exclude MEMLOCK as the scripted
configuration does, and PCS does not accept that setting. So the limits of shells on head and login
nodes matter; compute nodes have the same for users who sign in there. pam_limits reads the file at
each sign-in.
"""

from __future__ import annotations

from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("not_built",)
DEADLINE_SECONDS = 10
RETRIES = 0

FILE = "/etc/security/limits.d/90-clusterwright.conf"
TEXT = """# Written by clusterwright_node.
* soft memlock unlimited
* hard memlock unlimited
"""


def applies(node: Node) -> Verdict:
    if node.is_parallelcluster or node.is_pcs:
        return APPLIES
    return skip("slurm.conf does not propagate the limit of shells to jobs, or HyperPod writes it")


def check(node: Node) -> Verdict:
    if node.machine.read_text(FILE) == TEXT:
        return SATISFIED
    return missing(f"{FILE} is outdated")


def apply(node: Node) -> None:
    node.machine.write_text(FILE, TEXT)
