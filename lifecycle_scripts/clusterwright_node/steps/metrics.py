"""Install the service that serves the node's metrics in the format of Prometheus.

See `clusterwright_metrics` for the metrics, and `metrics_shipping` for their way to a workspace.
The service runs in a read-only systemd sandbox.
"""

from __future__ import annotations

from clusterwright_node import programs, systemd
from clusterwright_node.contract import Metrics
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("home", "lustre", "scratch")
DEADLINE_SECONDS = 60
RETRIES = 1

PACKAGE = "clusterwright_metrics"
UNIT = "clusterwright-metrics.service"


def applies(node: Node) -> Verdict:
    if node.inputs.cluster.metrics is None:
        return skip("the spec has no metrics")
    return APPLIES


def check(node: Node) -> Verdict:
    if not programs.is_installed(node, PACKAGE):
        return missing(f"{PACKAGE} is missing or outdated")
    if not systemd.has_unit(node, UNIT, unit_text(node, _metrics(node))):
        return missing(f"{UNIT} is not active and enabled")
    return SATISFIED


def apply(node: Node) -> None:
    text = unit_text(node, _metrics(node))
    systemd.stop_before_change(node, UNIT)
    programs.install(node, PACKAGE)
    systemd.install_unit(node, UNIT, text)


def listen_address(node: Node, metrics: Metrics) -> str:
    """The address of the service."""
    host = node.identity.address if metrics.listen == "private" else "127.0.0.1"
    return f"{host}:{metrics.port}"


def unit_text(node: Node, metrics: Metrics) -> str:
    """The unit. With Lustre it has CAP_SYS_ADMIN, which LNet requires."""
    listen = listen_address(node, metrics)
    # On PCS the node that administers has the controller's sources: they ask Slurm's commands.
    role = "controller" if node.administers else node.group.role
    command = programs.command(PACKAGE, f"--role={role}", f"--listen={listen}")
    capabilities = "CAP_SYS_ADMIN" if node.inputs.cluster.lustre else ""
    return f"""# Written by clusterwright_node.
[Unit]
Description=Metrics of this node for Prometheus
After=network-online.target
Wants=network-online.target

[Service]
ExecStart={command}
Restart=always
RestartSec=10
Nice=10
OOMScoreAdjust=500
MemoryMax=1G
TasksMax=256
NoNewPrivileges=yes
CapabilityBoundingSet={capabilities}
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
ProtectClock=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
ProtectHostname=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
RestrictNamespaces=yes
LockPersonality=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK

[Install]
WantedBy=multi-user.target
"""


def _metrics(node: Node) -> Metrics:
    metrics = node.inputs.cluster.metrics
    assert metrics is not None, "applies() checks it"
    return metrics
