"""Install the acceptance program, and write what the node should be.

See `clusterwright_acceptance` for the checks. On compute nodes the program runs as a job of Slurm;
the controller starts such jobs, on PCS the first login node.
"""

from __future__ import annotations

from clusterwright_acceptance.expected import FILE, Expected, FileSystem, SizedFloor, written

from clusterwright_node import programs
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("home", "lustre", "scratch")
DEADLINE_SECONDS = 60
RETRIES = 1

PACKAGE = "clusterwright_acceptance"


def applies(node: Node) -> Verdict:
    if node.group.role == "login" and not node.administers:
        return skip("no job runs on login nodes")
    return APPLIES


def check(node: Node) -> Verdict:
    if not programs.is_installed(node, PACKAGE):
        return missing(f"{PACKAGE} is missing or outdated")
    if _is_tested(node) and node.machine.read_text(FILE) != _expectation(node):
        return missing(f"{FILE} is missing or outdated")
    return SATISFIED


def apply(node: Node) -> None:
    programs.install(node, PACKAGE)
    if _is_tested(node) and node.machine.read_text(FILE) != _expectation(node):
        node.machine.write_text(FILE, _expectation(node))


def _is_tested(node: Node) -> bool:
    return node.group.role == "compute"


def _expectation(node: Node) -> str:
    cluster, group = node.inputs.cluster, node.group
    deployed = node.inputs.deployment
    floors = [
        row for row in cluster.acceptance.floors if not row.groups or group.name in row.groups
    ]
    return written(
        Expected(
            node=node.slurm_name,
            instance_type=group.instance_type,
            kind=group.accelerator,
            efa=group.efa,
            lustre=tuple(
                FileSystem(
                    mount_path=entry.mount_path,
                    dns_name=deployed.lustre_named(entry.name).dns_name,
                    mount_name=deployed.lustre_named(entry.name).mount_name,
                )
                for entry in cluster.lustre
            ),
            home_path=None if cluster.home is None else cluster.home.mount_path,
            scratch_path=None if group.scratch is None else group.scratch.mount_path,
            group=group.name,
            floors={
                row.check: row.minimum
                for row in floors
                if row.size_mib is None and row.node_count is None
            },
            sized_floors=tuple(
                SizedFloor(row.check, row.minimum, row.size_mib, row.node_count)
                for row in floors
                if row.size_mib is not None or row.node_count is not None
            ),
            waivers=tuple(
                {
                    "check": row.check,
                    "reason": row.reason,
                    "expires": row.expires,
                    "nodes": list(row.nodes),
                }
                for row in cluster.acceptance.waivers
                if not row.groups or group.name in row.groups
            ),
        )
    )
