"""The stage of a cluster of ParallelCluster: the same words, answered by other parts."""

from __future__ import annotations

import json
from typing import Any

from clusterwright_rehearsal.platforms.parallelcluster.node import ACTION
from clusterwright_rehearsal.scenario_api.context import Node, Stage
from clusterwright_rehearsal.worker import TIMELINE

_STATUSES = {"running": "Running", "failed": "Failure"}


class PclusterStage(Stage):
    """What ParallelCluster has no API for is asked of the engine: which nodes are up, and why a
    node is not.
    """

    @property
    def program(self) -> str:
        """The custom action as it was run last, with its arguments."""
        return f"jq -r '.[]' {ACTION}.json | xargs -d '\\n' {ACTION}"

    def api_nodes(self) -> dict[str, dict[str, Any]]:
        """As HyperPod's ListClusterNodes would give them."""
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
            for facts in self.engine.ask("nodes")
        }

    def logs(self, node: Node) -> list[str]:
        """What the custom actions of the instance that is there now have said."""
        logs = self.aws("logs")
        kind = "cfn-init" if node.role == "controller" else "cloud-init-output"
        host = "ip-" + node.address.replace(".", "-")
        stream = f"{host}.{node.instance_id}.{kind}"
        prefix = f"/aws/parallelcluster/{self.cluster.environment}-"
        found: list[str] = []
        for group in logs.describe_log_groups(logGroupNamePrefix=prefix)["logGroups"]:
            token: dict[str, str] = {}
            while True:
                try:
                    page = logs.get_log_events(
                        logGroupName=group["logGroupName"],
                        logStreamName=stream,
                        startFromHead=True,
                        **token,
                    )
                except logs.exceptions.ResourceNotFoundException:
                    break
                if not page["events"]:
                    break
                found += [event["message"] for event in page["events"]]
                token = {"nextToken": page["nextForwardToken"]}
        return found

    def bootstrap_error(self, instance_id: str) -> dict[str, Any]:
        """The event that a failed custom action has left of an instance; empty without one."""
        for path in (self.folder / "logs").glob(f"*/{instance_id}.bootstrap_error_msg"):
            found: dict[str, Any] = json.loads(path.read_text())
            return found
        return {}

    def wait_running_past(self, node: Node, *, failed: str, within_s: float = 180.0) -> float:
        """Until another instance than the failed one runs in the node's place."""

        def not_yet() -> str | None:
            facts = self.facts(node.name)
            if facts["instance_id"] != failed and facts["phase"] == "running":
                return None
            return f"{node} is {facts['instance_id']}, {facts['phase']}"

        return self.wait_for(not_yet, within_s=within_s)

    def timeline(self) -> list[dict[str, Any]]:
        """What happened to nodes, oldest first."""
        try:
            lines = (self.folder / TIMELINE).read_text().splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]

    def replace(self, node: Node) -> None:
        """There is no call for it: the instance is ended, and clustermgtd notices."""
        self.crash(node)
