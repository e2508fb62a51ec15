"""The controller's image is updated while it may not read the database's secret.

Accounting uses RDS. The error message must name the secret and the cause. When access is allowed
again, a further update starts the controller, and its earlier accounting records still exist.
slurmctld's own state is on the controller's disk and is lost, so no job runs meanwhile. The
scenario uses an update because HyperPod does not replace controllers on request.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.software_update import update_software

ORDER = 175

PROMISES = {
    "named": "the controller's message names the secret, the refused action and the cause",
    "mended": "when AWS allows access again, a further update starts the controller, and it takes"
    " jobs",
    "kept": "the jobs of the lost controller are still in accounting",
}


def run(context: ScenarioContext) -> None:
    if context.cluster.slurm.accounting.kind != "rds":
        context.skip("the spec has no accounting on RDS, whose password is in a secret")
    before = context.submit("srun hostname")
    before.wait("COMPLETED", within_s=60)
    context.wait_for(lambda: _not_accounted(context, before.id), within_s=30)
    node = context.controller
    sagemaker, name = context.aws("sagemaker"), context.cluster.environment
    try:
        with context.promise("named"):
            context.deny("secretsmanager", "GetSecretValue", "AccessDeniedException")
            sagemaker.update_cluster_software(
                ClusterName=name, InstanceGroups=[{"InstanceGroupName": node.group}]
            )
            context.wait_for(lambda: _not_failed(context, node), within_s=120)
            message = str(context.api_nodes()[node.name]["InstanceStatus"].get("Message"))
            for word in ("secret", "AccessDenied", "GetSecretValue"):
                context.expect(word in message, f"the message has no {word!r}: {message}")
    finally:
        context.allow_all()

    with context.promise("mended"):
        update_software(context, node.group)
        context.wait_idle()
        job = context.submit("srun hostname")
        job.wait("COMPLETED", within_s=60)

    with context.promise("kept"):
        context.wait_for(lambda: _not_accounted(context, before.id), within_s=30)


def _not_failed(context: ScenarioContext, node: Node) -> str | None:
    status = context.api_nodes().get(node.name, {}).get("InstanceStatus", {}).get("Status")
    return None if status == "Failure" else f"{node} is {status}"


def _not_accounted(context: ScenarioContext, number: str) -> str | None:
    # A new controller numbers jobs from 1: more than one job may have this number.
    ran = context.controller.run(f"timeout 20 sacct -n -X -P -D -j {number} -o JobID,State")
    if f"{number}|COMPLETED" in ran.stdout.split():
        return None
    return f"sacct of job {number}: {ran.stdout!r} {ran.output_tail}"
