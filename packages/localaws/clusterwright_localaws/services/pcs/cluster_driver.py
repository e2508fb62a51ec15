"""Interface between AWS PCS and a driver that runs Slurm's controller and the instances.

Without a driver (the default), a cluster is active once its interface and secrets exist, and a
group once EC2 has launched its instances. With a driver, Slurm's daemons run behind the endpoints,
and machines behind the instances: each change of a cluster is applied by the driver, and the
resource keeps its state (CREATING, UPDATING, ...) until the driver has answered.

    with attach_pcs_driver(runtime, driver):      # a `PcsDriver`
        ...

A driver scales: Slurm asks it for nodes, it asks for instances with `launch_nodes`, and returns
them with `end_nodes`. Both change EC2 and return the new order.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam.inside import acting_as
from clusterwright_localaws.services.pcs import fleet, launch_templates
from clusterwright_localaws.services.pcs.state import (
    ChildResource,
    PcsCluster,
    Store,
    before_calls,
    find_cluster,
    store_in,
)

_WITHOUT_CONTROLLER = frozenset({"SUSPENDING", "SUSPENDED"})
_NOT_IN_SLURM = frozenset({"CREATE_FAILED", "DELETING"})


@dataclass(frozen=True)
class PcsInstance:
    """An instance that PCS launched; `name` is the node's name in Slurm."""

    instance_id: str
    number: int
    name: str


@dataclass(frozen=True)
class PcsGroupOrder:
    """A compute node group: the API's answer, its launch template's data, its instances."""

    id: str
    name: str
    members: Mapping[str, Any]
    template: Mapping[str, Any]
    instances: tuple[PcsInstance, ...]

    @property
    def static_count(self) -> int:
        """How many instances always run; nodes are numbered from 1, the static ones first."""
        return int(self.members["scalingConfiguration"]["minInstanceCount"])

    def is_static(self, number: int) -> bool:
        """Whether the node of that number always has an instance."""
        return number <= self.static_count


@dataclass(frozen=True)
class PcsQueueOrder:
    """A queue: the API's answer."""

    id: str
    name: str
    members: Mapping[str, Any]


@dataclass(frozen=True)
class PcsOrder:
    """The desired state of a cluster.

    `members` is the API's answer of GetCluster. `is_up` is False while the cluster is suspended:
    the controller is down then, and accounting is kept.
    """

    account: str
    region: str
    cluster_id: str
    name: str
    address: str
    is_up: bool
    members: Mapping[str, Any]
    groups: tuple[PcsGroupOrder, ...]
    queues: tuple[PcsQueueOrder, ...]


class PcsDriver(Protocol):
    """Runs controllers and machines. Methods are called under the lock of the local AWS."""

    def apply(self, order: PcsOrder) -> Future[None]:
        """Begin to bring a cluster to a state; return at once.

        The future is done when Slurm's controller has the configuration. Machines of new instances
        start by themselves later, as instances of AWS do; machines of instances that are not in
        the order are stopped.
        """

    def end(self, cluster_id: str) -> Future[None]:
        """Begin to stop everything of a cluster that is deleted; return at once."""


_drivers: weakref.WeakKeyDictionary[Runtime, PcsDriver] = weakref.WeakKeyDictionary()


@contextmanager
def attach_pcs_driver(runtime: Runtime, driver: PcsDriver) -> Iterator[None]:
    """Connect a driver to clusters that are created inside the `with` block."""
    if runtime in _drivers:
        raise RuntimeError("the local AWS has a driver of PCS already")
    _drivers[runtime] = driver
    try:
        yield
    finally:
        del _drivers[runtime]


def launch_nodes(
    runtime: Runtime, account: str, region: str, cluster_id: str, numbers: Mapping[str, set[int]]
) -> PcsOrder:
    """Launch instances with these numbers, by group id, and return the new order.

    Raises
    ------
    ClientError
        EC2 refuses; the instances of the groups before are in the next order.
    LookupError
        The cluster or the group does not exist any more.
    """
    with runtime.lock, acting_as(None):
        store = store_in(runtime, account, region)
        cluster = _cluster(store, cluster_id)
        for group_id, wanted in numbers.items():
            group = cluster.groups.get(group_id)
            if group is None:
                raise LookupError(f"the cluster {cluster_id} has no group {group_id}")
            fleet.launch(store, cluster, group, sorted(wanted))
        return order_of(store, cluster)


