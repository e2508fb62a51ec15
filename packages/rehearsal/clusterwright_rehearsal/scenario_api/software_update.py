"""UpdateClusterSoftware: nodes that are there run the scripts that are deployed now."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import Node, Stage


def patch(stage: Stage, *groups: str) -> None:
    """UpdateClusterSoftware of some groups, until each of their nodes has run its scripts."""
    sagemaker, name = stage.aws("sagemaker"), stage.cluster.environment
    nodes = [node for group in groups for node in stage.nodes(group=group)]
    seen = {node.name: _birth(node) for node in nodes}
    sagemaker.update_cluster_software(
        ClusterName=name, InstanceGroups=[{"InstanceGroupName": group} for group in groups]
    )

    def not_yet() -> str | None:
        status = sagemaker.describe_cluster(ClusterName=name)["ClusterStatus"]
        if status != "InService":
            return f"the cluster is {status}"
        old = [n.name for n in nodes if not n.is_up or _birth(n) == seen[n.name]]
        return f"{', '.join(old)} not patched yet" if old else None

    stage.wait_for(not_yet, within_s=240)
    for node in nodes:
        stage.wait_running(node)


def _birth(node: Node) -> str:
    return node.run("stat -c %W.%Y.%i /etc/hosts; systemctl show -p UserspaceTimestamp").stdout
