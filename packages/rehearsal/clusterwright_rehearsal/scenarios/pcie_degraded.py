"""A GPU loses half of its PCIe lanes: it computes, but transfers to it are slow."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 123
SECONDS = 5
MODES = ("managed", "pcs")

PROMISES = {
    "drained": "a GPU with too few lanes drains the node, and the reason gives the numbers",
    "back": "after a reboot that restores the lanes the node returns to the partition",
}


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "nvidia")
    node = context.compute[-1]
    before = node.instance_id
    try:
        with context.promise("drained"):
            faults.add(node, "gpu-pcie", "0")
            faults.expect_drained(context, node, "pcie: GPU 0", "8 of 16 lanes")

        with context.promise("back"):
            context.note(f"rebooted in {faults.reboot_and_wait(context, node):.0f} s")
            context.expect(node.instance_id == before, "it is another instance")
            faults.expect_in_service(context, node)
            jobs.expect_job(context, node)
    finally:
        faults.restore(context, node)
