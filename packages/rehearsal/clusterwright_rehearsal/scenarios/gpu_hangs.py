"""nvidia-smi does not answer: the driver waits for a GPU for ever.

A health check without a deadline would hang with it, and every job that waits for the check, too.
"""

from __future__ import annotations

import time

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import Stage

ORDER = 119
MODES = ("managed",)

PROMISES = {
    "drained": "the look ends within a minute, and drains the node because there was no answer",
    "back": "after a reboot the node is in the partition by itself",
}

_SLURM_WAITS_S = 60.0
"""slurmd ends a health check after a minute (slurm.conf, HealthCheckProgram)."""


def play(stage: Stage) -> None:
    faults.need_devices(stage, "nvidia")
    node = stage.compute[-1]
    try:
        with stage.promise("drained"):
            faults.put(node, "gpu-hang")
            started = time.monotonic()
            faults.expect_drained(stage, node, "gpu: nvidia-smi: no answer in time")
            seconds = time.monotonic() - started
            stage.note(f"after {seconds:.0f} s")
            stage.expect(seconds < _SLURM_WAITS_S, f"the look took {seconds:.0f} s")

        with stage.promise("back"):
            stage.note(f"rebooted in {faults.rebooted(stage, node):.0f} s")
            faults.expect_in_use(stage, node)
            test = stage.submit("nvidia-smi -L", options=[f"--nodelist={node.host}"])
            test.wait("COMPLETED", within_s=60)
    finally:
        faults.make_whole(stage, node)
