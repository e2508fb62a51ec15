"""Queues of AWS PCS: API model (botocore 1.44.5)."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.services.pcs import cluster_driver, fleet, limits, settings
from clusterwright_localaws.services.pcs.clusters import Failed, listed, require_active
from clusterwright_localaws.services.pcs.failures import failure_of
from clusterwright_localaws.services.pcs.groups import uses
from clusterwright_localaws.services.pcs.state import (
    CLUSTER,
    GROUP,
    QUEUE,
    ChildResource,
    PcsCluster,
    Store,
    cluster_of,
    conflict,
    find_child,
    invalid,
    new_id,
    not_found,
    store_of,
)

_CONFIGURATIONS: Final = "computeNodeGroupConfigurations"
_CHANGEABLE: Final = frozenset({"ACTIVE", "UPDATE_FAILED"})
_DELETABLE: Final = frozenset(
    {"ACTIVE", "CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED", "SUSPENDED"}
)


@operation("pcs", "CreateQueue")
def create_queue(call: Call) -> Mapping[str, Any]:
    store, cluster, asked = store_of(call), cluster_of(call), call.parameters
    require_active(cluster)
    name = asked["queueName"]
    same = find_child(cluster.queues, name)
    if same is not None:
        raise conflict(QUEUE, same.id, f"A queue with the name {name} already exists.")
    limits.check_queue_count(cluster)
    members: dict[str, Any] = {
        _CONFIGURATIONS: copy.deepcopy(asked.get(_CONFIGURATIONS) or []),
    }
    if asked.get("slurmConfiguration"):
        members["slurmConfiguration"] = copy.deepcopy(asked["slurmConfiguration"])
    _check(cluster, members)
    identifier = new_id()
    queue = ChildResource(
        name=name,
        id=identifier,
        arn=store.arn(CLUSTER, cluster.id, QUEUE, identifier),
        created_at=call.now,
        members=members,
        tags=dict(asked.get("tags", {})),
        cluster_id=cluster.id,
    )
    cluster.queues[identifier] = queue

    def failed(error: Exception) -> None:
        queue.fail("CREATE_FAILED", *failure_of(error))

    store.after(
        call.world.delays.pcs_queue, functools.partial(_active, store, cluster, queue, failed)
    )
    return {"queue": queue.view()}


@operation("pcs", "GetQueue")
def get_queue(call: Call) -> Mapping[str, Any]:
    return {"queue": queue_of(call).view()}


@operation("pcs", "ListQueues")
def list_queues(call: Call) -> Mapping[str, Any]:
    found = [queue.summary() for queue in cluster_of(call).queues.values()]
    return listed(call, "queues", found)


@operation("pcs", "UpdateQueue")
def update_queue(call: Call) -> Mapping[str, Any]:
    store, cluster, queue = store_of(call), cluster_of(call), queue_of(call)
    require_active(cluster)
    if queue.status not in _CHANGEABLE:
        raise _not_in_state(queue, "updated")
    members = copy.deepcopy(queue.members)
    for key in (_CONFIGURATIONS, "slurmConfiguration"):
        if call.parameters.get(key) is not None:
            members[key] = copy.deepcopy(call.parameters[key])
    _check(cluster, members)
    before, queue.members = queue.members, members
    queue.status, queue.errors = "UPDATING", []

    def failed(error: Exception) -> None:
        queue.members = before
        queue.fail("UPDATE_FAILED", *failure_of(error))

    store.after(
        call.world.delays.pcs_queue, functools.partial(_active, store, cluster, queue, failed)
    )
    return {"queue": queue.view()}


@operation("pcs", "DeleteQueue")
def delete_queue(call: Call) -> Mapping[str, Any]:
    """Delete a queue; instances of groups that no other queue uses are terminated."""
    store, cluster, queue = store_of(call), cluster_of(call), queue_of(call)
    if queue.status not in _DELETABLE:
        raise _not_in_state(queue, "deleted")
    queue.status = "DELETING"

    def failed(error: Exception) -> None:
        queue.fail("DELETE_FAILED", *failure_of(error))

    store.after(
        call.world.delays.pcs_queue,
        functools.partial(_gone, store, cluster, queue, failed),
        failed,
    )
    return {}


def queue_of(call: Call) -> ChildResource:
    """Return the queue that a call names.

    Raises
    ------
    AwsError
        ResourceNotFoundException.
    """
    named = str(call.parameters["queueIdentifier"])
    found = find_child(cluster_of(call).queues, named)
    if found is None:
        raise not_found(QUEUE, named)
    return found


def _check(cluster: PcsCluster, members: Mapping[str, Any]) -> None:
    configurations: Sequence[Mapping[str, str]] = members[_CONFIGURATIONS]
    if not configurations:
        raise invalid(
            _CONFIGURATIONS, "You must associate 1 or more compute node groups with the queue."
        )
    named = [str(one.get("computeNodeGroupId", "")) for one in configurations]
    if len(set(named)) < len(named):
        raise invalid(_CONFIGURATIONS, "A compute node group is associated twice.")
    for identifier in named:
        if identifier not in cluster.groups:
            raise not_found(GROUP, identifier)
    settings.check_queue(members.get("slurmConfiguration") or {})


def _active(store: Store, cluster: PcsCluster, queue: ChildResource, failed: Failed) -> None:
    def finish() -> None:
        queue.status = "ACTIVE"
        queue.modified_at = store.runtime.clock.now()

    cluster_driver.after_driver(store, cluster, finish, failed)


def _gone(store: Store, cluster: PcsCluster, queue: ChildResource, failed: Failed) -> None:
    others = [one for one in cluster.queues.values() if one is not queue]
    for group in cluster.groups.values():
        if uses(queue, group) and not any(uses(one, group) for one in others):
            fleet.end(store, group)

    def finish() -> None:
        cluster.queues.pop(queue.id, None)

    cluster_driver.after_driver(store, cluster, finish, failed)


def _not_in_state(queue: ChildResource, what: str) -> Exception:
    return conflict(
        QUEUE, queue.id, f"The queue {queue.name} is {queue.status} and cannot be {what}."
    )
