"""Partitions as queues, compute groups as compute resources."""

from __future__ import annotations

from typing import Any, NamedTuple

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import CapacityBlock, ComputeGroup, Reservation
from clusterwright.cluster_spec.models.slurm import Partition
from clusterwright.platforms import accelerators
from clusterwright.platforms.parallelcluster.limits import GPU_HEALTH_CHECK_HANGS
from clusterwright.platforms.parallelcluster.nodes import actions, iam, root_volume
from clusterwright.platforms.parallelcluster.supplied import Supplied

CAPACITY_TYPES = {
    "on-demand": "ONDEMAND",
    "reservation": "ONDEMAND",
    "spot": "SPOT",
    "capacity-block": "CAPACITY_BLOCK",
}
GB200 = "p6e-gb200."
RESERVED = ("reservation", "capacity-block")


class Counts(NamedTuple):
    """Instances of a compute resource: always running, and the maximum."""

    minimum: int
    maximum: int


def counts(group: ComputeGroup) -> Counts:
    """Return MinCount and MaxCount.

    Spares of a reservation or block are not launched: they stay free in it and replace failed
    nodes.
    """
    spares = group.spare_count if group.capacity.kind in RESERVED else 0
    running = group.count - spares
    minimum = running if group.min_count is None else min(group.min_count, running)
    maximum = running if group.max_count is None else group.max_count - spares
    return Counts(minimum, maximum)


def static_nodes(cluster: Cluster) -> int:
    """Return the number of compute nodes that always run."""
    return sum(counts(group).minimum for group in compute_groups(cluster))


def most_nodes(cluster: Cluster) -> int:
    """Return the maximum number of compute nodes, which the head node has to manage."""
    return sum(counts(group).maximum for group in compute_groups(cluster))


def compute_groups(cluster: Cluster) -> list[ComputeGroup]:
    """Return the groups that jobs run on."""
    return [group for group in cluster.compute if group.role == "compute"]


def has_efa(group: ComputeGroup, catalog: Catalog) -> bool:
    """Return whether the group's type supports EFA, according to the catalogue."""
    return bool(knows_efa(group, catalog))


def knows_efa(group: ComputeGroup, catalog: Catalog) -> bool | None:
    """Return whether the group's type supports EFA; None if unknown to the catalogue.

    Sources disagree on the number and generation of EFA interfaces of p6e-gb200, but all of them
    list some.
    """
    instance = catalog.instance(group.instance_type)
    if instance is not None and isinstance(instance.efa_interfaces, Known):
        return instance.efa_interfaces.value > 0
    return True if group.instance_type.startswith(GB200) else None


def takes_placement_group(group: ComputeGroup, catalog: Catalog) -> bool:
    """Return whether the group has a cluster placement group.

    By default it has one with EFA, if the type supports it and the capacity has no fixed
    placement: a capacity block supports none, and a reservation without one launches fewer
    instances in a placement group (eksctl issue 7949: 11 of 16).
    """
    if group.role != "compute" or group.capacity.kind in RESERVED:
        return False
    instance = catalog.instance(group.instance_type)
    able = (
        instance is not None
        and isinstance(instance.placement_group_cluster, Known)
        and instance.placement_group_cluster.value
    )
    wanted = group.placement_group
    return able and (has_efa(group, catalog) if wanted is None else wanted)


def queues(cluster: Cluster, catalog: Catalog, supplied: Supplied) -> list[dict[str, Any]]:
    """Return `Scheduling/SlurmQueues`: one for each partition, beginning with the default."""
    groups = {group.name: group for group in compute_groups(cluster)}
    return [
        _queue(cluster, catalog, supplied, partition, [groups[name] for name in partition.groups])
        for partition in cluster.slurm.partitions
    ]


def _queue(
    cluster: Cluster,
    catalog: Catalog,
    supplied: Supplied,
    partition: Partition,
    groups: list[ComputeGroup],
) -> dict[str, Any]:
    scratch = groups[0].scratch
    storage: dict[str, Any] = {"RootVolume": root_volume(cluster.parallelcluster.root_volume_gib)}
    if scratch is not None:
        storage["EphemeralVolume"] = {"MountDir": scratch.mount_path}
    settings: dict[str, Any] = {"PriorityTier": str(partition.priority_tier)}
    if partition.max_time_minutes is not None:
        settings["MaxTime"] = str(partition.max_time_minutes)
    return {
        "Name": partition.name,
        "CapacityType": CAPACITY_TYPES[groups[0].capacity.kind],
        # Nodes are not shared: each job has all GPUs, network and memory of its nodes.
        "JobExclusiveAllocation": True,
        "CustomSlurmSettings": settings,
        "Networking": {
            "SubnetIds": [supplied.compute_subnet_id],
            "SecurityGroups": list(supplied.security_group_ids),
        },
        "ComputeSettings": {"LocalStorage": storage},
        "CustomActions": actions(supplied, partition.name, [group.name for group in groups]),
        "Iam": iam(cluster, supplied),
        "ComputeResources": [
            _compute_resource(cluster, catalog, supplied, group) for group in groups
        ],
    }


def _compute_resource(
    cluster: Cluster, catalog: Catalog, supplied: Supplied, group: ComputeGroup
) -> dict[str, Any]:
    minimum, maximum = counts(group)
    found: dict[str, Any] = {
        "Name": group.name,
        # Also with a reservation: after its end an update fails without it (issue 6870).
        "InstanceType": group.instance_type,
        "MinCount": minimum,
        "MaxCount": maximum,
        "Efa": {"Enabled": has_efa(group, catalog)},
        "Networking": {"PlacementGroup": _placement_group(catalog, supplied, group)},
        "HealthChecks": {"Gpu": {"Enabled": _gpu_health_check(cluster, catalog, group)}},
    }
    if group.threads_per_core == 1:
        found["DisableSimultaneousMultithreading"] = True
    if isinstance(group.capacity, (Reservation, CapacityBlock)):
        found["CapacityReservationTarget"] = {"CapacityReservationId": group.capacity.id}
    return found


def _placement_group(catalog: Catalog, supplied: Supplied, group: ComputeGroup) -> dict[str, Any]:
    if not takes_placement_group(group, catalog):
        return {"Enabled": False}
    name = supplied.placement_group_names.get(group.name)
    return {"Enabled": True} if name is None else {"Enabled": True, "Name": name}


def _gpu_health_check(cluster: Cluster, catalog: Catalog, group: ComputeGroup) -> bool:
    """Return DCGM's test in the prolog of each job: for NVIDIA, unless it is known to hang."""
    if not is_nvidia(group, catalog):
        return False
    wanted = cluster.parallelcluster.gpu_health_check
    return not hangs(group) if wanted is None else wanted


def hangs(group: ComputeGroup) -> bool:
    """Return whether the test is known to hang on this type."""
    family = group.instance_type.partition(".")[0]
    return family in GPU_HEALTH_CHECK_HANGS or family.startswith(("p6-", "p6e-"))


def is_nvidia(group: ComputeGroup, catalog: Catalog) -> bool:
    """Return whether the group has NVIDIA accelerators."""
    return accelerators.family(group.instance_type, catalog) == "nvidia"
