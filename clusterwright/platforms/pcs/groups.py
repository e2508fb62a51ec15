"""Compute node groups of PCS: instances, capacity, image, and the group that administers."""

from __future__ import annotations

from typing import Final, Literal

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.parallelcluster.queues import Counts
from clusterwright.platforms.parallelcluster.queues import counts as counts_for_jobs

PurchaseOption = Literal[
    "ONDEMAND", "SPOT", "CAPACITY_BLOCK", "INTERRUPTIBLE_CAPACITY_RESERVATION"
]

PURCHASE_OPTIONS: Final[dict[str, PurchaseOption]] = {
    "on-demand": "ONDEMAND",
    "reservation": "ONDEMAND",
    "spot": "SPOT",
    "capacity-block": "CAPACITY_BLOCK",
}
"""The purchase option of each kind of capacity (PCS API, CreateComputeNodeGroup)."""

BLOCK_FAMILIES: Final = ("p6-b300", "p6-b200", "p5en", "p5e", "p5", "p4d")
"""Families whose capacity blocks PCS supports (awsome-distributed-training,
`architectures/aws-pcs`, 2026-07-08): no Trainium and no GB200."""

IMAGE_PARAMETER: Final = "/aws/service/pcs/ami/dlami-base-ubuntu2404/{architecture}/latest/ami-id"
"""Public parameter of PCS's image with drivers for accelerators (PCS user guide, images)."""

CLUSTER_TAG: Final = "aws:pcs:cluster-id"
"""Tag of every instance, with the id of its cluster; PCS adds it."""

GROUP_TAG: Final = "clusterwright:group"
"""Tag of every instance, with the name of its group; our launch templates add it."""

GROUPS_PER_CLUSTER: Final = 10
QUEUES_PER_CLUSTER: Final = 10
"""Fixed limits (PCS user guide, service-endpoints-quotas)."""


def purchase_option(group: ComputeGroup) -> PurchaseOption:
    """Return the group's purchase option."""
    if group.is_interruptible:
        return "INTERRUPTIBLE_CAPACITY_RESERVATION"
    return PURCHASE_OPTIONS[group.capacity.kind]


def counts(group: ComputeGroup) -> Counts:
    """Return minInstanceCount and maxInstanceCount; login nodes always run."""
    if group.role == "compute":
        return counts_for_jobs(group)
    return Counts(group.count, group.count)


def administration_group(cluster: Cluster) -> ComputeGroup | None:
    """Return the login group whose node does what the controller does elsewhere: the first."""
    return next((group for group in cluster.compute if group.role == "login"), None)


def image_parameter(group: ComputeGroup, catalog: Catalog) -> str | None:
    """Return the parameter of PCS's image for a group's type; None for an unknown architecture."""
    instance = catalog.instance(group.instance_type)
    if instance is None or not isinstance(instance.architecture, Known):
        return None
    return IMAGE_PARAMETER.format(architecture=instance.architecture.value)


def supports_block(instance_type: str) -> bool:
    """Return whether PCS supports capacity blocks of an instance type."""
    return instance_type.partition(".")[0] in BLOCK_FAMILIES
