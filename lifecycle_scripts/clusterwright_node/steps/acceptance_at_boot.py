"""Test a node in each boot before slurmd starts, with `acceptance.hold` (ParallelCluster, PCS).

ParallelCluster replaces drained nodes, and both boot dynamic nodes for a job that has them
already, so neither a drain nor a reservation would hold them. This step runs the test before the
platform starts slurmd: if it fails, the custom or lifecycle action fails with the check and the
reason, and the platform replaces the instance. ParallelCluster's protected mode ends replacements
that never succeed.

ParallelCluster runs its actions on the first boot, so there slurmd's unit requires the test. PCS
runs them in each boot, and starts slurmd by a unit of its own. Slurm's commands have no
configuration before, so another unit reports the result.
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
REPORT_UNIT = "clusterwright-acceptance-report.service"
DROP_IN = f"{systemd.UNIT_FOLDER}/slurmd.service.d/60-clusterwright-acceptance.conf"

_DROP_IN_TEXT = f"""# Written by clusterwright_node: no job starts before the node is accepted.
[Unit]
Requires={UNIT}
After={UNIT}
"""

_REPORT_TEXT = f"""# Written by clusterwright_node: Slurm's commands work when slurmd has started.
[Unit]
Description=Report of the acceptance of this boot
Requires={UNIT}
After={UNIT}
StartLimitIntervalSec=0

[Service]
ExecStart={programs.command("clusterwright_acceptance", "report")}
Restart=on-failure
RestartSec=5
"""


def _unit_text(command: str, wants: str = "") -> str:
    """Locked memory is that of slurmd's unit, which jobs have."""
    return f"""# Written by clusterwright_node.
[Unit]
Description=Acceptance of this boot
Wants=network-online.target{wants}
After=network-online.target remote-fs.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={command}
LimitMEMLOCK=infinity
TimeoutStartSec={boot.LIMIT_SECONDS}
"""


def applies(node: Node) -> Verdict:
    if node.group.role != "compute":
        return skip("jobs run only on compute nodes")
    if not node.is_replaced_if_drained:
        return skip("only nodes of ParallelCluster and AWS PCS test themselves at boot")
    if not node.inputs.cluster.acceptance.hold and not any(map(node.machine.exists, _files(node))):
        return skip("acceptance.hold is false")
    return APPLIES


def check(node: Node) -> Verdict:
    if not node.inputs.cluster.acceptance.hold:
        left = [path for path in _files(node) if node.machine.exists(path)]
        return missing(f"{left[0]} exists, although hold is false") if left else SATISFIED
    for path, text in _files(node).items():
        if node.machine.read_text(path) != text:
            return missing(f"{path} is missing or outdated")
    # Once in each boot: to restart the unit would stop slurmd, and with it the jobs.
    return SATISFIED if systemd.is_active(node, UNIT) else missing("this boot is not accepted")


def apply(node: Node) -> None:
    hold = node.inputs.cluster.acceptance.hold
    for path, text in _files(node).items():
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
        raise StepError(
            _why(node) or error.cause,
            f"{node.platform} replaces the instance; to accept the result for a time, add a "
            "waiver to `acceptance.waivers`",
        ) from None


def _files(node: Node) -> dict[str, str]:
    """Text by path; what makes a platform start or report the test is written first."""
    command = programs.command("clusterwright_acceptance", "boot")
    unit = systemd.unit_path(UNIT)
    if node.is_pcs:
        report = systemd.unit_path(REPORT_UNIT)
        text = _unit_text(f"{command} --report-later", wants=f" {REPORT_UNIT}")
        return {report: _REPORT_TEXT, unit: text}
    return {DROP_IN: _DROP_IN_TEXT, unit: _unit_text(command)}


def _why(node: Node) -> str | None:
    """What the last test says; None if there is no result that is not accepted."""
    try:
        found = json.loads(node.machine.read_text(RESULT) or "")
        verdict, reason = str(found["verdict"]), str(found["reason"])
    except (ValueError, KeyError, TypeError):
        return None
    return None if verdict == ACCEPTED else f"the node is {verdict}: {reason}"
