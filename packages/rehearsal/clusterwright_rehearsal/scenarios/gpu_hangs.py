"""nvidia-smi does not answer, because the driver waits for a GPU indefinitely.

A health check without a timeout would hang too, and so would every job that waits for the check.
"""

from __future__ import annotations

import time

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 119
SECONDS = 25
MODES = ("managed", "pcs")

PROMISES = {
    "drained": "the health check ends within a minute, and drains the node because of the timeout",
    "back": "after a reboot the node returns to the partition",
}

_SLURM_WAITS_S = 60.0
"""slurmd ends a health check after a minute (slurm.conf, HealthCheckProgram)."""


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "nvidia")
    node = context.compute[-1]
    try:
        with context.promise("drained"):
            faults.add(node, "gpu-hang")
            started = time.monotonic()
            faults.expect_drained(context, node, "gpu: nvidia-smi: no response in time")
            seconds = time.monotonic() - started
            context.note(f"after {seconds:.0f} s")
            context.expect(seconds < _SLURM_WAITS_S, f"the check took {seconds:.0f} s")

        with context.promise("back"):
            context.note(f"rebooted in {faults.reboot_and_wait(context, node):.0f} s")
            faults.expect_in_service(context, node)
            jobs.expect_job(context, node, "nvidia-smi -L")
    finally:
        faults.restore(context, node)
