"""The timer of a node's health check is stopped.

In the managed configuration a systemd timer starts the health check; in the scripted one slurmd
does, and there is nothing to stop. An alert while the timer is stopped is not promised: nothing
monitors the timer between runs of the node program, and HealthCheckProgram, which slurmd would
run, is set by HyperPod in the managed configuration.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 150
SECONDS = 5
MODES = ("managed",)

PROMISES = {
    "restarted": "the next run of the node program (for example a software update) starts it"
    " again",
    "rebooted": "so does a reboot",
}


def run(context: ScenarioContext) -> None:
    node = context.compute[-1]
    active = f"systemctl is-active {faults.HEALTH_TIMER}"
    try:
        with context.promise("restarted"):
            node.must(f"systemctl stop {faults.HEALTH_TIMER}")
            run = node.run_program()
            context.expect(run.exit_code == 0, f"exit code {run.exit_code}: {run.last_line}")
            context.expect(run.statuses.get("health") == "applied", f"{run.statuses}")
            node.must(active)

        with context.promise("rebooted"):
            node.must(f"systemctl stop {faults.HEALTH_TIMER}")
            faults.reboot_and_wait(context, node)
            context.wait_for(
                lambda: None if node.run(active).ok else "the timer is not active", within_s=30
            )

    finally:
        node.must(f"systemctl start {faults.HEALTH_TIMER}")
        context.wait_idle()
