"""UpdateClusterSoftware: existing nodes run the scripts that are deployed now."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node


def update_software(context: ScenarioContext, *groups: str) -> None:
    """Update the software of groups; return when each of their nodes has run its scripts."""
    sagemaker, name = context.aws("sagemaker"), context.cluster.environment
    nodes = [node for group in groups for node in context.nodes(group=group)]
    seen = {node.name: _boot_identity(node) for node in nodes}
    sagemaker.update_cluster_software(
        ClusterName=name, InstanceGroups=[{"InstanceGroupName": group} for group in groups]
    )

    def not_yet() -> str | None:
        status = sagemaker.describe_cluster(ClusterName=name)["ClusterStatus"]
        if status != "InService":
            return f"the cluster is {status}"
        old = [n.name for n in nodes if not n.is_up or _boot_identity(n) == seen[n.name]]
        return f"{', '.join(old)} not updated yet" if old else None

    context.wait_for(not_yet, within_s=240)
    for node in nodes:
        context.wait_running(node)


def _boot_identity(node: Node) -> str:
    return node.run("stat -c %W.%Y.%i /etc/hosts; systemctl show -p UserspaceTimestamp").stdout
