"""Quotas of HyperPod's task governance for partitions of GPUs, as data.

Sources: SageMaker API (botocore 1.44.5: ComputeQuotaResourceConfig, AcceleratorPartitionConfig,
MIGProfileType, ResourceSharingConfig) and SageMaker developer guide, "Allocating GPU partition
quota": a quota names the instance type, the kind of partition and how many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.platforms import accelerators, mig
from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.models.compute import ComputeGroup
from clusterwright.spec.problems import Path, Problem
from clusterwright.spec.sharing import apportion

MOST_RESOURCES: Final = 15
"""ComputeQuotaResourceConfigList."""

PARTITIONS: Final = frozenset(
    {
        *("1g.5gb", "1g.10gb", "1g.18gb", "1g.20gb", "1g.23gb", "1g.35gb", "1g.45gb", "1g.47gb"),
        *("2g.10gb", "2g.20gb", "2g.35gb", "2g.45gb", "2g.47gb"),
        *("3g.20gb", "3g.40gb", "3g.71gb", "3g.90gb", "3g.93gb"),
        *("4g.20gb", "4g.40gb", "4g.71gb", "4g.90gb", "4g.93gb"),
        *("7g.40gb", "7g.80gb", "7g.141gb", "7g.180gb", "7g.186gb"),
    }
)
"""MIGProfileType, without its `mig-`."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Partitions that no quota can name, and more kinds of resources than a quota takes."""
    if cluster.hyperpod.task_governance is None or not cluster.tenants:
        return
    kinds: set[tuple[str, str | None]] = set()
    for index, group in enumerate(cluster.compute):
        if group.role != "compute" or group.restricted:
            continue
        layout = group.mig_profile
        parts = mig.partitions_per_gpu(layout) if layout in mig.LAYOUTS else {None: 1}
        kinds |= {(group.instance_type, part) for part in parts}
        unknown = sorted(part for part in parts if part is not None and part not in PARTITIONS)
        if unknown:
            here: Path = ("compute", index, "mig_profile")
            yield Problem(
                f"compute quotas know no partition {mig.quota_type(unknown[0])}: task governance "
                "could give it to no tenant",
                here,
                hint="divide the queues with kubernetes.workloads.queueing: kueue instead",
                other_path=("hyperpod", "task_governance"),
            )
    if len(kinds) > MOST_RESOURCES:
        yield Problem(
            f"a compute quota names at most {MOST_RESOURCES} kinds of instances and partitions, "
            f"and the groups have {len(kinds)}",
            ("compute",),
            on_key=True,
            hint="fewer types, or kubernetes.workloads.queueing: kueue instead",
            other_path=("hyperpod", "task_governance"),
        )


@dataclass(frozen=True)
class PartitionShare:
    """Whole partitions of a tenant, and the most that it may have at once or None."""

    count: int
    limit: int | None


def partition_shares(
    cluster: Cluster, catalog: Catalog
) -> dict[tuple[str, str], list[PartitionShare]]:
    """By EC2 type and partition, the share of each tenant, in the order of the file."""
    totals: Counter[tuple[str, str]] = Counter()
    most_of_a_node: Counter[tuple[str, str]] = Counter()
    for group in cluster.compute:
        for part, per_node in _per_node(group, catalog).items():
            totals[group.instance_type, part] += (group.count - group.spare_count) * per_node
            # `max_nodes` is of each group.
            most_of_a_node[group.instance_type, part] += per_node
    weights = [tenant.weight for tenant in cluster.tenants]
    found = {}
    for kind, total in sorted(totals.items()):
        limits = [
            None if tenant.max_nodes is None else tenant.max_nodes * most_of_a_node[kind]
            for tenant in cluster.tenants
        ]
        shares = zip(apportion(total, weights, limits), limits, strict=True)
        found[kind] = [PartitionShare(count, limit) for count, limit in shares]
    return found


def _per_node(group: ComputeGroup, catalog: Catalog) -> dict[str, int]:
    if group.role != "compute" or group.restricted or group.mig_profile is None:
        return {}
    count = accelerators.count(group.instance_type, catalog)
    parts = mig.partitions_per_gpu(group.mig_profile)
    return {part: each * count for part, each in parts.items()}
