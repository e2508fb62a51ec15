"""Interface between HyperPod's API and a driver that runs the nodes.

Without a driver (the default), a node is Pending for the world's `delays.node` and Running
afterwards. With a driver, real nodes run behind the API: the driver gets an order for each node,
carries it out in its own threads, and reports the result.

    class MyNodes:                                  # a `NodeDriver`
        def create(self, order): pool.submit(self._boot, order)
        def _boot(self, order):
            order.report.event("Lifecycle scripts started")
            ok, text = boot(order.name, order.address, order.specification["LifeCycleConfig"])
            order.report.running() if ok else order.report.failed(text)
        ...

    with attach_node_driver(runtime, MyNodes()):    # the driver gets every new node
        ...

Rules
-----
* The driver's methods are called one after another, in the order of the API's calls, from one
  thread that holds no lock of the local AWS: a slow method delays later orders, never a call of
  the API. Start work in a thread and return. An exception of a method fails its node.
* `order.report` may be used from any thread, at any time, also long after the method returned
  (a node that breaks). It takes the API's lock for microseconds. Reports about an instance that
  was replaced or deleted are ignored, and return `False`.
* A node stays Pending until `running` or `failed`. Without a report the cluster stays Creating:
timeouts are up to the driver. The API acts on reports:

  - without `NodeProvisioningMode: Continuous`, the first `failed` while a cluster is created rolls
    it back: every node gets `delete`, the cluster is Failed, its FailureMessage the report's;
    while it is updated, the update is rolled back and the cluster InService again;
  - with it, only the controller counts; a worker stays Failure with its message;
  - a node that had been Running and fails is replaced if NodeRecovery is Automatic (the default):
    the driver gets `replace`, with a new instance id in the same logical node and address;
  - a deleted node is ShuttingDown, and keeps its addresses, until `gone`. DeleteCluster and
    rollbacks end when every node is gone.

* `order.request` is the requested cluster (CreateCluster's members, with updates),
  `order.specification` the node's group. Both are shared: do not change them. `members` returns
  every node of a cluster, for `resource_config.json`.
"""

from __future__ import annotations

import ipaddress
import queue
import sys
import threading
import traceback
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.sagemaker import node_faults
from clusterwright_localaws.services.sagemaker.attachments import release_attachments
from clusterwright_localaws.services.sagemaker.events import record
from clusterwright_localaws.services.sagemaker.state import (
    NEVER,
    WATCHERS,
    Cluster,
    Clusters,
    Node,
    new_instance_id,
    store,
)
from clusterwright_localaws.worlds.injections import NodeFault, NodeMoment

_MOMENTS: Mapping[str, NodeMoment] = {
    "create": "launch",
    "reboot": "reboot",
    "replace": "replacement",
    "update_software": "software-update",
    "check_health": "health-check",
}
Action = Literal["create", "reboot", "replace", "update_software", "check_health", "delete"]


class NodeDriver(Protocol):
    """Runs the nodes of clusters; the module's docstring has the rules."""

    def create(self, order: NodeOrder) -> None:
        """A new instance: boot it, run its lifecycle scripts, then `order.checks` if there are any
        (OnStartDeepHealthChecks); report `running` or `failed`.
        """

    def reboot(self, order: NodeOrder) -> None:
        """The same instance starts again; report `running` or `failed`."""

    def replace(self, order: NodeOrder) -> None:
        """`order.previous_instance_id` is terminated; start the new instance in its place."""

    def update_software(self, order: NodeOrder) -> None:
        """A new root volume of `order.image_release`: lifecycle scripts run again (AWS's guide,
        "Update the SageMaker HyperPod platform software"); report `running` or `failed`.
        """

    def check_health(self, order: NodeOrder) -> None:
        """Run `order.checks` (InstanceStress, ...); report `running` or `failed`."""

    def delete(self, order: NodeOrder) -> None:
        """Terminate the instance; report `gone`."""


