"""A GPU is lost on a node of ParallelCluster: no job uses it, and the instance is replaced.

Our file in prolog.d checks the node before each job. It drains the node and fails, so Slurm
requeues the job; clustermgtd replaces drained nodes when no job runs on them.
"""

from __future__ import annotations

from clusterwright_rehearsal.nodes.hardware import hardware_of
from clusterwright_rehearsal.platforms.parallelcluster.context import ParallelClusterContext
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.jobs import submit_to_node

ORDER = 47
MODES = ("parallelcluster",)
NEEDS_COMPUTE = 2

PROMISES = {
    "turned-away": "a job on the faulty node is requeued, and runs on another node",
    "replaced": "the faulty instance is replaced, and the new one takes jobs",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, ParallelClusterContext)
    node = context.compute[0]
    group = [other for other in context.compute if other.group == node.group]
    if hardware_of(context.facts(node.name)["instance_type"]).kind != "nvidia" or len(group) < 2:
        context.skip("no group has NVIDIA GPUs and two nodes")
    sick = node.instance_id
    node.put_fault("gpu-lost", "0")
    with context.promise("turned-away"):
        others = ",".join(other.host for other in context.compute if other.name != node.name)
        busy = context.submit(
            "sleep 8", nodes=len(others.split(",")), options=[f"--nodelist={others}"]
        )
        busy.wait("RUNNING", within_s=60)
        job = context.submit("srun hostname", options=["--requeue"])
        job.wait("COMPLETED", within_s=120)
        ran = job.output().split()
        context.note(f"it ran on {ran}, after {job.fields().get('Restarts')} restarts")
        drained = context.controller.must(
            "grep -h 'clusterwright: ' /var/log/slurmctld.log | tail -1"
        )
        context.expect(drained.strip(), "the health check has not drained the node")
        context.expect(
            context.facts(node.name)["instance_id"] != sick or ran != [node.host],
            f"it ran on {ran} with a lost GPU; slurmctld reports {drained[-200:]!r}",
        )

    with context.promise("replaced"):
        context.wait_running_past(node, failed=sick)
        context.wait_idle()
        submit_to_node(context, context.node(node.name)).wait("COMPLETED", within_s=60)
