"""Give every user of the node the credentials of the role for jobs.

The role allows the buckets and images of the spec; users cannot have the node's own role
(`metadata_service`). See `clusterwright_credentials` for the service. Login shells export its
address for AWS's SDKs, and Slurm passes it on to jobs; a user's own credentials come first in the
SDKs' order.
"""

from __future__ import annotations

import re

from clusterwright_node import programs, systemd
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("clock", "metadata_service", "network")
DEADLINE_SECONDS = 60
RETRIES = 1

PACKAGE = "clusterwright_credentials"
UNIT = "clusterwright-credentials.service"
PROFILE = "/etc/profile.d/clusterwright-credentials.sh"
ADDRESS = "http://127.0.0.1:579/job-role"
"""HOST, PORT and PATH of `clusterwright_credentials.service`; a test compares them."""


def applies(node: Node) -> Verdict:
    if node.inputs.cluster.job_role_arn is None:
        return skip("the spec gives jobs no buckets and no images")
    return APPLIES


def check(node: Node) -> Verdict:
    if not programs.is_installed(node, PACKAGE):
        return missing(f"{PACKAGE} is missing or outdated")
    if node.machine.read_text(PROFILE) != profile_text():
        return missing(f"{PROFILE} is not current")
    if not systemd.has_unit(node, UNIT, unit_text(node)):
        return missing(f"{UNIT} is not active and enabled")
    return SATISFIED


def apply(node: Node) -> None:
    systemd.stop_before_change(node, UNIT)
    programs.install(node, PACKAGE)
    node.machine.write_text(PROFILE, profile_text())
    systemd.install_unit(node, UNIT, unit_text(node))


def profile_text() -> str:
    """The setting of login shells."""
    return (
        "# Written by clusterwright_node: credentials of the role for jobs, for AWS's SDKs.\n"
        f"export AWS_CONTAINER_CREDENTIALS_FULL_URI={ADDRESS}\n"
    )


def unit_text(node: Node) -> str:
    """The service of this node."""
    # RoleSessionName: CloudTrail shows which node a job used.
    session = re.sub(r"[^\w+=,.@-]", "-", node.identity.instance_id)[:64]
    command = programs.command(
        PACKAGE,
        f"--role-arn={node.inputs.cluster.job_role_arn}",
        f"--session-name={session}",
        f"--region={node.inputs.cluster.region}",
    )
    return f"""# Written by clusterwright_node.
[Unit]
Description=Credentials of the role for jobs
Wants=network-online.target
After=network-online.target clusterwright-metadata.service

[Service]
ExecStart={command}
Environment=PATH=/usr/local/bin:/usr/bin:/bin
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
"""
