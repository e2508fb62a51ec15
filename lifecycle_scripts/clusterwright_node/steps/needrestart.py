"""Prevent unattended upgrades from restarting Slurm's daemons while jobs run.

On Ubuntu needrestart restarts every service whose libraries an upgrade has replaced. A restart of
slurmd ends its job steps (awslabs/awsome-distributed-ai #1165), so Slurm's services are not
restarted until the node is rebooted or replaced. Other exceptions of needrestart remain. Units of
AWS PCS can have a version: slurmd-25.11 (the same repository, aws-pcs/docs/OPERATIONS.md, 6.2).
"""

from __future__ import annotations

from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("not_built",)
DEADLINE_SECONDS = 10
RETRIES = 0

FOLDER = "/etc/needrestart"
# needrestart.conf reads every file of this folder that ends in .conf, after its own settings.
CONF = FOLDER + "/conf.d/50-clusterwright.conf"
_TEXT = """\
# Written by clusterwright_node: an upgrade of a library must not restart Slurm under its jobs.
$nrconf{override_rc}{qr(^(slurmd|slurmctld|slurmdbd|sackd)(-[0-9.]+)?\\.service$)} = 0;
"""


def applies(node: Node) -> Verdict:
    return APPLIES if node.machine.exists(FOLDER) else skip("the image has no needrestart")


def check(node: Node) -> Verdict:
    same = node.machine.read_text(CONF) == _TEXT
    return SATISFIED if same else missing(f"{CONF} is outdated")


def apply(node: Node) -> None:
    node.machine.write_text(CONF, _TEXT)
