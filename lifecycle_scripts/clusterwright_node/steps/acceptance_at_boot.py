"""Test a node of ParallelCluster in each boot before slurmd starts, with `acceptance.hold`.

slurmd requires the test, so a node that is not accepted takes no job. ParallelCluster replaces
drained nodes, and boots dynamic nodes for a job that has them already, so neither a drain nor a
reservation would hold them. On the first boot this step runs the test, before ParallelCluster
starts slurmd: if it fails, the custom action fails with the check and the reason, and
ParallelCluster replaces the instance. Its protected mode ends replacements that never succeed.
"""

from __future__ import annotations

import json

from clusterwright_acceptance import boot
from clusterwright_acceptance.node_run import RESULT
from clusterwright_acceptance.verdicts import ACCEPTED

from clusterwright_node import programs, systemd
from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = (
    *("acceptance", "clock", "efa_transport", "health", "home", "limits", "lustre", "network"),
    *("scratch", "software_versions"),
)
DEADLINE_SECONDS = 900
RETRIES = 0

UNIT = "clusterwright-acceptance.service"
DROP_IN = f"{systemd.UNIT_FOLDER}/slurmd.service.d/60-clusterwright-acceptance.conf"

_DROP_IN_TEXT = f"""# Written by clusterwright_node: no job starts before the node is accepted.
[Unit]
Requires={UNIT}
After={UNIT}
"""

_UNIT_TEXT = f"""# Written by clusterwright_node.
[Unit]
Description=Acceptance of this boot
Wants=network-online.target
After=network-online.target remote-fs.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={programs.command("clusterwright_acceptance", "boot")}
LimitMEMLOCK=infinity
TimeoutStartSec={boot.LIMIT_SECONDS}
"""
"""Locked memory is that of slurmd's unit, which jobs have."""


def applies(node: Node) -> Verdict:
    if node.group.role != "compute":
        return skip("jobs run only on compute nodes")
    if not node.is_parallelcluster:
        return skip("only nodes of ParallelCluster test themselves at boot")
    if not node.inputs.cluster.acceptance.hold and not any(map(node.machine.exists, _FILES)):
        return skip("acceptance.hold is false")
    return APPLIES


def check(node: Node) -> Verdict:
    if not node.inputs.cluster.acceptance.hold:
        left = [path for path in _FILES if node.machine.exists(path)]
        return missing(f"{left[0]} exists, although hold is false") if left else SATISFIED
    for path, text in _FILES.items():
        if node.machine.read_text(path) != text:
            return missing(f"{path} is missing or outdated")
    # Once in each boot: to restart the unit would stop slurmd, and with it the jobs.
    return SATISFIED if systemd.is_active(node, UNIT) else missing("this boot is not accepted")


def apply(node: Node) -> None:
    hold = node.inputs.cluster.acceptance.hold
    for path, text in _FILES.items():
        if hold and node.machine.read_text(path) != text:
            node.machine.write_text(path, text)
        elif not hold and node.machine.exists(path):
            node.machine.remove(path)
    node.machine.change("systemctl", "daemon-reload")
    if not hold or systemd.is_active(node, UNIT):
        return
    try:
        systemd.start(node, UNIT, boot.LIMIT_SECONDS + 30.0)
    except CommandError as error:
        raise StepError(_why(node) or error.cause, _HINT) from None


_FILES = {DROP_IN: _DROP_IN_TEXT, systemd.unit_path(UNIT): _UNIT_TEXT}
_HINT = (
    "ParallelCluster replaces the instance; to accept the result for a time, add a waiver to "
    "`acceptance.waivers`"
)


def _why(node: Node) -> str | None:
    """What the last test says; None if there is no result that is not accepted."""
    try:
        found = json.loads(node.machine.read_text(RESULT) or "")
        verdict, reason = str(found["verdict"]), str(found["reason"])
    except (ValueError, KeyError, TypeError):
        return None
    return None if verdict == ACCEPTED else f"the node is {verdict}: {reason}"
