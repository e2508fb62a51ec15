"""UpdateCluster."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from datetime import datetime, timedelta
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sagemaker import clusters as creation
from clusterwright_localaws.services.sagemaker import operations, rules
from clusterwright_localaws.services.sagemaker.events import record
from clusterwright_localaws.services.sagemaker.orchestrator import check_orchestrator
from clusterwright_localaws.services.sagemaker.provision import (
    Shortage,
    provision,
    remove,
    use_network,
)
from clusterwright_localaws.services.sagemaker.state import (
    NEVER,
    Cluster,
    Clusters,
    Group,
    Node,
    clusters_of,
    specification_of,
)

# Kept when an update does not repeat them ("Omitting SlurmConfig from a later UpdateCluster
# request does not revert the cluster", AWS's migration page).
_STICKY = ("SlurmConfig",)
_CLUSTER_FIELDS = (
    "RestrictedInstanceGroupsConfig",
    "TieredStorageConfig",
    "NodeRecovery",
    "NodeProvisioningMode",
    "ClusterRole",
    "AutoScaling",
)


@operation("sagemaker", "UpdateCluster")
def update_cluster(call: Call) -> Mapping[str, Any]:
    clusters = clusters_of(call)
    cluster = clusters.find(call.parameters["ClusterName"])
    require_in_service(cluster, "updated")
    target = _wanted(cluster, call.parameters)
    rules.check_request(target, name=cluster.name)
    creation.check_roles(call, target)
    rules.check_network(clusters, target)
    check_orchestrator(call, clusters, target, cluster=cluster)
    rules.check_offerings(call, clusters, target)
    before = {group.name: group.target_count for group in cluster.groups.values()}
    rules.check_quotas(call, clusters, before, target, cluster=cluster)
    undo = _snapshot(cluster)
    counts = operations.counts_of_groups(cluster, call.now)
    _apply(clusters, cluster, call.parameters, target)
    use_network(clusters, cluster)
    operations.begin_scaling(cluster, counts, call.now)
    record(cluster, f"Cluster {cluster.name} update started successfully", call.now)
    shortages = provision(clusters, cluster, cluster.groups.values())
    cluster.status = "Updating" if not cluster.continuous else "InService"
    cluster.failure = None
    cluster.at(
        clusters.settle_at(), lambda when: _finish(clusters, cluster, shortages, undo, when)
    )
    clusters.advance()
    return {"ClusterArn": cluster.arn}


def require_in_service(cluster: Cluster, what: str) -> None:
    """Refuse changes of a cluster that is busy or broken.

    Raises
    ------
    AwsError
        ConflictException.
    """
    if cluster.status != "InService":
        raise AwsError(
            "ConflictException",
            f"Cluster {cluster.name} cannot be {what} while it is in status {cluster.status}.",
        )


def _wanted(cluster: Cluster, requested: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cluster as a whole request, as it would be after the update."""
    doomed = set(requested.get("InstanceGroupsToDelete", ()))
    unknown = doomed - cluster.groups.keys()
    if unknown:
        raise rules.invalid(f"Instance groups {', '.join(sorted(unknown))} do not exist.")
    scaling = (cluster.request.get("AutoScaling") or {}).get("Mode")
    role = requested.get("ClusterRole")
    if scaling == "Enable" and role not in (None, cluster.request.get("ClusterRole")):
        # API model, UpdateCluster: "Cannot be updated while autoscaling is enabled."
        raise rules.invalid("ClusterRole cannot be updated while autoscaling is enabled.")
    target = dict(cluster.request)
    for name in _CLUSTER_FIELDS:
        if requested.get(name) is not None:
            target[name] = requested[name]
    if requested.get("Orchestrator") is not None:
        target["Orchestrator"] = _orchestrator(cluster, requested["Orchestrator"])
    for kind, restricted in (("InstanceGroups", False), ("RestrictedInstanceGroups", True)):
        groups = {
            group.name: _as_request(group)
            for group in cluster.groups.values()
            if group.restricted == restricted and group.name not in doomed
        }
        for entry in requested.get(kind, ()):
            name = entry["InstanceGroupName"]
            if name in doomed:
                raise rules.invalid(f"Instance group {name} is both updated and deleted.")
            groups[name] = _changed(cluster.groups.get(name), entry)
        if groups or kind in target:
            target[kind] = list(groups.values())
    if not target.get("RestrictedInstanceGroups"):
        target.pop("RestrictedInstanceGroups", None)
    return target


