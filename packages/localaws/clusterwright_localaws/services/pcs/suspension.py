"""Suspension of clusters whose Slurm version AWS no longer runs.

API model (botocore 1.44.5), Cluster.status: the controller is down and all instances are
terminated; a suspended cluster can be updated to a newer version, and deleted. The world states
when a version is suspended: AWS publishes no exact time.
"""

from __future__ import annotations

import functools

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.pcs import cluster_driver, fleet
from clusterwright_localaws.services.pcs.failures import failure_of
from clusterwright_localaws.services.pcs.state import PcsCluster, Store, before_calls, store_in
from clusterwright_localaws.services.pcs.versions import is_suspended

_IDLE = frozenset({"ACTIVE", "UPDATE_FAILED"})
_BUSY = frozenset({"CREATING", "UPDATING", "DELETING"})


@before_calls
def suspend_due(store: Store) -> None:
    """Begin to suspend every idle cluster of a version that is suspended by now."""
    for cluster in list(store.clusters.values()):
        if cluster.status not in _IDLE or not is_suspended(store, cluster.version):
            continue
        if any(child.status in _BUSY for child in cluster.children):
            continue
        for one in (cluster, *cluster.children):
            if one.status in _IDLE:
                one.status = "SUSPENDING"
        store.after(
            store.runtime.world.delays.pcs_cluster, functools.partial(_suspend, store, cluster)
        )


def end_version(runtime: Runtime, account: str, region: str, version: str) -> None:
    """End a Slurm version now: clusters of it are suspended at the next call of PCS."""
    with runtime.lock:
        store_in(runtime, account, region).suspensions[version] = runtime.clock.now()


def _suspend(store: Store, cluster: PcsCluster) -> None:
    for group in cluster.groups.values():
        fleet.end(store, group)

    def finish() -> None:
        for one in (cluster, *cluster.children):
            if one.status == "SUSPENDING":
                one.status = "SUSPENDED"

    def failed(error: Exception) -> None:
        cluster.fail("UPDATE_FAILED", *failure_of(error))

    cluster_driver.after_driver(store, cluster, finish, failed)
