"""An instance of ParallelCluster is lost under a job; clustermgtd puts another into its place.

The new instance has another id and another address, and the same name in Slurm. Our custom action
runs on it before its slurmd starts, so no job meets a node that is half made.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import Stage
from clusterwright_rehearsal.scenario_api.jobs import counting, on_node

ORDER = 45
MODES = ("parallelcluster",)

PROMISES = {
    "replaced": "another instance takes the place, and our custom action has run on it",
    "job-again": "the job that was lost runs again from its checkpoint",
    "takes-jobs": "the new node runs a job",
}


def play(stage: Stage) -> None:
    count = counting(stage)
    node, saved = count.node, count.step
    before = node.instance_id
    with stage.promise("replaced"):
        stage.crash(node)
        seconds = stage.wait_running(node, but=before)
        fresh = stage.node(node.name)
        stage.note(f"{before} by {fresh.instance_id} after {seconds:.0f} s")
        stage.expect(fresh.host == node.host, f"{fresh} is {fresh.host} in Slurm")
        lines = stage.logs(fresh)
        stage.expect(
            lines and "is ready" in lines[-1], f"the log of {fresh} ends with {lines[-1:]}"
        )

    with stage.promise("job-again"):
        count.expect_again(saved)
        count.job.cancel()

    with stage.promise("takes-jobs"):
        stage.settle()
        on_node(stage, stage.node(node.name)).wait("COMPLETED", within_s=60)