def _orchestrator(cluster: Cluster, requested: Mapping[str, Any]) -> Mapping[str, Any]:
    old = cluster.request.get("Orchestrator") or {}
    if "Eks" in old and requested != old:
        raise rules.invalid("The Amazon EKS cluster of a HyperPod cluster cannot be changed.")
    if "Eks" in requested and "Eks" not in old:
        raise rules.invalid("The orchestrator of a HyperPod cluster cannot be changed.")
    kept = (old.get("Slurm") or {}).get("AccountingDatabase")
    slurm = dict(requested.get("Slurm") or {})
    if kept and "Slurm" in requested and "AccountingDatabase" not in slurm:
        # "sagemaker-hyperpod-external-accounting-db-slurm": a return to the internal database is
        # not possible.
        slurm["AccountingDatabase"] = kept
        return {**requested, "Slurm": slurm}
    return requested


def _as_request(group: Group) -> dict[str, Any]:
    found = {**group.specification, "InstanceCount": group.target_count}
    return found if group.min_count is None else {**found, "MinInstanceCount": group.min_count}


def _changed(group: Group | None, entry: Mapping[str, Any]) -> dict[str, Any]:
    if group is None:
        return dict(entry)
    old = group.specification
    if "OverrideVpcConfig" in entry and entry["OverrideVpcConfig"] != old.get("OverrideVpcConfig"):
        raise rules.invalid(f"OverrideVpcConfig of instance group {group.name} cannot be changed.")
    before, after = _capacity(old), _capacity(entry)
    if before is not None and after is not None and before != after:
        # SageMaker developer guide, "Spot instances in Amazon SageMaker HyperPod":
        # CapacityRequirements cannot be modified once an instance group is created.
        raise rules.invalid(
            f"CapacityRequirements of instance group {group.name} cannot be changed."
        )
    kept = {name: old[name] for name in (*_STICKY, "OverrideVpcConfig") if name in old}
    return {**kept, **entry}


def _capacity(group: Mapping[str, Any]) -> list[str] | None:
    """Return the capacity kind of a group; groups with a training plan have none."""
    target = group.get("CapacityRequirements")
    return sorted(target) if target else None


def _snapshot(cluster: Cluster) -> tuple[dict[str, Any], dict[str, Group]]:
    groups = {name: copy(group) for name, group in cluster.groups.items()}
    for group in groups.values():
        group.nodes = list(group.nodes)
    return dict(cluster.request), groups


def _apply(
    clusters: Clusters, cluster: Cluster, requested: Mapping[str, Any], target: Mapping[str, Any]
) -> None:
    for name in requested.get("InstanceGroupsToDelete", ()):
        group = cluster.groups[name]
        if group.slurm_role == "Controller":
            raise rules.invalid("The controller instance group cannot be deleted.")
    cluster.request = {k: v for k, v in target.items() if k != "Tags"}
    for name in requested.get("InstanceGroupsToDelete", ()):
        _delete_group(clusters, cluster, cluster.groups[name])
    for kind in ("InstanceGroups", "RestrictedInstanceGroups"):
        given = {entry["InstanceGroupName"] for entry in requested.get(kind, ())}
        for entry in target.get(kind, ()):
            name = entry["InstanceGroupName"]
            if name not in given:
                continue
            if name in cluster.groups:
                _change_group(clusters, cluster, cluster.groups[name], entry)
            else:
                cluster.groups[name] = creation.new_group(entry, kind)