@dataclass(frozen=True)
class NodeOrder:
    """An order: an action for one node, with what the driver needs for it.

    Addresses are IPv4 in text form; `name` is `<group>-<number>`, as `resource_config.json` has;
    `specification` and `request` have the members of CreateCluster.
    """

    action: Action
    account: str
    region: str
    cluster_name: str
    cluster_arn: str
    group_name: str
    name: str
    number: int
    instance_id: str
    logical_id: str
    instance_type: str
    address: str
    subnet_id: str
    zone_name: str
    zone_id: str
    image_release: str
    image_id: str | None
    specification: Mapping[str, Any]
    request: Mapping[str, Any]
    report: NodeReport
    previous_instance_id: str | None = None
    checks: tuple[str, ...] = ()

    @property
    def cluster_id(self) -> str:
        """The last part of the cluster's ARN, as in the log group and in SSM targets."""
        return self.cluster_arn.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class NodeReport:
    """Reports of a driver about one instance; every method returns whether the instance is
    known.
    """

    runtime: Runtime
    account: str
    region: str
    cluster_arn: str
    instance_id: str

    def running(self) -> bool:
        """The node is up (created, rebooted, replaced, updated or checked)."""
        with self.runtime.lock:
            found = self._find()
            if found is None:
                return False
            cluster, node = found
            now = self.runtime.clock.now()
            node.ready_at = min(node.ready_at, now)
            node.checked_until = None
            node.status = None
            node.settled = True
            cluster.wake(now)
            return True

    def failed(self, message: str) -> bool:
        """The node is broken: its lifecycle scripts failed, or it broke while it ran.

        `message` is shown to users at the node and, where the node fails the cluster, as the
        cluster's FailureMessage.
        """
        with self.runtime.lock:
            found = self._find()
            if found is None:
                return False
            cluster, node = found
            fail(_clusters(self.runtime, cluster), cluster, node, message)
            return True

    def recover(self, action: Literal["reboot", "replace"]) -> bool:
        """The agent on the node asks for its recovery; without automatic recovery nothing happens.

        Returns whether the instance is known and is recovered.
        """
        with self.runtime.lock:
            found = self._find()
            if found is None:
                return False
            cluster, node = found
            now = self.runtime.clock.now()
            if not recovers(cluster) or node.gone_at or node.status_at(now) != "Running":
                return False
            (reboot if action == "reboot" else replace)(
                _clusters(self.runtime, cluster), cluster, node
            )
            return True

    def status(self, status: str, message: str | None = None) -> bool:
        """Set an InstanceStatus of the API model without further effects (Pending, ...)."""
        with self.runtime.lock:
            found = self._find()
            if found is None:
                return False
            found[1].status, found[1].message = status, message
            return True

    def gone(self) -> bool:
        """The instance is terminated, and its addresses are free."""
        with self.runtime.lock:
            found = self._find()
            if found is None:
                return False
            cluster, node = found
            clusters = _clusters(self.runtime, cluster)
            if node.gone_at is None:
                # Terminated without an order, like an instance that AWS reclaims.
                fail(clusters, cluster, node, "The instance was terminated.")
                return True
            clusters.forget_nodes(cluster, {node.instance_id})
            cluster.wake(self.runtime.clock.now())
            return True

    def event(
        self,
        description: str,
        *,
        level: Literal["Info", "Warn", "Error"] = "Info",
        metadata: Mapping[str, Any] | None = None,
    ) -> bool:
        """Add an event of this instance; `metadata` is the API's EventMetadata."""
        with self.runtime.lock:
            found = self._find()
            if found is None:
                return False
            cluster, node = found
            record(
                cluster,
                description,
                self.runtime.clock.now(),
                level=level,
                group=cluster.groups[node.group_name],
                node=node,
                metadata=metadata,
            )
            return True

    def _find(self) -> tuple[Cluster, Node] | None:
        clusters = store(self.runtime, self.account, self.region)
        clusters.advance()
        for cluster in clusters.by_name.values():
            if cluster.arn == self.cluster_arn:
                node = cluster.instance(self.instance_id)
                return None if node is None else (cluster, node)
        return None


@dataclass(frozen=True)
class Member:
    """One node of a cluster as other nodes see it."""

    group_name: str
    name: str
    instance_id: str
    logical_id: str
    instance_type: str
    address: str
    status: str


def members(runtime: Runtime, cluster_arn: str) -> list[Member]:
    """Return the nodes of a cluster that are not being deleted, by group; empty if it is
    deleted.
    """
    _, _, _, region, account, _ = cluster_arn.split(":", 5)
    with runtime.lock:
        now = runtime.clock.now()
        return [
            Member(
                node.group_name,
                f"{node.group_name}-{node.number}",
                node.instance_id,
                node.logical_id,
                node.instance_type,
                str(ipaddress.IPv4Address(node.primary_address)),
                node.status_at(now),
            )
            for cluster in store(runtime, account, region).by_name.values()
            if cluster.arn == cluster_arn
            for group in cluster.groups.values()
            for node in group.live()
        ]


