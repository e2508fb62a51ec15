"""The scenario context of platforms without an API for nodes: the worker describes them."""

from __future__ import annotations

from typing import Any, ClassVar

from clusterwright_rehearsal import run_records
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

_STATUSES = {"running": "Running", "failed": "Failure"}


class WorkerNodesContext(ScenarioContext):
    """A context whose nodes are those of the worker.

    `action` is the path on a node of the last action's script; its arguments are beside it.
    """

    action: ClassVar[str]

    @property
    def program(self) -> str:
        """The command that runs the last action again, with its arguments."""
        return f"jq -r '.[]' {self.action}.json | xargs -d '\\n' {self.action}"

    def api_nodes(self) -> dict[str, dict[str, Any]]:
        """The nodes in the form of HyperPod's ListClusterNodes."""
        return {
            facts["name"]: {
                "InstanceId": facts["instance_id"],
                "InstanceStatus": {
                    "Status": _STATUSES.get(facts["phase"], "Pending"),
                    "Message": self.failure_of(facts["instance_id"]),
                },
            }
            for facts in self.worker.ask("nodes")
        }

    def failure_of(self, instance_id: str) -> str:
        """Why an instance failed before it was a node; empty if it did not."""
        for line in self.timeline():
            if line["instance_id"] == instance_id and line["event"] == "failed":
                return str(line["text"])
        return ""

    def timeline(self) -> list[dict[str, Any]]:
        """The events of the run's nodes, oldest first."""
        return run_records.timeline(self.worker.run)

    def wait_held(self, node: Node, *, but: str) -> str:
        """Wait until an instance other than `but` waits before its actions; return its id."""
        self._wait_phase(node, "held", but=but, within_s=120)
        return node.instance_id

    def wait_running_past(self, node: Node, *, failed: str, within_s: float = 180.0) -> float:
        """Wait until an instance other than `failed` runs at the node's position."""
        return self._wait_phase(node, "running", but=failed, within_s=within_s)

    def _wait_phase(self, node: Node, phase: str, *, but: str, within_s: float) -> float:
        def not_yet() -> str | None:
            facts = self.facts(node.name)
            if facts["instance_id"] != but and facts["phase"] == phase:
                return None
            return f"{node} is {facts['instance_id']}, {facts['phase']}"

        return self.wait_for(not_yet, within_s=within_s)
