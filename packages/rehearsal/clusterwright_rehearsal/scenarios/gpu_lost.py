"""A GPU is lost under a running job, and a reboot does not recover it.

The drain does not end the job on the node, because only the job knows whether it can continue
without the GPU. It continues on another node when the instance is replaced.
"""

from __future__ import annotations

from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 120
SECONDS = 50
NEEDS_COMPUTE = 2
MODES = ("managed", "pcs")

PROMISES = {
    "drained": "the next health check drains the node, and the reason names the GPU",
    "job": "the drain does not end the job on the node, and no other job starts there",
    "rebooted": "a reboot requeues the job, which continues on another node from its checkpoint",
    "kept-out": "the GPU is still lost after the reboot, and the node stays drained",
    "back": "a new instance with all GPUs returns to the partition",
}


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "nvidia")
    if isinstance(context, PcsContext) and context.cluster.acceptance.hold:
        context.skip("the test at the reboot rejects the instance; see acceptance-at-boot")
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
            jobs.expect_job(context, node, "nvidia-smi -L")
    finally:
        faults.restore(context, node)