@contextmanager
def attach_node_driver(runtime: Runtime, driver: NodeDriver) -> Iterator[None]:
    """Connect a driver to every node that is created inside the `with` block.

    Pending orders are still passed to the driver at the end of the block. Nodes of the driver are
    deleted at once when it is disconnected.

    Raises
    ------
    RuntimeError
        The local AWS has a driver already.
    """
    if runtime in _dispatchers:
        raise RuntimeError("the local AWS has a node driver already")
    dispatcher = _dispatchers[runtime] = _Dispatcher(driver)
    try:
        yield
    finally:
        del _dispatchers[runtime]
        dispatcher.close()


def start(clusters: Clusters, cluster: Cluster, node: Node, action: Action, **more: Any) -> None:
    """Start a node: by its driver, or by the clock."""
    if action == "create":
        node.driven = clusters.runtime in _dispatchers
    if not (node.driven and clusters.runtime in _dispatchers):
        node.ready_at = clusters.node_ready_at()
        _break(clusters, cluster, node, _MOMENTS[action], node.ready_at)
        return
    node.ready_at = NEVER
    cluster.driven[node.instance_id] = node
    _send(clusters, cluster, node, action, **more)


def _break(
    clusters: Clusters, cluster: Cluster, node: Node, at: NodeMoment, due: datetime
) -> bool:
    """Schedule the world's fault of a node that the clock runs; return whether it has one."""
    fault = node_faults.fault_of(clusters, cluster, node, at)
    if fault is None:
        return False
    if fault.outcome == "pending":
        node.ready_at = NEVER
        node.status = "Pending"
        node.message = fault.message
        return True
    instance_id = node.instance_id

    def strike(when: datetime) -> None:
        if node.instance_id == instance_id and node.gone_at is None:
            _strike(clusters, cluster, node, fault, when)

    cluster.at(due, strike)
    return True


def _strike(
    clusters: Clusters, cluster: Cluster, node: Node, fault: NodeFault, when: datetime
) -> None:
    """Break a node that the clock runs."""
    node_faults.tell(cluster, node, fault, fault.at, when)
    node.settled = fault.at == "running"
    if fault.outcome not in ("reboot", "replace"):
        fail(clusters, cluster, node, node_faults.message_of(fault))
    elif recovers(cluster):
        if fault.outcome == "reboot":
            reboot(clusters, cluster, node)
        else:
            replace(clusters, cluster, node)


def _break_running(clusters: Clusters, now: datetime) -> None:
    """Break nodes that the world's faults break while they are Running."""
    book = clusters.runtime.node_faults
    if not book.breaks_running():
        return
    for cluster in clusters.by_name.values():
        for node in list(cluster.nodes()):
            if node.driven or node.status_at(now) != "Running" or cluster.status != "InService":
                continue
            ran_seconds = (now - node.ready_at).total_seconds()
            fault = book.hit_running(
                cluster.name, node.group_name, node.number, node.logical_id, ran_seconds
            )
            if fault is not None:
                _strike(clusters, cluster, node, fault, now)


WATCHERS.append(_break_running)


def stop(clusters: Clusters, cluster: Cluster, node: Node) -> datetime | None:
    """Terminate a node; return the time when it is deleted, or `None` if its driver reports it."""
    release_attachments(cluster, node.instance_id)
    if node.driven and clusters.runtime in _dispatchers:
        node.gone_at = NEVER
        _send(clusters, cluster, node, "delete")
        return None
    node.gone_at = clusters.node_ready_at()
    return node.gone_at


def inform(
    clusters: Clusters,
    cluster: Cluster,
    node: Node,
    action: Action,
    *,
    due: datetime | None,
    **more: Any,
) -> bool:
    """Send an order that does not change `ready_at`; return `False` where the clock drives the
    node.

    `due` is when the clock ends the action; a fault of the world breaks the node then, unless it
    is `None`.
    """
    if not (node.driven and clusters.runtime in _dispatchers):
        if due is not None:
            _break(clusters, cluster, node, _MOMENTS[action], due)
        return False
    _send(clusters, cluster, node, action, **more)
    return True


