"""A GPU falls off the bus under a running job, and a reboot does not bring it back.

The drain does not end the job that runs there: whether it can go on without that GPU, only the job
knows. It goes on elsewhere when the instance is taken from under it.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import Stage

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


def play(stage: Stage) -> None:
    faults.need_devices(stage, "nvidia")
    job = jobs.counting(stage)
    node = job.node
    before = node.instance_id
    try:
        with stage.promise("drained"):
            faults.put(node, "gpu-lost", "0", lasting=True)
            faults.expect_drained(stage, node, "gpu: ", "device handle for GPU0", "(replace)")

        with stage.promise("job"):
            other = stage.submit("hostname", options=[f"--nodelist={node.host}"])
            job.wait_beyond(job.step + 2)
            stage.expect(job.job.state == "RUNNING", f"the job is {job.job.state}")
            stage.expect(other.state == "PENDING", f"the other job is {other.state}")
            other.cancel()

        with stage.promise("rebooted"):
            saved = job.step
            seconds = faults.rebooted(stage, node)
            stage.note(f"rebooted in {seconds:.0f} s")
            host = job.expect_again(saved)
            stage.expect(host != node.host, f"it runs on {host} again")

        with stage.promise("kept-out"):
            faults.look(node)
            faults.look(node)
            faults.expect_drained(stage, node, "gpu: ", "device handle for GPU0")

        with stage.promise("back"):
            stage.replace(node)
            seconds = stage.wait_running(node, but=before)
            stage.note(f"replaced in {seconds:.0f} s")
            faults.expect_in_use(stage, node)
            test = stage.submit("nvidia-smi -L", options=[f"--nodelist={node.host}"])
            test.wait("COMPLETED", within_s=60)
    finally:
        faults.make_whole(stage, node)
