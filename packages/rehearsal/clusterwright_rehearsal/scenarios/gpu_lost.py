"""A GPU falls off the bus under a running job, and a reboot does not bring it back.

The drain does not end the job that runs there: whether it can go on without that GPU, only the job
knows. It goes on elsewhere when the instance is taken from under it.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 120
NEEDS_COMPUTE = 2
MODES = ("managed",)

PROMISES = {
    "drained": "the next look at the node's health drains it, and the reason names the GPU",
    "job": "the drain does not end the job that runs there, and no other begins there",
    "rebooted": "a reboot puts the job back, which goes on elsewhere from its checkpoint",
    "kept-out": "the GPU is still lost after the reboot, and the node stays drained",
    "back": "another instance, with all its GPUs, comes back into the partition by itself",
}


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "nvidia")
    job = jobs.start_counting(context)
    node = job.node
    before = node.instance_id
    try:
        with context.promise("drained"):
            faults.add(node, "gpu-lost", "0", lasting=True)
            faults.expect_drained(context, node, "gpu: ", "device handle for GPU0", "(replace)")

        with context.promise("job"):
            other = context.submit("hostname", options=[f"--nodelist={node.host}"])
            job.wait_beyond(job.step + 2)
            context.expect(job.job.state == "RUNNING", f"the job is {job.job.state}")
            context.expect(other.state == "PENDING", f"the other job is {other.state}")
            other.cancel()

        with context.promise("rebooted"):
            saved = job.step
            seconds = faults.reboot_and_wait(context, node)
            context.note(f"rebooted in {seconds:.0f} s")
            host = job.expect_restart(saved)
            context.expect(host != node.host, f"it runs on {host} again")

        with context.promise("kept-out"):
            faults.check_health(node)
            faults.check_health(node)
            faults.expect_drained(context, node, "gpu: ", "device handle for GPU0")

        with context.promise("back"):
            context.replace(node)
            seconds = context.wait_running(node, but=before)
            context.note(f"replaced in {seconds:.0f} s")
            faults.expect_in_service(context, node)
            test = context.submit("nvidia-smi -L", options=[f"--nodelist={node.host}"])
            test.wait("COMPLETED", within_s=60)
    finally:
        faults.restore(context, node)
