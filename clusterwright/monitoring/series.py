"""How many series a cluster's exporters have: an upper bound, from the table of metrics.

A workspace of Amazon Managed Service for Prometheus counts a series as active for two hours after
its last sample (AMP user guide, "Service quotas"; read 2026-11-27), so a node that is replaced
counts twice for that time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Final

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.monitoring.facts import available
from clusterwright.monitoring.metrics import metrics
from clusterwright.platforms import accelerators
from clusterwright.platforms.pcs.groups import administration_group

_FIXED: Final[Mapping[str, int]] = {
    # loopback, the primary interface, and two of containers.
    "interface": 4,
    # Operations of llite.*.stats (Lustre manual).
    "lustre_operation": 24,
    "lnet": 2,
    "neuron_core": 8,
    "neuron_status": 12,
    "slurm_node_state": 8,
    "slurm_job_state": 12,
    "training_job": 64,
    # Of a node's pods, and of the API server; only what AWS's collector keeps.
    "container": 100,
    "api_request": 200,
    "queue": 20,
    # Accelerators, processors, memory and interfaces, for each of some groups.
    "queue_resource": 24,
}
"""Factors that no instance type decides; what varies is taken large."""


@dataclass(frozen=True)
class GroupSeries:
    """The series of a group's nodes. `per_node` is None if a fact of its type is unknown."""

    group: str
    instance_type: str
    nodes: int
    per_node: int | None


def group_series(cluster: Cluster, catalog: Catalog) -> tuple[GroupSeries, ...]:
    """The series of each group, with the most nodes that it can have."""
    names = available(cluster, catalog)
    found = []
    for group in cluster.compute:
        factors = _factors(cluster, group, catalog)
        per_node = None
        role = exporter_role(cluster, group)
        if factors is not None:
            per_node = sum(
                prod(each if isinstance(each, int) else factors[each] for each in metric.series)
                for name, metric in metrics().items()
                if name in names and role in metric.nodes
            )
        nodes = max(group.count, group.max_count or 0)
        found.append(GroupSeries(str(group.name), group.instance_type, nodes, per_node))
    return tuple(found)


def active_series(cluster: Cluster, catalog: Catalog) -> int | None:
    """The series of all nodes; None if a fact of an instance type is unknown."""
    total = 0
    for group in group_series(cluster, catalog):
        if group.per_node is None:
            return None
        total += group.nodes * group.per_node
    return total


def exporter_role(cluster: Cluster, group: ComputeGroup) -> str:
    """The role with which the exporter of its nodes runs."""
    if group.role == "system":
        return "compute"
    # On PCS the node that administers has the controller's sources.
    if cluster.traits.service_runs_controller and group is administration_group(cluster):
        return "controller"
    return group.role


def _factors(cluster: Cluster, group: ComputeGroup, catalog: Catalog) -> Mapping[str, int] | None:
    instance = catalog.instance(group.instance_type)
    if instance is None or not isinstance(instance.vcpus, Known):
        return None
    count = accelerators.count(group.instance_type, catalog)
    family = accelerators.family(group.instance_type, catalog)
    efa = instance.efa_interfaces
    disks = instance.local_nvme
    lustre = len(cluster.storage.lustre)
    compute = [each for each in cluster.compute if each.role == "compute"]
    return {
        **_FIXED,
        "cpu": instance.vcpus.value,
        "disk": 1 + (disks.value.count if isinstance(disks, Known) else 0),
        # Root, boot partitions, /tmp and scratch.
        "file_system": 4 + lustre + (cluster.storage.home is not None),
        "lustre": lustre,
        "gpu": count if family == "nvidia" else 0,
        "neuron": count if family == "neuron" else 0,
        "efa": efa.value if isinstance(efa, Known) else 0,
        "partition": max(1, len(cluster.slurm.partitions)) + 1 + len(compute),
        "slurm_node": sum(max(each.count, each.max_count or 0) for each in compute),
    }
