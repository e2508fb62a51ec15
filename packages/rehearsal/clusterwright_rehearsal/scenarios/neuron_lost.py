"""A Neuron device is lost under a running job, and a reboot would not recover it."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 125
MODES = ("managed",)

PROMISES = {
    "drained": "the next health check drains the node, and the reason gives the number of devices"
    " left",
    "job": "the drain does not end the job on the node",
    "back": "a new instance with all devices returns to the partition",
    "job-goes-on": "the job continues from its checkpoint, there or on another node",
}


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "neuron")
    job = jobs.start_counting(context)
    node = job.node
    before = node.instance_id
    count = faults.expected_hardware(node)["accelerator_count"]
    try:
        with context.promise("drained"):
            faults.add(node, "neuron-lost", str(count - 1), lasting=True)
            node.must(f"rm /dev/neuron{count - 1}")
            faults.expect_drained(context, node, f"neuron: {count - 1} of {count} devices")

        with context.promise("job"):
            job.wait_beyond(job.step)
            context.expect(job.job.state == "RUNNING", f"the job is {job.job.state}")

        with context.promise("back"):
            saved = job.step
            context.replace(node)
            seconds = context.wait_running(node, but=before)
            context.note(f"replaced in {seconds:.0f} s")
            faults.expect_in_service(context, node)
            found = node.must("ls -d /dev/neuron*").split()
            context.expect(len(found) == count, f"{len(found)} of {count} devices")

        with context.promise("job-goes-on"):
            job.expect_restart(saved)
    finally:
        faults.restore(context, node)
