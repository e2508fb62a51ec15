"""One cluster: its controller, its nodes, and the service that scales and replaces them."""

from __future__ import annotations

import contextlib
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from clusterwright_localaws.drivers import (
    PcsOrder,
    Runtime,
    current_order,
    end_nodes,
    launch_nodes,
    running_instances,
)
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.metadata import Instance
from clusterwright_rehearsal.nodes.platform_node import domain_of
from clusterwright_rehearsal.nodes.vpc import Vpc
from clusterwright_rehearsal.platforms.pcs import reachability
from clusterwright_rehearsal.platforms.pcs.agent import Agent, NodeRejected
from clusterwright_rehearsal.platforms.pcs.controller import Controller, down
from clusterwright_rehearsal.platforms.pcs.members import Member, members
from clusterwright_rehearsal.platforms.pcs.node import PcsNode
from clusterwright_rehearsal.platforms.pcs.settings import Settings

_JOINING_S = 60


class RunningCluster:
    """The machines of one cluster."""

    def __init__(
        self,
        runtime: Runtime,
        order: PcsOrder,
        account: AwsClients,
        vpc: Vpc,
        settings: Settings,
        timeline: Callable[..., None],
    ) -> None:
        self._runtime = runtime
        self._order = order
        self._account = account
        self._vpc = vpc
        self._settings = settings
        self._timeline = timeline
        self._lock = threading.RLock()
        self._applying = threading.Lock()
        self._controller: Controller | None = None
        self._nodes: dict[str, PcsNode] = {}
        """By instance id."""
        self._lost: dict[str, float] = {}
        """Instance id → time at which its loss was first observed."""
        self._failed: dict[str, int] = {}
        """Node name → failed launches in succession."""
        self._missing: dict[str, set[int]] = {}
        """Group id → numbers of nodes without an instance; static ones are launched."""
        self._ended = False
        self._pool = ThreadPoolExecutor(32, thread_name_prefix="pcs-nodes")

    # --- operations of the driver

    def apply(self, order: PcsOrder) -> None:
        """Bring controller and machines to the state of an order; nodes start by themselves."""
        with self._applying:
            if self._ended:
                return
            with contextlib.suppress(LookupError):
                # Instances may have been launched or ended since the order was written.
                order = current_order(self._runtime, *self._here())
            self._order = order
            if not order.is_up:
                self._remove_all()
                if self._controller is not None:
                    self._controller.suspend()
                return
            if self._controller is None:
                self._controller = Controller(order, self._account, self._vpc, self._settings)
            self._controller.apply(order)
            self._reconcile(order)

    def end(self) -> None:
        """Delete every machine."""
        with self._applying:
            self._ended = True
            self._remove_all()
            if self._controller is not None:
                self._controller.end()
            self._pool.shutdown(wait=False, cancel_futures=True)

    def nodes(self) -> list[PcsNode]:
        with self._lock:
            return list(self._nodes.values())

    def reboot(self, node: PcsNode) -> None:
        """Reboot an instance: its disk stays, and the agent runs again."""
        node.phase = "booting"
        node.machine.reboot()
        self._pool.submit(self._start, node, is_first_boot=False)

    # --- the service: one look each second

    def look(self) -> None:
        """Launch and end what Slurm asks for, and replace what was lost."""
        controller = self._controller
        if controller is None or self._ended or not self._order.is_up:
            return
        self._resume(controller.take("resume"))
        self._suspend(controller.take("suspend"))
        for node in self.nodes():
            if node.phase != "booting" and node.machine.reboots:
                node.phase = "booting"
                self._pool.submit(self.reboot, node)
        states = controller.states()
        gone = [node for node in self.nodes() if self._is_lost(node, states)]
        if gone:
            self._replace(gone)
        self._launch_missing()
        self._notice_ended()

    def _is_lost(self, node: PcsNode, states: dict[str, str]) -> bool:
        """Whether an instance has been lost, or its slurmd is not answering, for some time."""
        if node.phase in ("created", "booting"):
            return False
        instance_id = node.order.instance_id
        silent = node.phase == "running" and bool(down(states, [node.order.name]))
        if node.phase != "failed" and node.machine.is_up() and not silent:
            self._lost.pop(instance_id, None)
            return False
        first = self._lost.setdefault(instance_id, time.monotonic())
        return time.monotonic() - first >= self._settings.detection_s

    def _replace(self, gone: list[PcsNode]) -> None:
        """Terminate lost instances; static ones are launched again, others when a job needs them.

        Their nodes are down in Slurm, so that jobs are requeued: if the next instance registered
        before Slurm missed the last one, a young job would seem to run on. How AWS PCS tells
        Slurm is not published. A node that failed too often is left terminated.
        """
        for node in gone:
            member = node.order
            self._timeline("lost", member)
            if self._failed.get(member.name, 0) < self._settings.failed_launches:
                self._miss(member)
        ids = [node.order.instance_id for node in gone]
        self.apply(end_nodes(self._runtime, *self._here(), ids))
        for node in gone:
            if node.order.is_static:
                self._update(node.order.name, "down reason='the instance was lost'")
            else:
                self._power_down(node.order.name)

    def _miss(self, member: Member) -> None:
        self._missing.setdefault(member.group_id, set()).add(member.number)

    def _launch_missing(self) -> None:
        """Launch the static ones of the nodes that miss an instance, as their groups are now.

        What EC2 refuses is tried again at the next look.
        """
        from botocore.exceptions import ClientError

        for group in self._order.groups:
            numbers = set(filter(group.is_static, self._missing.get(group.id, ())))
            if not numbers:
                self._missing.pop(group.id, None)
                continue
            try:
                order = launch_nodes(self._runtime, *self._here(), {group.id: numbers})
            except ClientError:
                continue
            del self._missing[group.id]
            self.apply(order)

    def _resume(self, names: list[str]) -> None:
        from botocore.exceptions import ClientError

        wanted: dict[str, set[int]] = {}
        for name in names:
            group, _, number = name.rpartition("-")
            for known in self._order.groups:
                if known.name == group and number.isdigit():
                    wanted.setdefault(known.id, set()).add(int(number))
        if not wanted:
            return
        try:
            self.apply(launch_nodes(self._runtime, *self._here(), wanted))
        except ClientError as error:
            # The text of AWS PCS is not published.
            print(f"pcs: {', '.join(names)}: {error}", flush=True)
            for name in names:
                self._power_down(name)

    def _suspend(self, names: list[str]) -> None:
        ended = [node.order for node in self.nodes() if node.order.name in names]
        for member in ended:
            # Slurm may ask before it knows that the node has become static.
            self._miss(member)
        if ended:
            ids = [member.instance_id for member in ended]
            self.apply(end_nodes(self._runtime, *self._here(), ids))

    def _power_down(self, name: str) -> None:
        self._update(name, "power_down_force")

    def _update(self, name: str, state: str) -> None:
        if self._controller is not None:
            self._controller.run(f"scontrol update nodename={name} state={state}")

    def _notice_ended(self) -> None:
        """Crash the machines of instances that somebody terminated in EC2."""
        known = {node.order.instance_id for node in self.nodes()}
        there = running_instances(self._runtime, *self._here())
        if there is None:
            return
        for node in self.nodes():
            if node.order.instance_id in known - there and node.machine.is_up():
                node.machine.crash()  # as EC2 ends it; the next look replaces it

    def _here(self) -> tuple[str, str, str]:
        return self._order.account, self._order.region, self._order.cluster_id

    # --- machines

    @property
    def _version(self) -> str:
        return str(self._order.members["scheduler"]["version"])

    def _reconcile(self, order: PcsOrder) -> None:
        found = members(self._account, order)
        wanted = {member.instance_id for member in found}
        for node in self.nodes():
            if node.order.instance_id not in wanted:
                self._remove(node)
        for member in found:
            with self._lock:
                known = self._nodes.get(member.instance_id)
                if known is not None:
                    known.order = member  # a queue may have been added
                    continue
                node = self._new_node(member)
                self._nodes[member.instance_id] = node
            self._pool.submit(self._start, node, is_first_boot=True)

    def _new_node(self, member: Member) -> PcsNode:
        self._timeline("created", member)
        machine = self._vpc.machine(
            member.name,
            member.address,
            member.subnet_id,
            self._account,
            self._settings.images.get(self._version),
        )
        self._vpc.add_host(member.name, member.address)
        node = PcsNode(machine, member, self._vpc.folder)
        node.phase = "created"
        return node

    def _remove(self, node: PcsNode) -> None:
        with self._lock:
            self._nodes.pop(node.order.instance_id, None)
            self._lost.pop(node.order.instance_id, None)
        self._timeline("deleted", node.order)
        self._vpc.metadata.remove(node.order.address)
        node.machine.remove()

    def _remove_all(self) -> None:
        list(self._pool.map(self._remove, self.nodes()))

    def _start(self, node: PcsNode, *, is_first_boot: bool) -> None:
        started = time.monotonic()
        member = node.order
        try:
            if is_first_boot:
                self._boot(node)
            self._run_agent(node, is_first_boot=is_first_boot)
        except Exception as error:  # noqa: BLE001  every failure is one of the instance
            if self._ended or member.instance_id not in self._nodes:
                return
            if not isinstance(error, RehearsalError):
                traceback.print_exc()
            text = error.message if isinstance(error, RehearsalError) else str(error)
            self._failed[member.name] = self._failed.get(member.name, 0) + 1
            node.phase = "failed"
            seconds = time.monotonic() - started
            self._timeline("failed", member, text=text, seconds=seconds)
            return
        self._failed.pop(member.name, None)
        node.phase = "running"
        seconds = time.monotonic() - started
        self._timeline("running", member, action="create", seconds=seconds)

    def _boot(self, node: PcsNode) -> None:
        member = node.order
        started = time.monotonic()
        node.prepare(self._order.region, self._vpc.endpoint, self._vpc.resolver_address)
        self._vpc.metadata.add(self._instance(member))
        self._vpc.add_file_systems(self._account)
        node.machine.boot()
        node.timings["boot"] = time.monotonic() - started
        node.phase = "platform"
        self._timeline("booted", member, seconds=node.timings["boot"])
        node.move_slurm(self._settings.image_slurm or self._version)
        node.run_user_data()

    def _run_agent(self, node: PcsNode, *, is_first_boot: bool) -> None:
        member, controller = node.order, self._controller
        if controller is None:
            raise RehearsalError("the cluster has no controller")
        clients = {
            service: self._account.client_of_session(service, member.role_arn, member.instance_id)
            for service in ("pcs", "s3")
        }
        agent = Agent(node, clients, is_first_boot=is_first_boot)
        failure = node.bootstrap(self._version)
        if failure is not None:
            raise NodeRejected(failure)
        reason = reachability.blocked(
            self._account.client("ec2"),
            member.security_groups,
            self._order.members["networking"]["securityGroupIds"],
        )
        if reason is not None:
            raise NodeRejected(f"{member.instance_id} cannot reach Slurm's controller: {reason}")
        name = agent.register(self._order.cluster_id)
        if self._settings.hold_scripts:
            agent.place("nodeBootstrapped")
        self._hold(node)
        node.phase = "scripts"
        agent.run_stage("nodeBootstrapped")
        controller.expect(name, member.address)
        # Of the instance before it, if there was one.
        before = controller.slurmd_started(name)
        is_new = member.is_static and is_first_boot and not before
        agent.start_slurmd(says_booted=not is_new)
        self._join(controller, name, before)
        if is_first_boot:
            # A static node of the state CLOUD was never powered up by Slurm, and what drained the
            # node was another instance. After a reboot a drained node stays drained.
            self._update(name, "resume")
        agent.run_stage("nodeReady")

    def _join(self, controller: Controller, name: str, before: str) -> None:
        """Wait until the node has registered with slurmctld."""
        ends = time.monotonic() + _JOINING_S
        while time.monotonic() < ends:
            if controller.slurmd_started(name) not in ("", before):
                break
            time.sleep(0.3)
        else:
            raise NodeRejected(f"{name} did not join Slurm within {_JOINING_S} s")

    def _hold(self, node: PcsNode) -> None:
        if self._settings.hold_scripts:
            node.phase = "held"
            self._timeline("held", node.order)
        while self._settings.hold_scripts and not self._ended and node.machine.is_up():
            time.sleep(0.1)

    def _instance(self, member: Member) -> Instance:
        region = self._order.region
        return Instance(
            instance_id=member.instance_id,
            instance_type=member.instance_type,
            address=member.address,
            host_name=f"{member.name}.{domain_of(region)}",
            zone_name=member.zone_name,
            zone_id="",
            region=region,
            account=self._order.account,
            image_id=member.image_id,
            role_arn=member.role_arn,
        )
