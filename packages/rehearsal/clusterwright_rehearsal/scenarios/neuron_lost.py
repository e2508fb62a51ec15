"""A Neuron device is lost under a running job, and a reboot would not bring it back."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import Stage

ORDER = 125
MODES = ("managed",)

PROMISES = {
    "drained": "the next look drains the node, and the reason says how many devices are left",
    "job": "the drain does not end the job that runs there",
    "back": "another instance, with all its devices, comes back into the partition by itself",
    "job-goes-on": "the job goes on from its checkpoint, there or on another node",
}


def play(stage: Stage) -> None:
    faults.need_devices(stage, "neuron")
    job = jobs.counting(stage)
    node = job.node
    before = node.instance_id
    count = faults.expectation(node)["accelerator_count"]
    try:
        with stage.promise("drained"):
            faults.put(node, "neuron-lost", str(count - 1), lasting=True)
            node.must(f"rm /dev/neuron{count - 1}")
            faults.expect_drained(stage, node, f"neuron: {count - 1} of {count} devices")

        with stage.promise("job"):
            job.wait_beyond(job.step)
            stage.expect(job.job.state == "RUNNING", f"the job is {job.job.state}")

        with stage.promise("back"):
            saved = job.step
            stage.replace(node)
            seconds = stage.wait_running(node, but=before)
            stage.note(f"replaced in {seconds:.0f} s")
            faults.expect_in_use(stage, node)
            found = node.must("ls -d /dev/neuron*").split()
            stage.expect(len(found) == count, f"{len(found)} of {count} devices")

        with stage.promise("job-goes-on"):
            job.expect_again(saved)
    finally:
        faults.make_whole(stage, node)
