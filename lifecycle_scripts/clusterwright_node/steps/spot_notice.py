"""Install the service that watches for Spot interruption notices.

Only on nodes of groups with Spot capacity. See `clusterwright_spot` for what it does.
"""

from __future__ import annotations

from clusterwright_node import programs, systemd
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("network",)
DEADLINE_SECONDS = 60
RETRIES = 1

PACKAGE = "clusterwright_spot"
UNIT = "clusterwright-spot.service"


def applies(node: Node) -> Verdict:
    if node.group.role != "compute":
        return skip("jobs run only on compute nodes")
    if not node.group.spot:
        return skip(f"group {node.group.name} has no Spot capacity")
    return APPLIES


def check(node: Node) -> Verdict:
    if not programs.is_installed(node, PACKAGE):
        return missing(f"{PACKAGE} is missing or outdated")
    if not systemd.has_unit(node, UNIT, unit_text(node)):
        return missing(f"{UNIT} is not active and enabled")
    return SATISFIED


def apply(node: Node) -> None:
    systemd.stop_before_change(node, UNIT)
    programs.install(node, PACKAGE)
    systemd.install_unit(node, UNIT, unit_text(node))


def unit_text(node: Node) -> str:
    """The service of this node."""
    name = node.slurm_name.split(".")[0]
    command = programs.command(PACKAGE, f"--slurm-name={name}")
    return f"""# Written by clusterwright_node.
[Unit]
Description=Watch for a Spot interruption notice

[Service]
ExecStart={command}
Environment=PATH=/opt/slurm/bin:/usr/local/bin:/usr/bin:/bin
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
"""
