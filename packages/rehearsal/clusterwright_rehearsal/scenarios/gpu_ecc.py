"""A GPU counts uncorrectable memory errors."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 122
SECONDS = 15
MODES = ("managed", "pcs")

PROMISES = {
    "drained": "uncorrectable errors since the driver started drain the node, and the reason"
    " gives their number",
    "back": "when its instance is replaced, the node returns to the partition",
}


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "nvidia")
    node = context.compute[-1]
    before = node.instance_id
    try:
        with context.promise("drained"):
            faults.add(node, "gpu-ecc", "0", lasting=True)
            faults.expect_drained(context, node, "gpu: GPU 0", "4 uncorrected memory errors")

        with context.promise("back"):
            context.replace(node)
            seconds = context.wait_running(node, but=before)
            context.note(f"replaced in {seconds:.0f} s")
            faults.expect_in_service(context, node)
            jobs.expect_job(context, node)
    finally:
        faults.restore(context, node)
