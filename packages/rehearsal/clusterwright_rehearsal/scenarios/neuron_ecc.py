"""A Neuron device counts an uncorrected memory error."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 126
MODES = ("managed",)

PROMISES = {
    "drained": "the error drains the node, and the reason names the device and the counter",
    "back": "when its instance is replaced, the node returns to the partition",
}

_COUNTERS = "/sys/devices/virtual/neuron_device/neuron1/stats/hardware"


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "neuron")
    node = context.compute[-1]
    before = node.instance_id
    try:
        with context.promise("drained"):
            node.must(f"echo 1 >{_COUNTERS}/mem_ecc_uncorrected")
            faults.expect_drained(context, node, "neuron: neuron1: mem_ecc_uncorrected is 1")

        with context.promise("back"):
            context.replace(node)
            seconds = context.wait_running(node, but=before)
            context.note(f"replaced in {seconds:.0f} s")
            faults.expect_in_service(context, node)
            jobs.expect_job(context, node)
    finally:
        faults.restore(context, node)
