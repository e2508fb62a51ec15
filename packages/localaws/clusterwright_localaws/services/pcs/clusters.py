"""CreateCluster, UpdateCluster, DeleteCluster, GetCluster and ListClusters of AWS PCS.

States and rules: API model (botocore 1.44.5) and PCS user guide, working-with_clusters. Defaults
are the API model's.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.pcs import (
    cluster_driver,
    controller,
    fleet,
    limits,
    network_checks,
    settings,
    versions,
)
from clusterwright_localaws.services.pcs.failures import failure_of
from clusterwright_localaws.services.pcs.state import (
    CLUSTER,
    PcsCluster,
    Store,
    cluster_of,
    conflict,
    new_id,
    store_of,
)

# "You can only update clusters that are in ACTIVE, UPDATE_FAILED, or SUSPENDED state."
UPDATABLE: Final = frozenset({"ACTIVE", "UPDATE_FAILED", "SUSPENDED"})
_UNSTABLE: Final = frozenset({"CREATING", "UPDATING", "DELETING", "SUSPENDING", "RESUMING"})
# "The default is 10 results, and the maximum allowed page size is 100 results."
PAGE: Final = 10
MOST_PER_PAGE: Final = 100
Failed = Callable[[Exception], object]
# The error of an expired token, as the API model names it.
STALE_PAGE: Final = "InvalidToken"


@operation("pcs", "CreateCluster")
def create_cluster(call: Call) -> Mapping[str, Any]:
    store, asked = store_of(call), call.parameters
    name, version = asked["clusterName"], asked["scheduler"]["version"]
    for other in store.clusters.values():
        if other.name == name:
            raise conflict(CLUSTER, other.id, f"A cluster with the name {name} already exists.")
    limits.check_cluster(store)
    versions.check_creatable(store, version)
    configuration = _configuration(asked.get("slurmConfiguration") or {})
    settings.check_cluster(configuration, version)
    vpc_id = network_checks.check_cluster(store, asked["networking"])
    identifier = new_id()
    cluster = PcsCluster(
        name=name,
        id=identifier,
        arn=store.arn(CLUSTER, identifier),
        created_at=call.now,
        members={
            "scheduler": dict(asked["scheduler"]),
            "size": asked["size"],
            "slurmConfiguration": configuration,
            "networking": {"networkType": "IPV4", **copy.deepcopy(asked["networking"])},
        },
        tags=dict(asked.get("tags", {})),
        vpc_id=vpc_id,
    )
    store.clusters[identifier] = cluster

    def failed(error: Exception) -> None:
        cluster.fail("CREATE_FAILED", *failure_of(error))

    store.after(
        call.world.delays.pcs_cluster,
        functools.partial(_complete, store, cluster, failed),
        failed,
    )
    return {"cluster": cluster.view()}


@operation("pcs", "GetCluster")
def get_cluster(call: Call) -> Mapping[str, Any]:
    return {"cluster": cluster_of(call).view()}


@operation("pcs", "ListClusters")
def list_clusters(call: Call) -> Mapping[str, Any]:
    clusters = list(store_of(call).clusters.values())
    return listed(call, "clusters", [cluster.summary() for cluster in clusters])


@operation("pcs", "UpdateCluster")
def update_cluster(call: Call) -> Mapping[str, Any]:
    store, cluster, asked = store_of(call), cluster_of(call), call.parameters
    if cluster.status not in UPDATABLE:
        raise _not_in_state(cluster, "updated")
    ready = {"ACTIVE", "SUSPENDED"} if cluster.status == "SUSPENDED" else {"ACTIVE"}
    for child in cluster.children:
        if child.status not in ready:
            raise conflict(
                CLUSTER,
                cluster.id,
                f"All queues and compute node groups of the cluster must be in ACTIVE state: "
                f"{child.name} is {child.status}.",
            )
    version = cluster.version
    if asked.get("scheduler"):
        version = asked["scheduler"]["version"]
        versions.check_update(store, cluster.version, version)
    elif cluster.status == "SUSPENDED":
        raise _not_in_state(cluster, "updated without a newer scheduler version")
    before = copy.deepcopy(cluster.members)
    members = copy.deepcopy(cluster.members)
    members["scheduler"]["version"] = version
    _merge(members["slurmConfiguration"], asked.get("slurmConfiguration") or {})
    settings.check_cluster(members["slurmConfiguration"], version)
    cluster.members = members
    cluster.status, cluster.errors = "UPDATING", []
    for child in cluster.children:
        if child.status == "SUSPENDED":
            child.status = "RESUMING"

    def failed(error: Exception) -> None:
        cluster.members = before
        cluster.fail("UPDATE_FAILED", *failure_of(error))

    store.after(
        call.world.delays.pcs_cluster, functools.partial(_updated, store, cluster, failed), failed
    )
    return {"cluster": cluster.view()}


@operation("pcs", "DeleteCluster")
def delete_cluster(call: Call) -> Mapping[str, Any]:
    store, cluster = store_of(call), cluster_of(call)
    if cluster.children:
        raise conflict(
            CLUSTER,
            cluster.id,
            f"The cluster {cluster.name} still has {len(cluster.queues)} queues and "
            f"{len(cluster.groups)} compute node groups, which must be deleted first.",
        )
    if cluster.status in _UNSTABLE:
        raise _not_in_state(cluster, "deleted")
    cluster.status = "DELETING"

    def failed(error: Exception) -> None:
        cluster.fail("DELETE_FAILED", *failure_of(error))

    store.after(
        call.world.delays.pcs_cluster, functools.partial(_gone, store, cluster, failed), failed
    )
    return {}


def listed(call: Call, name: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer of a list operation: the requested page, under `name`."""
    return paged(
        call,
        name,
        items,
        default=PAGE,
        maximum=MOST_PER_PAGE,
        size_member="maxResults",
        next_member="nextToken",
        stale_page_code=STALE_PAGE,
    )


