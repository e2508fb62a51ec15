"""Publish the scheduler's view of the cluster, and take operators' requests (controller).

On PCS, which runs the controller, the node of the first login group does it with Slurm's commands.
See `clusterwright_state` for what the service does.
"""

from __future__ import annotations

from clusterwright_node import programs, systemd
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("metadata_service", "network")
DEADLINE_SECONDS = 60
RETRIES = 1

PACKAGE = "clusterwright_state"
UNIT = "clusterwright-state.service"


def applies(node: Node) -> Verdict:
    if not node.administers:
        return skip(f"{node.administrator} publishes the state of the cluster")
    if node.inputs.cluster.state_bucket is None:
        return skip("cluster.json names no bucket for the state")
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
    """The service of this controller."""
    cluster = node.inputs.cluster
    command = programs.command(
        PACKAGE,
        f"--bucket={cluster.state_bucket}",
        f"--environment={cluster.cluster}",
        f"--region={cluster.region}",
        f"--resource-config={node.inputs.resource_config}",
        f"--inputs-sha256={node.inputs.digest}",
        # A drained node might be replaced with its evidence.
        *(["--reserve"] if node.is_replaced_if_drained else []),
        *_hold(node),
        *_rechecks(node),
        *_spares(node),
    )
    return f"""# Written by clusterwright_node.
[Unit]
Description=State of the cluster for its operators
Wants=network-online.target
After=network-online.target clusterwright-metadata.service

[Service]
ExecStart={command}
Environment=PATH=/opt/slurm/bin:/usr/local/bin:/usr/bin:/bin
Restart=always
RestartSec=15
Nice=10

[Install]
WantedBy=multi-user.target
"""


def _hold(node: Node) -> list[str]:
    """With the hold, a node that is new to Slurm is reserved soon; nodes of ParallelCluster and
    PCS test themselves before they are in Slurm (`acceptance_at_boot`).
    """
    acceptance = node.inputs.cluster.acceptance
    if not acceptance.hold:
        return []
    if node.is_replaced_if_drained:
        return ["--boot-tests"]
    return [f"--hold={acceptance.level}", "--every-seconds=10"]


def _rechecks(node: Node) -> list[str]:
    acceptance = node.inputs.cluster.acceptance
    if acceptance.recheck_hours is None:
        return []
    return [f"--recheck={acceptance.level},{acceptance.recheck_hours}"]


def _spares(node: Node) -> list[str]:
    """In the scripted configuration a limit of the database keeps spares (`slurm_qos`)."""
    if not node.is_managed:
        return []
    groups = [group for group in node.inputs.cluster.groups if group.spare_count]
    return [
        "--keep-spares",
        *(f"--spares={group.name}={group.spare_count}" for group in groups),
    ]
