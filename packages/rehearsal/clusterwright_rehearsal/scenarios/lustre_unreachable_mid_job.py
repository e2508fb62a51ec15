"""Lustre stops answering the compute nodes while a job writes to it, and answers again later.

As with Lustre, whoever uses the file system waits in the kernel until it answers. The job knows
nothing of it but that its clock has moved on.
"""

from __future__ import annotations

import time

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 140
MODES = ("managed",)

PROMISES = {
    "drained": "a look that gets no answer in 10 s drains the node, and the reason names the path",
    "job-waits": "the job that runs there is not ended; it waits",
    "job-goes-on": "once the file system answers the job goes on where it was, in the same run",
    "resumed": "two clean looks in a row put the nodes back into use by themselves",
}

_LONG_ENOUGH_S = 3.0
"""The job counts once a second."""


def run(context: ScenarioContext) -> None:
    if not context.cluster.storage.lustre:
        context.skip("the spec has no Lustre file system")
    path = context.cluster.storage.lustre[0].mount_path
    job = jobs.start_counting(context)
    node = job.node
    nodes = [node, *(other for other in context.compute if other.host != node.host)]
    try:
        with faults.unresponsive_file_system(nodes, path):
            with context.promise("drained"):
                faults.check_health(*nodes)
                for each in nodes:
                    why = faults.drain_reason(context, each) or ""
                    wanted = f"storage: {path}: no answer in time"
                    context.expect(
                        wanted in why, f"{each} is {each.slurm_state()}, reason {why!r}"
                    )
                    context.note(f"{each.host}: {why}")

            with context.promise("job-waits"):
                stopped = job.step
                time.sleep(_LONG_ENOUGH_S)
                context.expect(job.step == stopped, f"it went from {stopped} to {job.step}")
                context.expect(job.job.state == "RUNNING", f"the job is {job.job.state}")

        with context.promise("job-goes-on"):
            job.wait_beyond(stopped)
            context.expect(len(job.starts) == 1, f"it has started again: {job.starts}")
            context.note(f"from step {stopped}")

        with context.promise("resumed"):
            for each in nodes:
                faults.expect_in_service(context, each)
    finally:
        faults.restore(context, *nodes)
