"""Validation of spares on Kubernetes, which quotas keep out of jobs.

Any node of the group may be the spare, as on the other platforms. Which quotas apply depends on
what creates the queues:

- Kueue: nominal quotas of all queues of the cohort together exclude the spares, and nothing beyond
  them is lent (kubernetes-sigs/kueue, concepts, "Cohort": a queue borrows unused nominal quota of
  its cohort);
- task governance: the tenants' quotas exclude them, unless "unallocated resources are
  automatically calculated and made available for entities to borrow" (SageMaker API,
  SchedulerConfig.IdleResourceSharing, botocore 1.44.5), which is `share_idle`;
- no queues: a namespace's ResourceQuota, which counts accelerators of all groups together
  (Kubernetes, "Resource Quotas").
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import Catalog, load_catalog
from clusterwright.cluster_spec.karpenter import scaled_groups
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.platforms.kubernetes.groups import job_groups, job_nodes, node_resources
from clusterwright.platforms.kubernetes.tenants import most_nodes, nominal_nodes, tenants_of

GOVERNANCE: Path = ("hyperpod", "task_governance")
QUEUEING: Path = ("kubernetes", "workloads", "queueing")


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Yield spares that no quota keeps free; nothing on platforms without Kubernetes."""
    if not cluster.uses_kubernetes:
        return
    grown = {group.name for group in scaled_groups(cluster)}
    for index, group in enumerate(cluster.compute):
        if not 0 < group.spare_count < group.count or group.role != "compute":
            continue  # refused on every platform
        here: Path = ("compute", index)
        spares: Path = (*here, "spare_count")
        if group.restricted or group.mig_profile is not None:
            key = "restricted" if group.restricted else "mig_profile"
            yield Problem(
                "spare_count requires quotas of whole nodes: the group must not be restricted or "
                "partitioned",
                spares,
                hint="omit it",
                other_path=(*here, key),
            )
        elif group.name in grown:
            yield Problem(
                "Karpenter removes nodes without jobs, such as spares",
                spares,
                hint="omit it, or omit max_count so that the group has a fixed size",
                other_path=(*here, "max_count"),
            )
        elif cluster.hyperpod.task_governance is not None:
            yield from _governed(cluster, spares)
        elif not queued(cluster):
            yield from _unqueued(cluster, group, spares, load_catalog())


def _governed(cluster: Cluster, here: Path) -> Iterator[Problem]:
    governance = cluster.hyperpod.task_governance
    if governance is not None and governance.share_idle:
        yield Problem(
            "task governance lends capacity without a quota to tenants, spares included",
            here,
            hint="hyperpod.task_governance.share_idle: false",
            other_path=(*GOVERNANCE, "share_idle"),
        )
    elif not cluster.tenants:
        yield Problem(
            "task governance has quotas for tenants only, and there are no tenants",
            here,
            hint="add tenants, or remove spare_count",
            other_path=GOVERNANCE,
        )


def _unqueued(
    cluster: Cluster, group: ComputeGroup, here: Path, catalog: Catalog
) -> Iterator[Problem]:
    resource = node_resources(group, catalog).accelerator
    if resource is None:
        yield Problem(
            "without queues, quotas of namespaces count accelerators, and these nodes have none",
            here,
            hint="queueing: kueue",
            other_path=QUEUEING,
        )
        return
    alike = [
        other.name
        for other in job_groups(cluster)
        if other.name != group.name and node_resources(other, catalog).accelerator == resource
    ]
    if alike:
        yield Problem(
            f"without queues, a quota of {resource} covers both `{group.name}` and `{alike[0]}`: "
            "jobs could use the spares",
            here,
            hint="queueing: kueue",
            other_path=QUEUEING,
        )
        return
    nodes = job_nodes(cluster, group)
    shares = nominal_nodes(cluster)[group.name]
    together = sum(
        most_nodes(tenant, share, nodes)
        for tenant, share in zip(tenants_of(cluster), shares, strict=True)
    )
    if together > nodes:
        yield Problem(
            f"without queues, the tenants may together use {together} nodes, but only {nodes} are "
            "for jobs: jobs could use the spares",
            here,
            hint="queueing: kueue, or set max_nodes of each tenant so that their sum fits",
            other_path=QUEUEING,
        )
