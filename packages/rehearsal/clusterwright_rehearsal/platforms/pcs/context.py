"""The scenario context of an AWS PCS cluster."""

from __future__ import annotations

import time
from typing import Any

from clusterwright_rehearsal.platforms.pcs.agent import ACTION
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from clusterwright_rehearsal.scenario_api.worker_nodes_context import WorkerNodesContext

_ABSENT_S = 15.0


class PcsContext(WorkerNodesContext):
    """A context whose `controller` is the login node that administers the cluster.

    No scenario reaches the controller of PCS. Its nodes have no API: the worker describes them.
    """

    action = ACTION

    @property
    def controller(self) -> Node:
        """The node of the first login group, on which administrators run Slurm's commands."""
        ends = time.monotonic() + _ABSENT_S
        while True:
            found = self.nodes("login")
            if found:
                return found[0]
            if time.monotonic() > ends:
                raise Broken("the cluster has no login node")
            time.sleep(0.3)

    def facts(self, name: str) -> dict[str, Any]:
        """The worker's description of a node; one that is being replaced is absent shortly."""
        ends = time.monotonic() + _ABSENT_S
        while True:
            try:
                return super().facts(name)
            except Broken:
                if time.monotonic() > ends:
                    raise
            time.sleep(0.3)

    def logs(self, node: Node) -> list[str]:
        """The output of the lifecycle actions of the node's current instance.

        PCS keeps it in a file of the instance; the rehearsal keeps a copy.
        """
        return self.logs_of(node.name, node.instance_id)

    def logs_of(self, name: str, instance_id: str) -> list[str]:
        """The output of the lifecycle actions of an instance, also after it has ended."""
        path = self.folder / "logs" / name / f"{instance_id}.log"
        return path.read_text().splitlines() if path.is_file() else []

    def wait_idle(self, *, within_s: float = 120.0, or_held: bool = False) -> None:
        """Wait also for the login node and what it does once, and for every static instance.

        A lost instance is absent for a moment, and those of a resumed cluster boot at once.
        """
        self.wait_for(
            lambda: (
                self._login_not_running() or self.not_administered() or self._without_instance()
            ),
            within_s=within_s,
        )
        super().wait_idle(within_s=within_s, or_held=or_held)

    def not_administered(self) -> str | None:
        """Why the service that needs Slurm has not ended on the login node; None if it has.

        Scripts of the user may have no such service.
        """
        if not self.default_scripts:
            return None
        name = "clusterwright-slurm-administration"
        ran = self.controller.run(f"systemctl show {name} --property=SubState --value")
        state = ran.stdout.strip()
        return None if state == "exited" else f"{name} is {state}"

    def _login_not_running(self) -> str | None:
        login = self.controller
        phase = self.facts(login.name)["phase"]
        return None if phase == "running" else f"{login} is {phase}"

    def _without_instance(self) -> str | None:
        there = [facts["group"] for facts in self.worker.ask("nodes")]
        for entry in self.spec["compute"]:
            least = entry.get("min_count")
            wanted = entry["count"] if least is None else least
            if there.count(entry["name"]) < wanted:
                return f"group {entry['name']} has {there.count(entry['name'])} of {wanted} nodes"
        return None

    def replace(self, node: Node) -> None:
        """Terminate the instance in EC2, which PCS notices: it has no API for it."""
        self.aws("ec2").terminate_instances(InstanceIds=[node.instance_id])

    def end_version(self, version: str) -> None:
        """End a Slurm version, as AWS does at its end of life: the cluster is suspended."""
        cluster = self.cluster
        self.worker.ask(
            "end_version", account=cluster.account, region=cluster.region, version=version
        )

    def use_images_with_slurm(self, version: str | None) -> None:
        """Give new instances an image with this version of Slurm; None for the cluster's."""
        self.worker.ask("settings", image_slurm=version)

    def end_credentials(self) -> None:
        """End the credentials of all instances; the metadata service has new ones."""
        self.worker.ask("end_credentials")

    def failures_of(self, name: str, since: int = 0) -> list[tuple[str, str]]:
        """Instance and text of each failure of a node after the first `since` events."""
        return [
            (str(line["instance_id"]), str(line["text"]))
            for line in self.timeline()[since:]
            if line["node"] == name and line["event"] == "failed"
        ]

    def reboot(self, node: Node) -> None:
        """Reboot the instance; the agent of PCS runs again."""
        self.worker.ask("reboot", node=node.name)
