"""Install the operating commands (`clusterwright status` and others) for this node.

See `clusterwright_state.commands`. They are on the controller and on login nodes; what acts needs
root there.
"""

from __future__ import annotations

import json

from clusterwright_acceptance import registry
from clusterwright_acceptance.expected import Expected, FileSystem
from clusterwright_state.commands import setting

from clusterwright_node import programs
from clusterwright_node.contract import Group
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("cluster_state",)
DEADLINE_SECONDS = 60
RETRIES = 1

PACKAGE = "clusterwright_state"
TABLES = "clusterwright"
"""The tables of failures (`clusterwright/diagnosis`), which are uploaded beside this program."""
ENTRY = setting.ENTRY
_MARK = "Written by clusterwright_node."
_ENTRY_TEXT = programs.script(_MARK, programs.command(f"{PACKAGE}.commands") + ' "$@"')


def applies(node: Node) -> Verdict:
    if node.group.role == "compute":
        return skip("operators work on the controller and on login nodes")
    return APPLIES


def check(node: Node) -> Verdict:
    for package in (PACKAGE, TABLES):
        if not programs.is_installed(node, package):
            return missing(f"{package} is missing or outdated")
    for path, (text, mode) in _files(node).items():
        if not node.machine.has_text(path, text, mode):
            return missing(f"{path} is missing or outdated")
    return SATISFIED


def apply(node: Node) -> None:
    for package in (PACKAGE, TABLES):
        programs.install(node, package)
    for path, (text, mode) in _files(node).items():
        if not node.machine.has_text(path, text, mode):
            node.machine.write_text(path, text, mode=mode)


def _files(node: Node) -> dict[str, tuple[str, int]]:
    """Texts and modes by path; a program of the site at the path of ours stays."""
    files = {setting.FILE: (_setting(node), 0o644)}
    there = node.machine.read_text(ENTRY)
    if there is None or _MARK in there:
        files[ENTRY] = (_ENTRY_TEXT, 0o755)
    else:
        node.notice(f"{ENTRY} is not this program's, and stays: the commands have no entry")
    return files


def _setting(node: Node) -> str:
    cluster = node.inputs.cluster
    content = {
        "schema_version": setting.SCHEMA_VERSION,
        "environment": cluster.cluster,
        "platform": cluster.platform,
        "account": node.inputs.resources.account,
        "region": cluster.region,
        "inputs_sha256": node.inputs.digest or None,
        "administers": node.administers,
        "administrator": node.administrator,
        "has_service": cluster.state_bucket is not None,
        "state_bucket": cluster.state_bucket,
        "reserve": node.is_replaced_if_drained,
        "level": cluster.acceptance.level,
        "level_limit_seconds": {
            level: registry.limit_seconds(level) for level in registry.levels()
        },
        "resource_config": node.inputs.resource_config,
        "topology": cluster.slurm.topology,
        "groups": [
            {
                "name": group.name,
                "role": group.role,
                "instance_type": group.instance_type,
                "partition": group.partition,
                "spare_count": group.spare_count,
                "planned_seconds": {
                    level: _planned_seconds(level, group) for level in registry.levels()
                },
            }
            for group in cluster.groups
        ],
    }
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def _planned_seconds(level: str, group: Group) -> int:
    """What a level takes on a healthy node; 0 for nodes that run no jobs."""
    if group.role != "compute":
        return 0
    # With everything that a check can need, as the price elsewhere is computed.
    node = Expected(
        "node",
        group.instance_type,
        group.accelerator,
        group.efa,
        (FileSystem("/fsx", "dns", "mount"),),
        "/home",
        "/scratch",
    )
    return sum(
        check.planned_seconds
        for check in registry.checks(level)
        if (
            check.load().applies(node) is None
            if check.scope == registry.NODE
            else check.id == "lustre-write" or group.accelerator == "nvidia"
        )
    )
