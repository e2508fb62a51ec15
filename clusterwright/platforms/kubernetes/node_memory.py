"""Validation of the memory of example jobs, in addition to checkpoints in node memory.

A pod uses the whole node: its container's requests, huge pages, and /dev/shm if its size is set
(Kubernetes, "Resource Management for Pods and Containers" and "Volumes": a volume in memory counts
against the container's memory). What the kubelet and the system reserve is unknown before there is
a node, so a job that passes here may still be slightly too large.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from clusterwright.catalog import Catalog, load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.workloads import Job
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.platforms.kubernetes.groups import UnknownFactError, has_efa, node_resources
from clusterwright.platforms.kubernetes.tenants import tenants_of

MIB_PER_GIB: Final = 1024


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Yield jobs that need more memory than a node of their group has."""
    catalog = load_catalog()
    groups = {group.name: group for group in cluster.compute}
    for index, job in enumerate(cluster.kubernetes.workloads.jobs):
        group = groups.get(job.group)
        if group is None or catalog.instance(group.instance_type) is None:
            continue  # reported elsewhere
        try:
            memory_gib = node_resources(group, catalog).memory_gib
        except (KeyError, UnknownFactError):
            continue
        here: Path = ("kubernetes", "workloads", "jobs", index)
        yield from _job(cluster, catalog, job, group, memory_gib, here)


def _job(
    cluster: Cluster,
    catalog: Catalog,
    job: Job,
    group: ComputeGroup,
    memory_gib: int,
    here: Path,
) -> Iterator[Problem]:
    tiered = cluster.hyperpod.tiered_storage
    percent = tiered.memory_percent if tiered is not None else 0
    left_gib = Fraction(memory_gib * (100 - percent), 100)
    pages_gib = Fraction(job.hugepages_mib if has_efa(group, catalog) else 0, MIB_PER_GIB)
    shared_gib = job.shared_memory_gib or 0
    tenant = next((t for t in tenants_of(cluster) if t.name == job.tenant), None)
    least_gib = (tenant or tenants_of(cluster)[0]).container_defaults.memory_gib
    needed_gib = pages_gib + max(least_gib, shared_gib)
    if needed_gib <= left_gib:
        return
    largest = "shared_memory_gib" if shared_gib >= pages_gib else "hugepages_mib"
    kept = f" ({percent} % of {memory_gib} are reserved for checkpoints)" if percent else ""
    yield Problem(
        f"the job needs {_round(needed_gib)} GiB of memory on each node, and "
        f"{group.instance_type} has {_round(left_gib)}{kept}",
        (*here, largest) if largest in job.model_fields_set else (*here, "name"),
        other_path=("hyperpod", "tiered_storage") if percent else None,
    )


def _round(gib: Fraction) -> str:
    return f"{float(gib):.1f}".removesuffix(".0")