def require_active(cluster: PcsCluster) -> None:
    """Refuse a change of a group or a queue in a cluster that is not active.

    Raises
    ------
    AwsError
        ConflictException.
    """
    if cluster.status != "ACTIVE":
        raise conflict(
            CLUSTER,
            cluster.id,
            f"The cluster {cluster.name} isn't in ACTIVE status: it is {cluster.status}.",
        )


def _configuration(asked: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = copy.deepcopy(dict(asked))
    found.setdefault("scaleDownIdleTimeInSeconds", settings.IDLE_TIME_S)
    accounting = {"mode": "NONE", **found.get("accounting", {})}
    found["accounting"] = {"defaultPurgeTimeInDays": -1, **accounting}
    found.setdefault("slurmRest", {"mode": "NONE"})
    return found


def _merge(configuration: dict[str, Any], asked: Mapping[str, Any]) -> None:
    for name, value in asked.items():
        if isinstance(value, Mapping):
            configuration[name] = {**configuration[name], **value}
        else:
            configuration[name] = copy.deepcopy(value)


def _complete(store: Store, cluster: PcsCluster, failed: Failed) -> None:
    controller.build(store, cluster)
    cluster_driver.after_driver(store, cluster, functools.partial(_active, store, cluster), failed)


def _updated(store: Store, cluster: PcsCluster, failed: Failed) -> None:
    controller.refresh(store, cluster)
    for child in cluster.children:
        if child.status == "RESUMING":
            child.status = "ACTIVE"
    for group in cluster.groups.values():
        fleet.restore(store, cluster, group)
    cluster_driver.after_driver(store, cluster, functools.partial(_active, store, cluster), failed)


def _active(store: Store, cluster: PcsCluster) -> None:
    cluster.status = "ACTIVE"
    cluster.modified_at = store.runtime.clock.now()


def _gone(store: Store, cluster: PcsCluster, failed: Failed) -> None:
    def finish() -> None:
        controller.take_down(store, cluster)
        store.clusters.pop(cluster.id, None)

    cluster_driver.after_end(store, cluster, finish, failed)


def _not_in_state(cluster: PcsCluster, what: str) -> Exception:
    return conflict(
        CLUSTER,
        cluster.id,
        f"The cluster {cluster.name} is {cluster.status} and cannot be {what}.",
    )
