"""Run the steps that need Slurm once it answers, on the node that administers a PCS cluster.

See `slurm_later`. A permanent copy of these scripts runs them, with the lock and the journal like
every run; after a failure again every 15 seconds.
"""

from __future__ import annotations

from clusterwright_node import kept_scripts, slurm_later, systemd
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("metadata_service", "network", "slurm_programs", "users")
DEADLINE_SECONDS = 60
RETRIES = 1

_INPUTS = ("cluster.json", "deployment.json")


def applies(node: Node) -> Verdict:
    if not node.is_pcs:
        return skip("Slurm runs before the steps that need it")
    return APPLIES if node.administers else skip("the first login group's node does it")


def check(node: Node) -> Verdict:
    problem = kept_scripts.problem(node, kept_scripts.files(node, _INPUTS))
    if problem is not None:
        return missing(problem)
    if not systemd.has_unit(node, slurm_later.UNIT, unit_text(node)):
        return missing(f"{slurm_later.UNIT} is not active and enabled")
    return SATISFIED


def apply(node: Node) -> None:
    systemd.stop_before_change(node, slurm_later.UNIT)
    kept_scripts.install(node, kept_scripts.files(node, _INPUTS))
    systemd.install_unit(node, slurm_later.UNIT, unit_text(node))


def unit_text(node: Node) -> str:
    """The service. It stays active once it has succeeded, until its text changes."""
    command = kept_scripts.command(
        node.configuration, slurm_later.STEPS, (f"--group={node.group.name}",)
    )
    return f"""# Written by clusterwright_node.
[Unit]
Description=Accounts and priorities of Slurm
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=/bin/sh -c 'until scontrol ping >/dev/null 2>&1; do sleep 2; done; exec {command}'
Environment=PATH=/opt/slurm/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
Environment=CLUSTERWRIGHT_INPUTS={node.inputs.digest}
RemainAfterExit=yes
Restart=on-failure
RestartSec=15

[Install]
WantedBy=multi-user.target
"""
