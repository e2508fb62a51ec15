"""Lustre stops answering the compute nodes while a job writes to it, and answers again later.

As with Lustre, whoever uses the file system waits in the kernel until it answers. The job knows
nothing of it but that its clock has moved on.
"""

from __future__ import annotations

import time

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import Stage

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


def play(stage: Stage) -> None:
    if not stage.cluster.storage.lustre:
        stage.not_for_this("the spec has no Lustre file system")
    path = stage.cluster.storage.lustre[0].mount_path
    job = jobs.counting(stage)
    node = job.node
    nodes = [node, *(other for other in stage.compute if other.host != node.host)]
    try:
        with faults.silent(nodes, path):
            with stage.promise("drained"):
                faults.look(*nodes)
                for each in nodes:
                    why = faults.reason(stage, each) or ""
                    wanted = f"storage: {path}: no answer in time"
                    stage.expect(wanted in why, f"{each} is {each.slurm_state()}, reason {why!r}")
                    stage.note(f"{each.host}: {why}")

            with stage.promise("job-waits"):
                stopped = job.step
                time.sleep(_LONG_ENOUGH_S)
                stage.expect(job.step == stopped, f"it went from {stopped} to {job.step}")
                stage.expect(job.job.state == "RUNNING", f"the job is {job.job.state}")

        with stage.promise("job-goes-on"):
            job.wait_beyond(stopped)
            stage.expect(len(job.starts) == 1, f"it has started again: {job.starts}")
            stage.note(f"from step {stopped}")

        with stage.promise("resumed"):
            for each in nodes:
                faults.expect_in_use(stage, each)
    finally:
        faults.make_whole(stage, *nodes)
