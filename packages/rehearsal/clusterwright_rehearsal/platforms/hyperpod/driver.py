"""HyperPod's service: starts and manages the nodes of clusters in the local AWS."""

from __future__ import annotations

import json
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterwright_localaws.drivers import LIFECYCLE_FAILED, Member, NodeOrder, Runtime, members
from clusterwright_rehearsal import custom_scripts
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes import log_stream
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.databases import Database
from clusterwright_rehearsal.nodes.metadata import Instance
from clusterwright_rehearsal.nodes.vpc import Vpc
from clusterwright_rehearsal.platforms.hyperpod import auto_resume, slurm_files
from clusterwright_rehearsal.platforms.hyperpod.controller import Controller
from clusterwright_rehearsal.platforms.hyperpod.node import (
    RESOURCE_CONFIG,
    HyperPodNode,
    LifecycleFailed,
    resource_config,
)
from clusterwright_rehearsal.platforms.hyperpod.provisioning_parameters import (
    roles_from_parameters,
)
from clusterwright_rehearsal.platforms.hyperpod.script_download import Scripts

_WORKERS = 64
# How often the reasons of Slurm's nodes are read.
_REASONS_EVERY_S = 2.0


@dataclass
class Settings:
    """Settings of a rehearsal; AWS publishes none of these durations."""

    detection_s: float = 4.0
    """Time from the loss of an instance to its detection by HyperPod."""
    controller_s: float = 300.0
    """Timeout of nodes that wait for the controller."""
    health_check_s: float = 6.0
    """Duration of a deep health check, which takes more than an hour on AWS."""
    health_check_wait_s: float = 600.0
    """How long a deep health check waits for the end of the node's job."""
    hold_scripts: bool = False
    """Write the scripts to new nodes, and wait before running them."""
    lifecycle: Path | None = None
    """A folder of custom scripts that runs instead of the scripts in S3."""