def end_nodes(
    runtime: Runtime, account: str, region: str, cluster_id: str, instance_ids: Sequence[str]
) -> PcsOrder:
    """Terminate instances, and return the new order.

    Raises
    ------
    LookupError
        The cluster does not exist any more.
    """
    with runtime.lock, acting_as(None):
        store = store_in(runtime, account, region)
        cluster = _cluster(store, cluster_id)
        for group in cluster.groups.values():
            fleet.end_some(store, group, instance_ids)
        return order_of(store, cluster)


def current_order(runtime: Runtime, account: str, region: str, cluster_id: str) -> PcsOrder:
    """Return the order of a cluster as it is now: instances that somebody ended are left out.

    Raises
    ------
    LookupError
        The cluster does not exist any more.
    """
    with runtime.lock, acting_as(None):
        store = store_in(runtime, account, region)
        return order_of(store, _cluster(store, cluster_id))


def running_instances(
    runtime: Runtime, account: str, region: str, cluster_id: str
) -> frozenset[str] | None:
    """Return the ids of a cluster's instances that run now; None if it has no controller.

    Raises
    ------
    LookupError
        The cluster does not exist any more.
    """
    with runtime.lock, acting_as(None):
        store = store_in(runtime, account, region)
        cluster = _cluster(store, cluster_id)
        if cluster.status in _WITHOUT_CONTROLLER:
            return None
        return frozenset(
            node.instance_id
            for group in cluster.groups.values()
            if group.status not in _NOT_IN_SLURM
            for node in fleet.running(store, group)
        )


def order_of(store: Store, cluster: PcsCluster) -> PcsOrder:
    """Return what a driver has to bring about."""
    return PcsOrder(
        account=store.account,
        region=store.region,
        cluster_id=cluster.id,
        name=cluster.name,
        address=cluster.address or "",
        is_up=cluster.status not in _WITHOUT_CONTROLLER,
        members=cluster.view(),
        groups=tuple(
            _group(store, group)
            for group in cluster.groups.values()
            if group.status not in _NOT_IN_SLURM
        ),
        queues=tuple(
            PcsQueueOrder(queue.id, queue.name, queue.view())
            for queue in cluster.queues.values()
            if queue.status not in _NOT_IN_SLURM
        ),
    )


def after_driver(
    store: Store,
    cluster: PcsCluster,
    finish: Callable[[], None],
    failed: Callable[[Exception], object],
) -> None:
    """Let the driver apply the cluster's state, and call `finish` when it has; without a driver
    at once.
    """
    driver = _drivers.get(store.runtime)
    if driver is None:
        finish()
        return
    _wait(store, driver.apply(order_of(store, cluster)), finish, failed)


def after_end(
    store: Store,
    cluster: PcsCluster,
    finish: Callable[[], None],
    failed: Callable[[Exception], object],
) -> None:
    """Let the driver stop everything of a cluster, and call `finish` when it has."""
    driver = _drivers.get(store.runtime)
    if driver is None:
        finish()
        return
    _wait(store, driver.end(cluster.id), finish, failed)


def _wait(
    store: Store,
    work: Future[None],
    finish: Callable[[], None],
    failed: Callable[[Exception], object],
) -> None:
    def settle() -> None:
        error = work.exception()
        try:
            if error is None:
                finish()
                return
        except Exception as refused:  # noqa: BLE001  any failure ends in a failed state
            error = refused
        failed(error if isinstance(error, Exception) else RuntimeError(str(error)))

    store.at_work.append((work, settle))


@before_calls
def settle_work(store: Store) -> None:
    """Complete what drivers have applied by now."""
    for entry in list(store.at_work):
        work, settle = entry
        if work.done():
            store.at_work.remove(entry)
            settle()


def _cluster(store: Store, cluster_id: str) -> PcsCluster:
    found = find_cluster(store, cluster_id)
    if found is None:
        raise LookupError(f"the cluster {cluster_id} does not exist")
    return found


def _group(store: Store, group: ChildResource) -> PcsGroupOrder:
    return PcsGroupOrder(
        id=group.id,
        name=group.name,
        members=group.view(),
        template=copy.deepcopy(launch_templates.data_of(store, group.members)),
        instances=tuple(
            PcsInstance(node.instance_id, node.number, f"{group.name}-{node.number}")
            for node in fleet.running(store, group)
        ),
    )
