"""A GPU is lost on a node of ParallelCluster: no job meets it, and the instance is replaced.

Our file in prolog.d looks at the node before each job. It drains the node and fails, so Slurm puts
the job back; clustermgtd replaces drained nodes once no job runs there.
"""

from __future__ import annotations

from clusterwright_rehearsal.nodes.hardware import hardware_of
from clusterwright_rehearsal.platforms.parallelcluster.context import PclusterStage
from clusterwright_rehearsal.scenario_api.context import Stage
from clusterwright_rehearsal.scenario_api.jobs import on_node

ORDER = 47
MODES = ("parallelcluster",)
NEEDS_COMPUTE = 2

PROMISES = {
    "turned-away": "a job that meets the sick node is put back, and runs on another",
    "replaced": "the sick instance is replaced, and the new one takes jobs",
}


def play(stage: Stage) -> None:
    assert isinstance(stage, PclusterStage)
    node = stage.compute[0]
    group = [one for one in stage.compute if one.group == node.group]
    if hardware_of(stage.facts(node.name)["instance_type"]).kind != "nvidia" or len(group) < 2:
        stage.not_for_this("no group has NVIDIA GPUs and two nodes")
    sick = node.instance_id
    node.put_fault("gpu-lost", "0")
    with stage.promise("turned-away"):
        others = ",".join(one.host for one in stage.compute if one.name != node.name)
        busy = stage.submit(
            "sleep 8", nodes=len(others.split(",")), options=[f"--nodelist={others}"]
        )
        busy.wait("RUNNING", within_s=60)
        job = stage.submit("srun hostname", options=["--requeue"])
        job.wait("COMPLETED", within_s=120)
        ran = job.output().split()
        stage.note(f"it ran on {ran}, after {job.show().get('Restarts', '0')} restarts")
        drained = stage.controller.must(
            "grep -h 'clusterwright: ' /var/log/slurmctld.log | tail -1"
        )
        stage.expect(drained.strip(), "nothing of ours has drained the node")
        stage.expect(
            stage.facts(node.name)["instance_id"] != sick or ran != [node.host],
            f"it ran on {ran} with a GPU that is lost; slurmctld says {drained[-200:]!r}",
        )

    with stage.promise("replaced"):
        stage.wait_running_past(node, failed=sick)
        stage.settle()
        on_node(stage, stage.node(node.name)).wait("COMPLETED", within_s=60)
