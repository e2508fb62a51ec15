"""An instance of ParallelCluster or PCS is lost under a job, and the platform replaces it.

The new instance has another id and address, and the same name in Slurm. Our custom action, or
lifecycle action, runs on it before its slurmd starts, so no job runs on an incomplete node.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import command_line, operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.jobs import start_counting, submit_to_node

ORDER = 45
DEFAULT = True
MODES = ("parallelcluster", "pcs")

PROMISES = {
    "replaced": "another instance is launched, and our action has run on it",
    "job-again": "the lost job runs again from its checkpoint",
    "takes-jobs": "the new node runs a job",
    "by-command": "`clusterwright node replace` drains the node, has its instance replaced, waits "
    "until the new one can take jobs, and resumes it; `clusterwright status` has each node "
    "of Slurm with its instance",
}


def run(context: ScenarioContext) -> None:
    count = start_counting(context)
    node, saved = count.node, count.step
    before = node.instance_id
    with context.promise("replaced"):
        context.crash(node)
        seconds = context.wait_running(node, but=before)
        fresh = context.node(node.name)
        context.note(f"{before} by {fresh.instance_id} after {seconds:.0f} s")
        context.expect(fresh.host == node.host, f"{fresh} is {fresh.host} in Slurm")
        lines = context.logs(fresh)
        context.expect(
            lines and "is ready" in lines[-1], f"the log of {fresh} ends with {lines[-1:]}"
        )

    with context.promise("job-again"):
        count.expect_restart(saved)
        count.job.cancel()

    with context.promise("takes-jobs"):
        context.wait_idle()
        submit_to_node(context, context.node(node.name)).wait("COMPLETED", within_s=60)

    with context.promise("by-command"):
        operator.poll_now(context)
        context.wait_for(lambda: _not_joined(context), within_s=120)
        old = context.node(node.name).instance_id
        words = (node.host, "--because=slow NVLink", "--yes", "--wait=300")
        (row,) = command_line.answer(context, ("node", "replace"), *words)["nodes"]
        new = context.node(node.name)
        context.expect(row["outcome"] == "done", f"{row}")
        context.expect(
            (row["instance_id"], row["new_instance_id"]) == (old, new.instance_id) != (old, old),
            f"{row}; {new} is {new.instance_id}",
        )
        context.note(f"{old} by {row['new_instance_id']}: {row['reason']}")
        context.wait_idle()
        submit_to_node(context, new).wait("COMPLETED", within_s=60)
        context.wait_for(lambda: _not_joined(context), within_s=120)


def _not_joined(context: ScenarioContext) -> str | None:
    """None if `clusterwright status` has every compute node of Slurm with its instance."""
    rows = command_line.answer(context, ("status",), codes=(0, 1, 2))["nodes"]
    shown = {one["name"]: one["instance_id"] for one in rows if one["role"] == "compute"}
    there = {each.host: each.instance_id for each in context.compute}
    return None if shown == there else f"status has {shown}, and there are {there}"
