"""A GPU is lost on a node of ParallelCluster: no job meets it, and the instance is replaced.

Our file in prolog.d looks at the node before each job. It drains the node and fails, so Slurm puts
the job back; clustermgtd replaces drained nodes once no job runs there.
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
    "turned-away": "a job that meets the sick node is put back, and runs on another",
    "replaced": "the sick instance is replaced, and the new one takes jobs",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, ParallelClusterContext)
    node = context.compute[0]
    group = [one for one in context.compute if one.group == node.group]
    if hardware_of(context.facts(node.name)["instance_type"]).kind != "nvidia" or len(group) < 2:
        context.skip("no group has NVIDIA GPUs and two nodes")
    sick = node.instance_id
    node.put_fault("gpu-lost", "0")
    with context.promise("turned-away"):
        others = ",".join(one.host for one in context.compute if one.name != node.name)
        busy = context.submit(
            "sleep 8", nodes=len(others.split(",")), options=[f"--nodelist={others}"]
        )
        busy.wait("RUNNING", within_s=60)
        job = context.submit("srun hostname", options=["--requeue"])
        job.wait("COMPLETED", within_s=120)
        ran = job.output().split()
        context.note(f"it ran on {ran}, after {job.show().get('Restarts', '0')} restarts")
        drained = context.controller.must(
            "grep -h 'clusterwright: ' /var/log/slurmctld.log | tail -1"
        )
        context.expect(drained.strip(), "nothing of ours has drained the node")
        context.expect(
            context.facts(node.name)["instance_id"] != sick or ran != [node.host],
            f"it ran on {ran} with a GPU that is lost; slurmctld says {drained[-200:]!r}",
        )

    with context.promise("replaced"):
        context.wait_running_past(node, failed=sick)
        context.wait_idle()
        submit_to_node(context, context.node(node.name)).wait("COMPLETED", within_s=60)
