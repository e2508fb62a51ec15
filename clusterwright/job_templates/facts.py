"""What a job needs to know of the cluster: nodes, accelerators, EFA, file systems, limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms import accelerators
from clusterwright.platforms.node_hardware import hardware

RunsOn = Literal["nvidia", "neuron", "accelerated", "cpu", "any"]

ENDING: Final = ("capacity-block", "training-plan")
"""Kinds of capacity that end at a time."""

_NEEDED: Final = {
    "nvidia": "NVIDIA GPUs",
    "neuron": "AWS Trainium",
    "accelerated": "accelerators",
    "cpu": "nodes without accelerators",
    "any": "compute nodes",
}


@dataclass(frozen=True)
class Target:
    """The nodes that a job runs on: groups of one instance type in one partition.

    Attributes
    ----------
    partition:
        Of Slurm; None where the cluster has none, as on Kubernetes.
    max_minutes:
        The partition's time limit; None without one.
    nodes:
        Nodes that jobs can use: without spares, with autoscaling the maximum.
    accelerators, cpus, memory_gib, efa_interfaces:
        Of a node; None if the catalogue does not know them.
    shared_path:
        Mount path of the Lustre file system that jobs use; None without one.
    """

    cluster: Cluster
    partition: str | None
    max_minutes: int | None
    groups: tuple[ComputeGroup, ...]
    instance_type: str
    family: accelerators.AcceleratorFamily
    nodes: int
    accelerators: int
    cpus: int | None
    memory_gib: float | None
    efa_interfaces: int | None

    @property
    def group(self) -> ComputeGroup:
        """The first of the groups."""
        return self.groups[0]

    @property
    def has_efa(self) -> bool:
        """Whether the nodes have EFA interfaces."""
        return bool(self.efa_interfaces)

    @property
    def capacity_ends(self) -> bool:
        """Whether a part of the capacity ends at a time that the spec does not state."""
        return any(group.capacity.kind in ENDING for group in self.groups)

    @property
    def shared_path(self) -> str | None:
        """The file system of the checkpoints, else the first one."""
        mounts = [lustre.mount_path for lustre in self.cluster.storage.lustre]
        path = self.cluster.storage.checkpoint_path
        for mount in sorted(mounts, key=len, reverse=True):
            if path is not None and (path == mount or path.startswith(mount.rstrip("/") + "/")):
                return mount
        return mounts[0] if mounts else None

    @property
    def shared_capacity_gib(self) -> int | None:
        """Of that file system; None if it grows with its data, or without one."""
        for lustre in self.cluster.storage.lustre:
            if lustre.mount_path == self.shared_path:
                return lustre.capacity_gib
        return None

    @property
    def checkpoint_path(self) -> str | None:
        """Where checkpoints are written; None without a shared file system."""
        stated = self.cluster.storage.checkpoint_path
        if stated is not None or self.shared_path is None:
            return stated
        return f"{self.shared_path.rstrip('/')}/checkpoints"

    @property
    def scratch_path(self) -> str | None:
        """Mount path of the nodes' NVMe drives; None without."""
        scratch = self.group.scratch
        return scratch.mount_path if scratch is not None else None

    @property
    def auto_resume(self) -> bool:
        """Whether HyperPod restarts a step after it has replaced a failed node."""
        return (
            self.cluster.on_hyperpod
            and self.cluster.uses_slurm
            and self.cluster.resilience.node_recovery == "automatic"
        )

    @property
    def run_minutes(self) -> int | None:
        """Duration of the planned run; None if the spec states none."""
        return int(self.cluster.run.hours * 60) if self.cluster.run is not None else None

    def time_limit(self, wanted_minutes: int) -> int:
        """The wanted time limit, within those of the partition and of capacity that ends."""
        limits = [wanted_minutes]
        if self.max_minutes is not None:
            limits.append(self.max_minutes)
        if self.capacity_ends and self.run_minutes is not None:
            limits.append(self.run_minutes)
        return max(1, min(limits))


def targets(cluster: Cluster, catalog: Catalog) -> tuple[Target, ...]:
    """Return what jobs can run on, the largest first."""
    found = []
    for partition, limit, groups in _partitions(cluster):
        for instance_type in dict.fromkeys(group.instance_type for group in groups):
            same = tuple(g for g in groups if g.instance_type == instance_type)
            found.append(_target(cluster, catalog, partition, limit, same))
    usable = [target for target in found if target.nodes > 0]
    return tuple(sorted(usable, key=_size, reverse=True))


def suitable(all_targets: tuple[Target, ...], runs_on: RunsOn) -> tuple[Target, ...]:
    """Return the targets with the accelerators that a job needs.

    A job for CPUs runs on nodes with accelerators where there are no others.
    """
    if runs_on == "cpu":
        without = tuple(t for t in all_targets if t.family == "none")
        return without or tuple(reversed(all_targets))
    if runs_on == "any":
        return all_targets
    if runs_on == "accelerated":
        return tuple(t for t in all_targets if t.family != "none" and t.accelerators)
    return tuple(t for t in all_targets if t.family == runs_on and t.accelerators)


def needed(runs_on: RunsOn) -> str:
    """What a job needs, in words: `NVIDIA GPUs`."""
    return _NEEDED[runs_on]


def _partitions(
    cluster: Cluster,
) -> list[tuple[str | None, int | None, tuple[ComputeGroup, ...]]]:
    compute = tuple(group for group in cluster.compute if group.role == "compute")
    if not cluster.uses_slurm or not cluster.slurm.partitions:
        whole = [g for g in compute if not g.mig_profile and not g.restricted]
        return [(None, None, (group,)) for group in whole]
    found: list[tuple[str | None, int | None, tuple[ComputeGroup, ...]]] = []
    for partition in cluster.slurm.partitions:
        members = tuple(
            group
            for group in compute
            if group.name in partition.groups or group.part_of in partition.groups
        )
        found.append((partition.name, partition.max_time_minutes, members))
    return found


def _target(
    cluster: Cluster,
    catalog: Catalog,
    partition: str | None,
    limit: int | None,
    groups: tuple[ComputeGroup, ...],
) -> Target:
    instance_type = groups[0].instance_type
    own = hardware(groups[0], catalog)
    cores, threads, memory = own["cores"], own["threads_per_core"], own["memory_mib"]
    return Target(
        cluster=cluster,
        partition=partition,
        max_minutes=limit,
        groups=groups,
        instance_type=instance_type,
        family=accelerators.family(instance_type, catalog),
        nodes=sum(_available(group) for group in groups),
        accelerators=accelerators.count(instance_type, catalog),
        cpus=cores * threads if cores and threads else None,
        memory_gib=math.floor(memory / 1024) if memory else None,
        efa_interfaces=_efa(instance_type, catalog),
    )


def _available(group: ComputeGroup) -> int:
    return max(0, max(group.count, group.max_count or 0) - group.spare_count)


def _efa(instance_type: str, catalog: Catalog) -> int | None:
    instance = catalog.instance(instance_type)
    interfaces = instance.efa_interfaces if instance is not None else None
    return interfaces.value if isinstance(interfaces, Known) else None


def _size(target: Target) -> tuple[int, int]:
    return target.nodes * target.accelerators, target.nodes
