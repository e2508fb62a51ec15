"""The scenario context of a ParallelCluster cluster."""

from __future__ import annotations

import json
from typing import Any

from clusterwright_rehearsal.platforms.parallelcluster.node import ACTION
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.worker_nodes_context import WorkerNodesContext


class ParallelClusterContext(WorkerNodesContext):
    """A context that asks the worker where ParallelCluster has no API for nodes."""

    action = ACTION

    def logs(self, node: Node) -> list[str]:
        """The output of the custom actions of the node's current instance."""
        kind = "cfn-init" if node.role == "controller" else "cloud-init-output"
        host = "ip-" + node.address.replace(".", "-")
        stream = f"{host}.{node.instance_id}.{kind}"
        prefix = f"/aws/parallelcluster/{self.cluster.environment}-"
        groups = self.aws("logs").describe_log_groups(logGroupNamePrefix=prefix)["logGroups"]
        return [
            line for group in groups for line in self.log_events(group["logGroupName"], stream)
        ]

    def bootstrap_error(self, instance_id: str) -> dict[str, Any]:
        """The event that a failed custom action of a compute node has written; else empty."""
        text = self._failure_file(instance_id)
        return dict(json.loads(text)) if text else {}

    def failure_of(self, instance_id: str) -> str:
        """What ParallelCluster has of a failed action, or why the instance failed before it."""
        return self._failure_file(instance_id) or super().failure_of(instance_id)

    def _failure_file(self, instance_id: str) -> str:
        """A JSON object on compute nodes, and a line of text on the head node."""
        paths = (self.folder / "logs").glob(f"*/{instance_id}.bootstrap_error_msg")
        return next((path.read_text().strip() for path in paths), "")

    def replace(self, node: Node) -> None:
        """Terminate the instance, which clustermgtd detects: ParallelCluster has no API for it.

        clustermgtd launches no instance for a node that has failed too often until the fleet is
        started again, which this does for the node.
        """
        self.crash(node)
        self.worker.ask("start_again", node=node.name)
