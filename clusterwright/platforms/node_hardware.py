"""Cores, threads and memory of a node, for slurm.conf."""

from __future__ import annotations

from typing import Final

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.compute import ComputeGroup

_MIB_PER_GIB: Final = 1024


def hardware(group: ComputeGroup, catalog: Catalog) -> dict[str, int | None]:
    """Return the values that slurm.conf has for a node, each None if no source states it."""
    instance = catalog.instance(group.instance_type)
    if instance is None:
        return {"cores": None, "threads_per_core": None, "memory_mib": None}
    cores, threads, memory = instance.cores, instance.threads_per_core, instance.memory_gib
    return {
        "cores": cores.value if isinstance(cores, Known) else None,
        "threads_per_core": group.threads_per_core
        or (threads.value if isinstance(threads, Known) else None),
        "memory_mib": int(memory.value * _MIB_PER_GIB) if isinstance(memory, Known) else None,
    }