def _change_group(
    clusters: Clusters, cluster: Cluster, group: Group, entry: Mapping[str, Any]
) -> None:
    group.before_rollback = (group.target_count, group.min_count)
    old_types = group.instance_types
    before = group.specification.get("KubernetesConfig") or {}
    group.specification = specification_of(entry)
    if before != (group.specification.get("KubernetesConfig") or {}):
        group.kubernetes_before = before
    group.target_count = int(entry["InstanceCount"])
    group.min_count = entry.get("MinInstanceCount")
    if not cluster.continuous:
        group.status = "Updating"
    now = clusters.runtime.clock.now()
    stale = [] if old_types == group.instance_types else group.live()
    fresh = [node for node in group.live() if node not in stale]
    surplus = len(fresh) - group.target_count
    if surplus > 0:
        # Unhealthy nodes first, then the newest (AWS, MinCount rollback).
        order = sorted(
            fresh,
            key=lambda node: (node.status_at(now) != "Failure", -node.number),
        )
        stale = [*stale, *order[:surplus]]
    if stale:
        remove(clusters, cluster, group, stale)


def _delete_group(clusters: Clusters, cluster: Cluster, group: Group) -> None:
    group.status = "Deleting"
    group.target_count = 0
    group.min_count = None
    if group.live():
        remove(clusters, cluster, group, group.live())
    # After the nodes of `remove`, which are due at the same time or earlier.
    due = max(clusters.node_ready_at(), clusters.settle_at())

    def drop(_: datetime) -> None:
        if any(node.driven and node.gone_at == NEVER for node in group.nodes):
            cluster.waiting.append(drop)
            return
        clusters.forget_nodes(cluster, {node.instance_id for node in group.nodes})
        _drop(cluster, group.name)

    cluster.at(due, drop)


def _drop(cluster: Cluster, name: str) -> None:
    cluster.groups.pop(name, None)
    for kind in ("InstanceGroups", "RestrictedInstanceGroups"):
        if kind in cluster.request:
            cluster.request[kind] = [
                entry for entry in cluster.request[kind] if entry["InstanceGroupName"] != name
            ]


def _finish(
    clusters: Clusters,
    cluster: Cluster,
    shortages: list[Shortage],
    undo: tuple[dict[str, Any], dict[str, Group]],
    when: datetime,
) -> None:
    failing = [s.message for s in shortages if not cluster.continuous or s.final]
    if not cluster.continuous and not failing:
        old = (node.instance_id for group in undo[1].values() for node in group.nodes)
        broken = creation.broken_now(cluster, when, but=old)
        failing = [broken] if broken else []
        if not broken and creation.wait_for_nodes(
            cluster,
            cluster.nodes(),
            when,
            lambda due: _finish(clusters, cluster, shortages, undo, due),
        ):
            return
    if not failing:
        creation.settle_groups(clusters, cluster, shortages, when)
        cluster.status = "InService"
        record(cluster, f"Cluster {cluster.name} update completed successfully", when)
        if cluster.continuous:
            creation.keep_trying(clusters, cluster)
        return
    cluster.failure = failing[0]
    cluster.status = "RollingBack"
    record(
        cluster,
        f"Cluster {cluster.name} update failed",
        when,
        level="Error",
        metadata={"Cluster": {"FailureMessage": cluster.failure}},
    )
    _restore(clusters, cluster, undo)
    due = when + timedelta(seconds=clusters.runtime.world.delays.cluster)
    cluster.at(due, lambda later: _in_service(cluster, later))


def _restore(
    clusters: Clusters, cluster: Cluster, undo: tuple[dict[str, Any], dict[str, Group]]
) -> None:
    """Undo an update: delete new nodes, and launch removed nodes as new instances."""
    request, groups = undo
    cluster.request = request
    for name, group in list(cluster.groups.items()):
        old = groups.get(name)
        known = {node.instance_id for node in old.nodes} if old else set[str]()
        fresh: list[Node] = [n for n in group.live() if n.instance_id not in known]
        if fresh:
            remove(clusters, cluster, group, fresh)
        if old is None:
            _delete_group(clusters, cluster, group)
            continue
        group.specification = old.specification
        group.target_count, group.min_count = old.target_count, old.min_count
        group.release = old.release
    provision(clusters, cluster, [g for g in cluster.groups.values() if g.name in groups])
    use_network(clusters, cluster)


def _in_service(cluster: Cluster, when: datetime) -> None:
    if creation.wait_for_nodes(
        cluster, cluster.nodes(), when, lambda later: _in_service(cluster, later)
    ):
        return
    cluster.status = "InService"
    for group in cluster.groups.values():
        if group.status != "Deleting":
            group.status = "InService"
