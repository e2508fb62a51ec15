"""Access to the cluster of a rehearsal: its nodes, Slurm and the AWS APIs."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright_rehearsal import registry
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.machines import Machine, Site
from clusterwright_rehearsal.nodes.network import Network
from clusterwright_rehearsal.platforms.hyperpod.node import SCRIPTS
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken, ControllerBusy
from clusterwright_rehearsal.scenario_api.promises import PromiseRecorder
from clusterwright_rehearsal.worker_client import WorkerClient

_BUSY = ("Socket timed out", "Unable to contact slurm controller", "Connection refused")
_BUSY_S = 90.0
"""Longer than a slurmctld hangs until it is restarted (`slurmctld_watch.py` of the image)."""


class ClusterAccess(PromiseRecorder):
    """Nodes, Slurm commands and API clients of the rehearsed cluster."""

    def __init__(self, *, worker: WorkerClient, image: Path, cluster: Cluster) -> None:
        super().__init__()
        self.worker = worker
        self.cluster = cluster
        self._clients = AwsClients(worker.url, cluster.account, cluster.region)
        run = worker.run
        resources = registry.Registry(run.folder)
        network = Network(run.id, ["10.0.0.0/8"], resources)
        self._site = Site(run.id, run.folder, image, network, resources)
        self._machines: dict[str, Machine] = {}
        self._submitted = 0

    @property
    def network(self) -> Network:
        """The network of the rehearsed VPC."""
        return self._site.network

    @property
    def registry(self) -> registry.Registry:
        """The registry of what the run creates."""
        return self._site.registry

    # --- nodes

    def facts(self, name: str) -> dict[str, Any]:
        """The worker's description of a node, by name or host name: `instance_id`, `phase`, ..."""
        for found in self.worker.ask("nodes"):
            if name in (found["name"], found["host"]):
                return dict(found)
        raise Broken(f"there is no node {name}")

    def nodes(self, role: str | None = None, group: str | None = None) -> list[Node]:
        """The current nodes, sorted by name; optionally of one role or group."""
        roles = {group.name: group.role for group in self.cluster.compute}
        found = [
            Node(self, {**facts, "role": roles.get(facts["group"], "compute")})
            for facts in self.worker.ask("nodes")
        ]
        return sorted(
            (n for n in found if role in (None, n.role) and group in (None, n.group)),
            key=lambda node: (node.group, int(node.name.rpartition("-")[2])),
        )

    def node(self, name: str) -> Node:
        """A node by its name in the API or its host name."""
        for found in self.nodes():
            if name in (found.name, found.host):
                return found
        raise Broken(f"there is no node {name}")

    @property
    def controller(self) -> Node:
        """The first node of role controller."""
        return self.nodes("controller")[0]

    @property
    def compute(self) -> list[Node]:
        """The nodes of role compute."""
        return self.nodes("compute")

    @property
    def entry(self) -> str:
        """The lifecycle script that HyperPod runs in this configuration."""
        managed = self.cluster.slurm.configuration == "managed"
        return "on_init_complete.sh" if managed else "on_create.sh"

    @property
    def program(self) -> str:
        """The command that runs the lifecycle script on a node again."""
        return f"cd {SCRIPTS} && exec ./{self.entry}"

    def machine(self, host: str, address: str) -> Machine:
        """The machine with a host name, located through the file that the worker wrote."""
        found = self._machines.setdefault(host, Machine(self._site, host, address))
        # On ParallelCluster a replacement has another address.
        found.address = address
        found.locate()
        return found

    # --- Slurm

    def slurm(self, command: str, *, timeout_s: float = 60.0) -> str:
        """Run a command on the controller, which must succeed; return its standard output.

        While slurmctld is busy, for example reading its configuration again, the command is
        retried for up to 90 s, as a user would. Raises `ControllerBusy` if it still does not
        answer.
        """
        controller, started = self.controller, time.monotonic()
        while True:
            result = controller.run(command, timeout_s=timeout_s)
            if result.ok:
                return result.stdout
            message = f"`{command}` exited with {result.returncode}: {result.output_tail}"
            if not any(words in result.stderr for words in _BUSY):
                raise Broken(message)
            if time.monotonic() - started > _BUSY_S:
                raise ControllerBusy(message)
            time.sleep(1.0)

    def submit(
        self,
        script: str,
        *,
        nodes: int = 1,
        options: Sequence[str] = (),
        user: str = "ubuntu",
        folder: str | None = None,
    ) -> Job:
        """Submit a bash script (without its first line) with `sbatch`, from the shared file
        system.

        `options` are options of sbatch (`--gres=gpu:1`). The output file is in the shared folder.
        """
        directory = folder or self.shared_folder
        controller = self.controller
        controller.must(f"mkdir -p {directory} && chmod 1777 {directory}")
        # A replaced controller has lost its jobs and numbers new ones from 1 again.
        self._submitted += 1
        output = f"{directory}/job-{self._submitted}-%j.out"
        words = ["sbatch", "--parsable", f"--nodes={nodes}", f"--output={output}"]
        words += ["--open-mode=append", *options]
        number = controller.must(
            f"cd {directory} && {shlex.join(words)}", user=user, stdin=f"#!/bin/bash\n{script}\n"
        )
        number = number.strip().partition(";")[0]
        return Job(self, number, output.replace("%j", number))

    @property
    def shared_folder(self) -> str:
        """A folder that every node shares. Without shared storage the scenario is undetermined."""
        lustre = self.cluster.storage.lustre
        if not lustre:
            self.cannot_determine("the spec has no shared file system")
        return f"{lustre[0].mount_path}/rehearsal"

    def host_path(self, path: str) -> Path:
        """The path on this host of an existing file or folder of the shared file system.

        Reading it takes no command on a node. Raises `Broken` if it does not exist.
        """
        mounts = [lustre.mount_path for lustre in self.cluster.storage.lustre]
        mount = next((each for each in mounts if path.startswith(f"{each}/")), None)
        if mount is not None:
            for folder in self._site.shared.glob("lustre/*/*"):
                found = folder / path.removeprefix(f"{mount}/")
                if found.exists():
                    return found
        raise Broken(f"{path} is not on the shared file system")

    # --- AWS

    def aws(self, service: str) -> Any:
        """A boto3 client of the local AWS, with all permissions."""
        return self._clients.client(service)

    def api_nodes(self) -> dict[str, dict[str, Any]]:
        """The result of ListClusterNodes by node name (`workers-1`)."""
        pages = (
            self.aws("sagemaker")
            .get_paginator("list_cluster_nodes")
            .paginate(ClusterName=self.cluster.environment)
        )
        by_id = {facts["instance_id"]: facts["name"] for facts in self.worker.ask("nodes")}
        return {
            by_id.get(entry["InstanceId"], entry["InstanceId"]): entry
            for page in pages
            for entry in page["ClusterNodeSummaries"]
        }

    def logs(self, node: Node) -> list[str]:
        """The lines of the node's lifecycle scripts in CloudWatch Logs, oldest first."""
        arn = self.aws("sagemaker").describe_cluster(ClusterName=self.cluster.environment)[
            "ClusterArn"
        ]
        group = f"/aws/sagemaker/Clusters/{self.cluster.environment}/{arn.rpartition('/')[2]}"
        return self.log_events(group, f"LifecycleConfig/{node.group}/{node.instance_id}")

    def log_events(self, group: str, stream: str) -> list[str]:
        """The messages of a log stream, oldest first; empty if the stream does not exist yet."""
        logs = self.aws("logs")
        found: list[str] = []
        token: dict[str, str] = {}
        while True:
            try:
                page = logs.get_log_events(
                    logGroupName=group, logStreamName=stream, startFromHead=True, **token
                )
            except logs.exceptions.ResourceNotFoundException:
                return found
            if not page["events"]:
                return found
            found += [event["message"] for event in page["events"]]
            token = {"nextToken": page["nextForwardToken"]}