class HyperPod:
    """A `NodeDriver`. `vpc` creates machines; `timeline` records their events."""

    def __init__(
        self,
        runtime: Runtime,
        endpoint: str,
        vpc: Vpc,
        settings: Settings,
        timeline: Callable[..., None],
    ) -> None:
        self._runtime = runtime
        self._endpoint = endpoint
        self._vpc = vpc
        self._settings = settings
        self._timeline = timeline
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="hyperpod")
        self._scripts = Scripts()
        self._lock = threading.RLock()
        self._nodes: dict[str, HyperPodNode] = {}
        self._controllers: dict[str, Controller] = {}
        self._accounts: dict[tuple[str, str], AwsClients] = {}
        self._stopping: set[str] = set()
        """Logical ids of nodes that are being stopped intentionally."""
        self._marked: dict[str, HyperPodNode] = {}
        """Controllers by the logical ids of nodes that are recovered because of Slurm's reason."""
        self.closing = False

    # --- the NodeDriver protocol

    def create(self, order: NodeOrder) -> None:
        self._submit(order, self._create)

    def reboot(self, order: NodeOrder) -> None:
        self._submit(order, self._reboot)

    def replace(self, order: NodeOrder) -> None:
        self._submit(order, self._replace)

    def update_software(self, order: NodeOrder) -> None:
        self._submit(order, self._replace)

    def check_health(self, order: NodeOrder) -> None:
        self._submit(order, self._check_health)

    def delete(self, order: NodeOrder) -> None:
        self._pool.submit(self._delete, order)

    # --- nodes

    def node(self, name: str) -> HyperPodNode | None:
        """A node by its name, host name or instance id."""
        with self._lock:
            for node in self._nodes.values():
                if name in (node.order.name, node.machine.name, node.order.instance_id):
                    return node
        return None

    def nodes(self) -> list[HyperPodNode]:
        with self._lock:
            return list(self._nodes.values())

    def close(self) -> None:
        """Terminate every machine."""
        with self._lock:
            self.closing = True
            nodes = list(self._nodes.values())
            self._stopping.update(node.order.logical_id for node in nodes)
        list(self._pool.map(lambda node: node.machine.remove(), nodes))
        self._pool.shutdown(wait=False, cancel_futures=True)

    # --- life cycle of a node

    def _submit(self, order: NodeOrder, operation: Callable[[NodeOrder], None]) -> None:
        self._pool.submit(self._execute, order, operation)

    def _execute(self, order: NodeOrder, operation: Callable[[NodeOrder], None]) -> None:
        started = time.monotonic()
        try:
            operation(order)
        except (RehearsalError, OSError) as error:
            if self.closing or self._is_ending(order):
                return  # the node was removed during the operation
            text = error.message if isinstance(error, RehearsalError) else str(error)
            self._set_phase(order, "failed")
            self._timeline("failed", order, text=text, seconds=time.monotonic() - started)
            order.report.event(f"Node failed: {text}", level="Error")
            order.report.failed(
                text if isinstance(error, LifecycleFailed) else f"{LIFECYCLE_FAILED} {text}"
            )
        except Exception as error:  # noqa: BLE001  an internal error, reported at the node
            traceback.print_exc()
            order.report.failed(f"the rehearsal failed: {type(error).__name__}: {error}")
        else:
            self._timeline(
                "running", order, action=order.action, seconds=time.monotonic() - started
            )
            self._resume(order)
            order.report.running()

    def _create(self, order: NodeOrder) -> None:
        self._timeline("created", order)
        host = slurm_files.host_name(order.address)
        machine = self._vpc.machine(host, order.address, order.subnet_id, self._account(order))
        node = HyperPodNode(machine, order, self._vpc.folder)
        with self._lock:
            self._nodes[order.logical_id] = node
        self._bring_up(node)

    def _replace(self, order: NodeOrder) -> None:
        with self._lock:
            old = self._nodes[order.logical_id]
            self._stopping.add(order.logical_id)
        old.machine.crash()
        old.machine.wipe()
        node = HyperPodNode(old.machine, order, self._vpc.folder)
        with self._lock:
            self._nodes[order.logical_id] = node
            self._stopping.discard(order.logical_id)
        self._timeline("replaced", order)
        self._bring_up(node)

    def _reboot(self, order: NodeOrder) -> None:
        with self._lock:
            node = self._nodes[order.logical_id]
            self._stopping.add(order.logical_id)
        self._timeline("reboot", order)
        node.machine.stop()
        node.machine.boot()
        with self._lock:
            self._stopping.discard(order.logical_id)
        self._watch(node)

    def _check_health(self, order: NodeOrder) -> None:
        """Keep a node in a maintenance reservation while it is checked; the checks pass.

        A job that runs continues; if it does not end in `health_check_wait_s`, its node is
        skipped (AWS's guide page "Deep health checks": 10 minutes).
        """
        controller = self._controller(order)
        host = slurm_files.host_name(order.address)
        controller.reserve(host)
        try:
            until = time.monotonic() + self._settings.health_check_wait_s
            while controller.has_job(host) and time.monotonic() < until and not self.closing:
                time.sleep(0.5)
            if not controller.has_job(host):
                time.sleep(self._settings.health_check_s)
        finally:
            controller.release(host)

    def _delete(self, order: NodeOrder) -> None:
        with self._lock:
            self._stopping.add(order.logical_id)
            node = self._nodes.pop(order.logical_id, None)
        if node is not None:
            self._timeline("deleted", order)
            self._vpc.metadata.remove(order.address)
            node.machine.remove()
        order.report.gone()
        try:
            self._update_members(order)
        except RehearsalError as error:
            self._timeline("failed", order, text=error.message)

    def _bring_up(self, node: HyperPodNode) -> None:
        order, machine = node.order, node.machine
        started = time.monotonic()
        node.prepare(self._members(order), self._vpc.endpoint, self._vpc.resolver_address)
        self._vpc.metadata.add(_instance(order, machine.name))
        self._vpc.add_file_systems(self._account(order))
        self._vpc.databases.start_new(self._account(order))
        machine.boot()
        node.timings["boot"] = time.monotonic() - started
        node.phase = "platform"
        self._timeline("booted", order, seconds=node.timings["boot"])
        self._watch(node)
        machine.run(f"mkdir -p {auto_resume.MARKER}")
        machine.write_files({auto_resume.SRUN: auto_resume.SRUN_TEXT}, mode=0o755)
        config = order.specification.get("LifeCycleConfig") or {}
        if self._image_has_containers(order, config):
            node.install_containers()
        if self._is_managed(order):
            self._set_up_slurm(node)
            entry = config.get("OnInitComplete")
        else:
            entry = config.get("OnCreate")
        node.timings["platform"] = time.monotonic() - started - node.timings["boot"]
        self._timeline("platform", order, seconds=node.timings["platform"])
        if entry:
            self._run_scripts(node, config["SourceS3Uri"], entry)
        if self._controller(order).role(order.group_name) == "Controller":
            self._recover_marked(node)

    def _set_up_slurm(self, node: HyperPodNode) -> None:
        order = node.order
        controller = self._controller(order)
        node.mount_file_systems()
        controller.give_key(node)
        role = controller.role(order.group_name)
        if role == "Controller":
            controller.write_configuration(node, accounting=True)
            controller.start(node, self._database(order))
        elif role is not None:
            controller.wait(self._settings.controller_s)
            if role == "Compute":
                controller.update_nodes()
                controller.start_slurmd(node)
            else:
                controller.start_login(node)
        self._write_resource_configs(order)

    def _run_scripts(self, node: HyperPodNode, uri: str, entry: str) -> None:
        order = node.order
        account = self._account(order)
        stream = log_stream.Stream(
            account.client("logs"),
            log_stream.group_name(order.cluster_name, order.cluster_id),
            log_stream.stream_name(order.group_name, order.instance_id),
            node.folder / "logs" / order.name / f"{order.instance_id}.log",
        )
        try:
            try:
                s3 = account.client_of_role("s3", order.specification["ExecutionRole"])
                files = self._scripts.fetch(s3, uri)
            except RehearsalError as error:
                raise LifecycleFailed(f"{LIFECYCLE_FAILED} {error.message}") from error
            if self._settings.lifecycle is not None:
                # The scripts in S3 were downloaded too: the role must have permission.
                files = custom_scripts.with_deployed_addresses(
                    custom_scripts.read_folder(self._settings.lifecycle),
                    self._vpc.lustre,
                    self._vpc.home,
                )
            if not self._is_managed(order):
                self._set_up_scripted(node, files)
            node.place_scripts(files, entry)
            self._hold(node)
            node.phase = "scripts"
            node.run_script(entry, stream)
        except LifecycleFailed as error:
            stream.write(error.message)
            raise
        finally:
            stream.close()

    def _image_has_containers(self, order: NodeOrder, config: Mapping[str, Any]) -> bool:
        """Whether cluster.json declares Enroot and Pyxis as part of the image.

        Containers of the image are installed before the scripts run. Errors while reading the file
        are ignored here; they are reported when the scripts are downloaded.
        """
        from botocore.exceptions import ClientError

        try:
            s3 = self._account(order).client_of_role("s3", order.specification["ExecutionRole"])
            files = self._scripts.fetch(s3, config["SourceS3Uri"])
            containers = json.loads(files["cluster.json"])["containers"]
            return bool(containers["pyxis"]) and containers.get("install", "image") == "image"
        except (RehearsalError, ClientError, LookupError, ValueError, TypeError):
            return False

    def _set_phase(self, order: NodeOrder, phase: str) -> None:
        with self._lock:
            node = self._nodes.get(order.logical_id)
        if node is not None:
            node.phase = phase

    def _is_ending(self, order: NodeOrder) -> bool:
        with self._lock:
            node = self._nodes.get(order.logical_id)
            return node is None or node.order.instance_id != order.instance_id

    def _is_over(self, node: HyperPodNode) -> bool:
        """Whether the node was stopped intentionally or has been replaced."""
        with self._lock:
            logical_id = node.order.logical_id
            intended = self.closing or logical_id in self._stopping
            return intended or self._nodes.get(logical_id) is not node

    def _hold(self, node: HyperPodNode) -> None:
        if self._settings.hold_scripts:
            node.phase = "held"
            self._timeline("held", node.order)
        while self._settings.hold_scripts and not self.closing and node.machine.is_up():
            time.sleep(0.1)

    def _set_up_scripted(self, node: HyperPodNode, files: Mapping[str, bytes]) -> None:
        """Write munge's key and slurm.conf for the groups of provisioning_parameters.json.

        HyperPod does this before it runs `on_create.sh`.
        """
        roles, partitions = roles_from_parameters(files)
        controller = self._controller(node.order, roles, partitions)
        controller.give_key(node)
        if controller.role(node.order.group_name) == "Controller":
            controller.write_configuration(node, accounting=False)
            controller.ready.set()
        else:
            controller.rewrite_configuration()
        self._write_resource_configs(node.order)

    def _write_resource_configs(self, order: NodeOrder) -> None:
        """Write resource_config.json, which lists every node, to every node."""
        found = self._members(order)
        for node in self.nodes():
            if node.order.cluster_arn == order.cluster_arn and node.machine.is_up():
                try:
                    node.machine.write_files({RESOURCE_CONFIG: resource_config(node.order, found)})
                except OSError:
                    continue  # the machine has just stopped

    def _update_members(self, order: NodeOrder) -> None:
        with self._lock:
            controller = self._controllers.get(order.cluster_arn)
        if controller is not None and not self.closing and self._members(order):
            if self._is_managed(order):
                controller.update_nodes()
            else:
                controller.rewrite_configuration()
            self._write_resource_configs(order)

    def _watch(self, node: HyperPodNode) -> None:
        def wait() -> None:
            node.machine.wait_until_down()
            if self._is_over(node):
                return
            self._timeline("lost", node.order)
            lost = time.monotonic()
            # Read in each pass, because a scenario may change it.
            while time.monotonic() - lost < self._settings.detection_s:
                time.sleep(0.2)
                if self._is_over(node):
                    return
            node.order.report.failed(
                f"Instance {node.order.instance_id} is not reachable: the instance was lost."
            )

        threading.Thread(target=wait, name=f"watch-{node.machine.name}", daemon=True).start()

    def _recover_marked(self, controller: HyperPodNode) -> None:
        """Reboot and replace the nodes that Slurm's reason asks for, until the controller ends."""

        def watch() -> None:
            while not self._is_over(controller) and controller.machine.is_up():
                time.sleep(_REASONS_EVERY_S)
                self.recover_marked_once(controller)

        name = f"recover-{controller.machine.name}"
        threading.Thread(target=watch, name=name, daemon=True).start()

    def recover_marked_once(self, controller: HyperPodNode) -> None:
        """Recover the nodes that are marked now; a reason in another form is ignored silently."""
        try:
            listing = controller.machine.run(auto_resume.LIST_REASONS)
        except RehearsalError:  # the controller is down
            return
        if not listing.ok:
            return
        for marked in auto_resume.marked_nodes(listing.stdout):
            node = self.node(marked.host)
            if node is None or node.order.logical_id in self._marked:
                continue
            self._marked[node.order.logical_id] = controller
            if not node.order.report.recover(marked.recovery):
                del self._marked[node.order.logical_id]

    def _resume(self, order: NodeOrder) -> None:
        """Return a recovered node to service: its reason would recover it again."""
        controller = self._marked.pop(order.logical_id, None)
        if controller is not None:
            host = slurm_files.host_name(order.address)
            controller.machine.run(f"scontrol update nodename={host} state=resume")

    # --- clusters

    def _members(self, order: NodeOrder) -> list[Member]:
        return members(self._runtime, order.cluster_arn)

    def _is_managed(self, order: NodeOrder) -> bool:
        return slurm_files.node_type(order.specification) is not None

    def _controller(
        self,
        order: NodeOrder,
        roles: Mapping[str, str] | None = None,
        partitions: Mapping[str, str] | None = None,
    ) -> Controller:
        groups = {g["InstanceGroupName"]: g for g in order.request.get("InstanceGroups", ())}
        known = roles or {
            name: role for name, g in groups.items() if (role := slurm_files.node_type(g))
        }

        def with_specifications() -> list[tuple[Member, Mapping[str, Any]]]:
            found: list[tuple[Member, Mapping[str, Any]]] = []
            for member in self._members(order):
                specification = dict(groups.get(member.group_name, {}))
                if partitions and member.group_name in partitions:
                    specification["SlurmConfig"] = {
                        "PartitionNames": [partitions[member.group_name]]
                    }
                found.append((member, specification))
            return found

        with self._lock:
            if order.cluster_arn not in self._controllers:
                self._controllers[order.cluster_arn] = Controller(
                    order.cluster_name, with_specifications, known
                )
            return self._controllers[order.cluster_arn]

    def _database(self, order: NodeOrder) -> Database | None:
        config = ((order.request.get("Orchestrator") or {}).get("Slurm") or {}).get(
            "AccountingDatabase"
        )
        if not config:
            return None
        return self._vpc.database(self._account(order), config, order.specification)

    def _account(self, order: NodeOrder) -> AwsClients:
        key = (order.account, order.region)
        with self._lock:
            if key not in self._accounts:
                self._accounts[key] = AwsClients(self._endpoint, order.account, order.region)
            return self._accounts[key]


def _instance(order: NodeOrder, host: str) -> Instance:
    domain = "ec2.internal" if order.region == "us-east-1" else f"{order.region}.compute.internal"
    return Instance(
        instance_id=order.instance_id,
        instance_type=order.instance_type.removeprefix("ml."),
        address=order.address,
        host_name=f"{host}.{domain}",
        zone_name=order.zone_name,
        zone_id=order.zone_id,
        region=order.region,
        account=order.account,
        image_id=order.image_id or "ami-00000000000000000",
        role_arn=order.specification["ExecutionRole"],
    )
