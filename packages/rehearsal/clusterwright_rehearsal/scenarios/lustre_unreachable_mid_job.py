"""Lustre stops answering the compute nodes while a job writes to it, then answers again.

As with real Lustre, processes that use the file system wait in the kernel until it answers. The
job observes only that time has passed.
"""

from __future__ import annotations

import time

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 140
SECONDS = 15
MODES = ("managed", "pcs")

PROMISES = {
    "drained": "a health check without an answer within 10 s drains the node, and the reason"
    " names the path",
    "job-waits": "the running job is not ended; it waits",
    "job-goes-on": "when the file system answers, the job continues in the same run",
    "resumed": "two passed checks in a row resume the nodes",
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
                    wanted = f"storage: {path}: no response in time"
                    context.expect(
                        wanted in why, f"{each} is {each.slurm_state()}, reason {why!r}"
                    )
                    context.note(f"{each.host}: {why}")

            with context.promise("job-waits"):
                stopped = job.step
                time.sleep(_LONG_ENOUGH_S)
                context.expect(job.step == stopped, f"it continued from {stopped} to {job.step}")
                context.expect(job.job.state == "RUNNING", f"the job is {job.job.state}")

        with context.promise("job-goes-on"):
            job.wait_beyond(stopped)
            context.expect(len(job.starts) == 1, f"it has restarted: {job.starts}")
            context.note(f"from step {stopped}")

        with context.promise("resumed"):
            for each in nodes:
                faults.expect_in_service(context, each)
    finally:
        faults.restore(context, *nodes)
