"""The whole cluster is power-cycled, and the controller comes back last.

Compute and login nodes boot while nothing answers at the controller's address. slurmd asks it for
its configuration until systemd ends the start of the unit, after 90 s, here after a few. Without a
restart the node would then stay down. The controller boots after that.
"""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 114
SECONDS = 50
MODES = ("scripted",)  # in the managed configuration HyperPod starts Slurm's daemons

PROMISES = {
    "waits": "nodes that boot before the controller have no slurmd, and are otherwise complete",
    "returns": "when the controller has booted, every node returns to its partition by itself",
    "mounted": "every file system is mounted again",
    "jobs": "every compute node takes jobs",
}

_DROP_IN = "/etc/systemd/system/slurmd.service.d/60-rehearsal.conf"
_START_S = 6


def run(context: ScenarioContext) -> None:
    controller, others = context.controller, [*context.compute, *context.nodes("login")]
    try:
        with context.promise("waits"):
            # Until it boots: the controller is reached again by then, as after a real power cycle.
            controller.must("systemctl mask --runtime --now slurmctld")
            for node in context.compute:
                node.write(_DROP_IN, f"[Service]\nTimeoutStartSec={_START_S}\n")
            with ThreadPoolExecutor(len(others)) as pool:
                list(pool.map(lambda node: faults.reboot_and_wait(context, node), others))
            for node in context.compute:
                context.wait_for(functools.partial(_still_trying, node), within_s=60)

        with context.promise("returns"):
            faults.reboot_and_wait(context, controller)
            seconds = context.wait_for(lambda: _not_answering(controller), within_s=90)
            context.note(f"slurmctld after {seconds:.0f} s")
            context.wait_idle()

        with context.promise("mounted"):
            for node in (controller, *others):
                for entry in context.cluster.storage.lustre:
                    kind = node.must(f"findmnt -n -o FSTYPE {entry.mount_path}").strip()
                    context.expect(kind == "lustre", f"{entry.mount_path} of {node} is {kind}")

        with context.promise("jobs"):
            for node in context.compute:
                jobs.expect_job(context, node)
    finally:
        controller.must("systemctl unmask --runtime slurmctld; systemctl start slurmctld")
        for node in context.compute:
            node.must(f"rm -f {_DROP_IN} && systemctl daemon-reload")


def _still_trying(node: Node) -> str | None:
    """None once slurmd has ended without the controller, and waits for its next attempt."""
    shown = node.must("systemctl show --property=NRestarts,ActiveState slurmd")
    found = dict(line.split("=", 1) for line in shown.splitlines())
    if found["ActiveState"] == "active":
        return f"slurmd of {node} is active without a controller"
    tried = int(found["NRestarts"]) > 0
    return None if tried else f"slurmd of {node} is {found['ActiveState']}, not started again"


def _not_answering(controller: Node) -> str | None:
    said = controller.run("scontrol ping")
    return None if " UP" in said.stdout else f"scontrol ping: {said.output_tail}"
