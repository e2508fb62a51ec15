"""Announce each boot of a compute node to the controller, with `acceptance.hold` (HyperPod).

The controller holds the node until it is accepted. A drop-in of slurmd drains the node before
slurmd registers, once in each boot, so that no job starts between the registration and the
controller's next look. The controller reserves the node, resumes it and tests it. In the managed
configuration HyperPod starts slurmd before this program: there this step announces the first boot.
"""

from __future__ import annotations

from clusterwright_state.hold import NEW

from clusterwright_node import systemd
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("metadata_service", "network")
DEADLINE_SECONDS = 300
RETRIES = 5

SCRIPT = "/opt/clusterwright/bin/announce-boot"
DROP_IN = f"{systemd.UNIT_FOLDER}/slurmd.service.d/60-clusterwright-hold.conf"
MARKER = "/run/clusterwright/boot-announced"
"""A reboot empties /run."""

_DROP_IN_TEXT = f"""# Written by clusterwright_node: no job starts before the node is accepted.
[Unit]
StartLimitIntervalSec=0

[Service]
ExecStartPre={SCRIPT}
Restart=on-failure
RestartSec=5
"""


def applies(node: Node) -> Verdict:
    if node.group.role != "compute":
        return skip("jobs run only on compute nodes")
    if node.is_parallelcluster:
        return skip("ParallelCluster replaces drained nodes; acceptance_at_boot holds them")
    if node.is_pcs:
        return skip("AWS PCS starts slurmd, by a unit of its own")
    if not node.inputs.cluster.acceptance.hold and not any(map(node.machine.exists, _FILES)):
        return skip("acceptance.hold is false")
    return APPLIES


def check(node: Node) -> Verdict:
    if not node.inputs.cluster.acceptance.hold:
        left = [path for path in _FILES if node.machine.exists(path)]
        return missing(f"{left[0]} exists, although hold is false") if left else SATISFIED
    for path, (text, mode) in _wanted(node).items():
        if not node.machine.has_text(path, text, mode):
            return missing(f"{path} is missing or outdated")
    if systemd.is_active(node, "slurmd.service") and not node.machine.exists(MARKER):
        return missing("this boot is not announced")
    return SATISFIED


def apply(node: Node) -> None:
    if not node.inputs.cluster.acceptance.hold:
        for path in _FILES:
            if node.machine.exists(path):
                node.machine.remove(path)
    else:
        for path, (text, mode) in _wanted(node).items():
            if not node.machine.has_text(path, text, mode):
                node.machine.write_text(path, text, mode=mode)
    node.machine.change("systemctl", "daemon-reload")
    if not node.inputs.cluster.acceptance.hold or node.machine.exists(MARKER):
        return
    if systemd.is_active(node, "slurmd.service"):
        node.machine.change("sh", SCRIPT)


_FILES = (SCRIPT, DROP_IN)


def _wanted(node: Node) -> dict[str, tuple[str, int]]:
    return {SCRIPT: (_script(node), 0o755), DROP_IN: (_DROP_IN_TEXT, 0o644)}


def _script(node: Node) -> str:
    """The program before slurmd; it fails, and slurmd waits, while slurmctld does not answer.

    Where the controller distributes the configuration, commands have none before slurmd has run
    in a boot: they ask the server of slurmd's options, which are in an environment file of its
    unit (Slurm's and Debian's units: `SLURMD_OPTIONS`), and so in this program's environment, or
    in its command line.

    A node that is drained already keeps the reason: its boot is seen when it registers. So does
    one that somebody has set DOWN, which the controller would resume otherwise. The two reasons of
    DOWN nodes are slurmctld's own (its source: `set_node_down_ptr`).
    """
    name = node.slurm_name.split(".")[0]
    return f"""#!/bin/sh
# Written by clusterwright_node: drain the node once in each boot, before slurmd registers.
set -o errexit
set -o nounset
PATH=/opt/slurm/bin:/usr/local/bin:/usr/bin:/bin
test ! -e {MARKER} || exit 0
options="${{SLURMD_OPTIONS:-}} $(systemctl show slurmd.service --property=ExecStart)"
server=$(printf '%s\\n' "$options" | sed -n 's/.*--conf-server[= ] *\\([^ ;]*\\).*/\\1/p')
test -z "$server" || export SLURM_CONF_SERVER="$server"
state=$(scontrol --oneliner show node {name})
case "$state" in
    *+DRAIN*) reason= ;;
    *State=DOWN*"Reason=Not responding"* | *State=DOWN*"Reason=Node unexpectedly rebooted"*)
        reason='{NEW}' ;;
    *State=DOWN*)
        reason=$(printf '%s\\n' "$state" | sed -n 's/.* Reason=\\(.*\\) \\[.*/\\1/p')
        reason=${{reason:-{NEW}}} ;;
    *) reason='{NEW}' ;;
esac
test -z "$reason" || scontrol update NodeName={name} State=DRAIN "Reason=$reason"
mkdir -p {MARKER.rpartition("/")[0]}
: >{MARKER}
"""
