"""CUDA's compute capabilities of a cluster's GPUs, for which NCCL is compiled."""

from __future__ import annotations

from clusterwright.catalog import Known, load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster


def compute_capabilities(cluster: Cluster) -> tuple[str, ...]:
    """The capabilities of all groups with NVIDIA GPUs, such as `9.0`, in ascending order."""
    catalog = load_catalog()
    found = set()
    for group in cluster.compute:
        accelerator = catalog.accelerator_of(group.instance_type)
        if accelerator is not None and isinstance(accelerator.compute_capability, Known):
            found.add(str(accelerator.compute_capability.value))
    return tuple(sorted(found, key=float))