def replace(clusters: Clusters, cluster: Cluster, node: Node) -> None:
    """Replace the instance of a node; the logical node and its address stay."""
    previous = node.instance_id
    release_attachments(cluster, previous)
    node.instance_id = new_instance_id()
    if cluster.driven.pop(previous, None) is not None:
        cluster.driven[node.instance_id] = node
    node.launched_at = clusters.runtime.clock.now()
    if node.status != "Failure":
        node.message = None  # that of a failed try sticks (`hyperpod-mental-model.md`)
    node.status = None
    node.settled = False
    record(
        cluster,
        f"Instance {node.instance_id} is starting as part of instance replacement in Cluster "
        f"{cluster.name} and IG {node.group_name}",
        node.launched_at,
        group=cluster.groups[node.group_name],
        node=node,
    )
    start(clusters, cluster, node, "replace", previous_instance_id=previous)


def reboot(clusters: Clusters, cluster: Cluster, node: Node) -> None:
    """Reboot the instance of a node; its lifecycle scripts do not run again."""
    node.status = node.message = None
    start(clusters, cluster, node, "reboot")
    record(
        cluster,
        f"Reboot of EC2 Instance {node.instance_id} is currently in progress on Cluster "
        f"{cluster.name} and IG {node.group_name}",
        clusters.runtime.clock.now(),
        group=cluster.groups[node.group_name],
        node=node,
    )


def recovers(cluster: Cluster) -> bool:
    """Return whether the cluster reboots or replaces unhealthy nodes by itself."""
    return bool(cluster.request.get("NodeRecovery", "Automatic") == "Automatic")


def fail(clusters: Clusters, cluster: Cluster, node: Node, message: str) -> None:
    """Handle a broken node: replace it if it was running and NodeRecovery is Automatic."""
    now = clusters.runtime.clock.now()
    record(
        cluster,
        f"EC2 Instance {node.instance_id} failed in Cluster {cluster.name} and IG "
        f"{node.group_name}",
        now,
        level="Error",
        group=cluster.groups[node.group_name],
        node=node,
        metadata={
            "Instance": {"NodeLogicalId": node.logical_id, "FailureMessage": message},
        },
    )
    if (
        node.settled
        and recovers(cluster)
        and node.gone_at is None
        and cluster.status == "InService"
    ):
        replace(clusters, cluster, node)
    else:
        node.status, node.message = "Failure", message
        node.ready_at = min(node.ready_at, now)
    cluster.wake(now)


class _Dispatcher:
    """Passes orders to a driver from a separate thread."""

    def __init__(self, driver: NodeDriver) -> None:
        self._driver = driver
        self._orders: queue.SimpleQueue[NodeOrder | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="node-driver", daemon=True)
        self._thread.start()

    def send(self, order: NodeOrder) -> None:
        self._orders.put(order)

    def close(self) -> None:
        self._orders.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _work(self) -> None:
        while (order := self._orders.get()) is not None:
            try:
                getattr(self._driver, order.action)(order)
            except Exception as error:  # noqa: BLE001  the driver's bug must not end the API
                traceback.print_exception(error, file=sys.stderr)
                text = f"The node driver failed: {type(error).__name__}: {error}"
                if order.action == "delete":
                    order.report.event(text, level="Error")
                    order.report.gone()
                else:
                    order.report.failed(text)


_dispatchers: weakref.WeakKeyDictionary[Runtime, _Dispatcher] = weakref.WeakKeyDictionary()


def _send(clusters: Clusters, cluster: Cluster, node: Node, action: Action, **more: Any) -> None:
    group = cluster.groups[node.group_name]
    order = NodeOrder(
        action=action,
        account=cluster.account,
        region=cluster.region,
        cluster_name=cluster.name,
        cluster_arn=cluster.arn,
        group_name=group.name,
        name=f"{group.name}-{node.number}",
        number=node.number,
        instance_id=node.instance_id,
        logical_id=node.logical_id,
        instance_type=node.instance_type,
        address=str(ipaddress.IPv4Address(node.primary_address)),
        subnet_id=node.subnet_id,
        zone_name=node.zone_name,
        zone_id=node.zone_id,
        image_release=more.pop("image_release", node.image_release),
        image_id=node.image_id,
        specification=group.specification,
        request=cluster.request,
        report=NodeReport(
            clusters.runtime, cluster.account, cluster.region, cluster.arn, node.instance_id
        ),
        **more,
    )
    dispatcher = _dispatchers.get(clusters.runtime)
    if dispatcher is not None:
        dispatcher.send(order)
    # Otherwise the driver is disconnected: its nodes are not changed.


def _clusters(runtime: Runtime, cluster: Cluster) -> Clusters:
    return store(runtime, cluster.account, cluster.region)
