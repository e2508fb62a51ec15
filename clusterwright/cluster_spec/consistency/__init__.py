"""What must hold between the values of one spec, whatever the catalogue or the account says.

Each module has a function `problems(cluster)` that yields Problem; `ALL` runs them in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clusterwright.cluster_spec.consistency import (
    accounting,
    buckets,
    capacity,
    checkpoints,
    compute,
    configuration,
    eks,
    existing,
    hyperpod_eks,
    identifiers,
    images,
    inference,
    karpenter,
    kubernetes,
    lifecycle,
    lustre,
    metrics,
    node_labels,
    not_built,
    parallelcluster,
    partitions,
    ranges,
    relevant,
    repositories,
    scheduling,
    security_groups,
    tenants,
    users,
    workloads,
    zones,
)
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem

Check = Callable[[Cluster], Iterator[Problem]]


def _where_slurm_runs(check: Check) -> Check:
    def problems(cluster: Cluster) -> Iterator[Problem]:
        if cluster.uses_slurm:
            yield from check(cluster)

    return problems


ALL: tuple[Check, ...] = (
    not_built.problems,
    relevant.problems,
    zones.problems,
    ranges.problems,
    identifiers.problems,
    compute.problems,
    node_labels.problems,
    kubernetes.problems,
    hyperpod_eks.problems,
    inference.problems,
    eks.problems,
    karpenter.problems,
    capacity.problems,
    parallelcluster.problems,
    _where_slurm_runs(partitions.problems),
    _where_slurm_runs(configuration.problems),
    lustre.problems,
    repositories.problems,
    buckets.problems,
    existing.problems,
    security_groups.problems,
    checkpoints.problems,
    _where_slurm_runs(accounting.problems),
    _where_slurm_runs(scheduling.problems),
    images.problems,
    lifecycle.problems,
    metrics.problems,
    _where_slurm_runs(users.problems),
    tenants.problems,
    workloads.problems,
)
