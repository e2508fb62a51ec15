"""A deep health check of an idle node: HyperPod reserves it for maintenance meanwhile.

The checks themselves are HyperPod's and pass here. AWS's guide states the maintenance reservation
and that the node is released when all checks have passed.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.training import partition_of

ORDER = 128
SECONDS = 25
NEEDS_COMPUTE = 1
MODES = ("managed",)

PROMISES = {
    "reserved": "no job starts on a node while its deep health check runs",
    "released": "the waiting job starts when the check has passed",
}


def run(context: ScenarioContext) -> None:
    node = context.compute[0]
    context.wait_idle()
    context.aws("sagemaker").start_cluster_health_check(
        ClusterName=context.cluster.environment,
        DeepHealthCheckConfigurations=[
            {
                "InstanceGroupName": node.group,
                "InstanceIds": [node.instance_id],
                "DeepHealthChecks": ["InstanceStress"],
            }
        ],
    )
    partition = partition_of(context, node.group)
    options = [f"--nodelist={node.host}", *([f"--partition={partition}"] if partition else [])]
    with context.promise("reserved"):
        context.wait_for(lambda: _not_reserved(node), within_s=15)
        job = context.submit("hostname", options=options)
        shown = job.fields()
        context.expect(
            shown.get("JobState") == "PENDING",
            f"the job is {shown.get('JobState')} during the check",
        )
    with context.promise("released"):
        context.wait_for(lambda: _not_checked(context, node), within_s=60)
        context.wait_for(
            lambda: None if job.state == "COMPLETED" else f"job {job.id} is {job.state}",
            within_s=60,
        )
    context.wait_idle()


def _not_reserved(node: Node) -> str | None:
    state = node.slurm_state()
    return None if "maint" in state else f"Slurm shows {node.name} as {state}"


def _not_checked(context: ScenarioContext, node: Node) -> str | None:
    status = context.api_nodes()[node.name]["InstanceStatus"]["Status"]
    return None if status == "Running" else f"{node} is {status}"
