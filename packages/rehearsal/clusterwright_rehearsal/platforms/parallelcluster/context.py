"""The scenario context of a ParallelCluster cluster."""

from __future__ import annotations

import json
from typing import Any

from clusterwright_rehearsal import run_records
from clusterwright_rehearsal.platforms.parallelcluster.node import ACTION
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

_STATUSES = {"running": "Running", "failed": "Failure"}


class ParallelClusterContext(ScenarioContext):
    """A context that asks the worker where ParallelCluster has no API for nodes."""

    @property
    def program(self) -> str:
        """The command that runs the last custom action again, with its arguments."""
        return f"jq -r '.[]' {ACTION}.json | xargs -d '\\n' {ACTION}"

    def api_nodes(self) -> dict[str, dict[str, Any]]:
        """The nodes in the form of HyperPod's ListClusterNodes."""
        reasons = {
            line["instance_id"]: line["text"]
            for line in self.timeline()
            if line["event"] == "failed"
        }
        return {
            facts["name"]: {
                "InstanceId": facts["instance_id"],
                "InstanceStatus": {
                    "Status": _STATUSES.get(facts["phase"], "Pending"),
                    "Message": reasons.get(facts["instance_id"], ""),
                },
            }
            for facts in self.worker.ask("nodes")
        }

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
        """The event that a failed custom action has written for an instance; else empty."""
        for path in (self.folder / "logs").glob(f"*/{instance_id}.bootstrap_error_msg"):
            found: dict[str, Any] = json.loads(path.read_text())
            return found
        return {}

    def wait_running_past(self, node: Node, *, failed: str, within_s: float = 180.0) -> float:
        """Wait until an instance other than `failed` is running at the node's position."""

        def not_yet() -> str | None:
            facts = self.facts(node.name)
            if facts["instance_id"] != failed and facts["phase"] == "running":
                return None
            return f"{node} is {facts['instance_id']}, {facts['phase']}"

        return self.wait_for(not_yet, within_s=within_s)

    def timeline(self) -> list[dict[str, Any]]:
        """The events of the run's nodes, oldest first."""
        return run_records.timeline(self.worker.run)

    def replace(self, node: Node) -> None:
        """Terminate the instance, which clustermgtd detects: ParallelCluster has no API for it."""
        self.crash(node)
