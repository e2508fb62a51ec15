"""Update the topology when nodes get other instances, on ParallelCluster (slurm.topology: tree).

The head node gets no event when clustermgtd launches or replaces an instance. Every minute a timer
compares Slurm's nodes with the record of the step `topology`, and runs that step again, from a
permanent copy of these scripts, if they differ.
"""

from __future__ import annotations

from clusterwright_node import kept_scripts, systemd
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.steps import topology

AFTER = ("topology",)
DEADLINE_SECONDS = 60
RETRIES = 1

TIMER = "clusterwright-topology.timer"
SERVICE = "clusterwright-topology.service"
PROGRAM = "/opt/clusterwright/lib/topology_follow.sh"
EVERY_SECONDS = 60
_INPUTS = ("cluster.json", "deployment.json")


def applies(node: Node) -> Verdict:
    if not node.is_parallelcluster:
        return skip("slurm_follow does it, or HyperPod")
    if not node.is_controller:
        return skip("the head node updates Slurm")
    if not topology.is_wanted(node) and not _is_there(node):
        return skip(node.does("configures the topology itself"))
    return APPLIES


def check(node: Node) -> Verdict:
    if not topology.is_wanted(node):
        reason = f"{TIMER} exists, but the spec has no topology"
        return missing(reason) if _is_there(node) else SATISFIED
    problem = kept_scripts.problem(node, _files(node))
    if problem is not None:
        return missing(problem)
    if not systemd.has_unit(node, TIMER, _timer_text()):
        return missing(f"{TIMER} is not active and enabled")
    return SATISFIED


def apply(node: Node) -> None:
    if not topology.is_wanted(node):
        if systemd.is_active(node, TIMER):
            node.machine.change("systemctl", "stop", TIMER)
        node.machine.change("systemctl", "disable", TIMER)
        for path in (systemd.unit_path(SERVICE), PROGRAM, systemd.unit_path(TIMER)):
            if node.machine.exists(path):
                node.machine.remove(path)
        node.machine.change("systemctl", "daemon-reload")
        return
    kept_scripts.install(node, _files(node), PROGRAM)
    systemd.install_unit(node, TIMER, _timer_text())


def _is_there(node: Node) -> bool:
    return node.machine.exists(systemd.unit_path(TIMER))


def _files(node: Node) -> dict[str, str]:
    return {
        systemd.unit_path(SERVICE): _service_text(),
        PROGRAM: _program_text(node),
        **kept_scripts.files(node, _INPUTS),
    }


def _timer_text() -> str:
    return f"""# Written by clusterwright_node.
[Unit]
Description=Timer that checks whether nodes have other instances

[Timer]
OnActiveSec={EVERY_SECONDS}
OnBootSec={EVERY_SECONDS}
OnUnitInactiveSec={EVERY_SECONDS}
AccuracySec=5

[Install]
WantedBy=timers.target
"""


def _service_text() -> str:
    return f"""# Written by clusterwright_node.
[Unit]
Description=Update the topology of Slurm

[Service]
Type=oneshot
ExecStart={PROGRAM}
"""


def _program_text(node: Node) -> str:
    command = kept_scripts.command(
        node.configuration, ("topology",), (f"--group={node.group.name}",)
    )
    return f"""#!/bin/sh
# Written by clusterwright_node. Does nothing as long as Slurm's nodes have the instances that they
# had.
export LC_ALL=C PATH="/opt/slurm/bin:$PATH"
said="$(scontrol --oneliner show nodes)" || exit 0
now="$(printf '%s\\n' "$said" | sed -nE 's/^NodeName=([^ ]+) .*NodeAddr=([0-9]+(\\.[0-9]+)+)( .*|$)/\\1 \\2/p' | sort)"
[ "$now" != "$(cat {topology.SEEN} 2>/dev/null)" ] || exit 0
# Repeat the request for instances that EC2 did not return yet.
rm -f {topology.KNOWN}
exec {command}
"""  # noqa: E501
