"""Quotas of HyperPod's task governance, for whole instances and partitions of GPUs, as data.

Sources: SageMaker API (botocore 1.44.5: ComputeQuotaResourceConfig, AcceleratorPartitionConfig,
MIGProfileType, ResourceSharingConfig) and SageMaker developer guide, "Allocating GPU partition
quota": a quota has the instance type, the kind of partition and their number.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.apportionment import apportion
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.tenants import Tenant
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.platforms import accelerators
from clusterwright.platforms.hyperpod_eks import mig
from clusterwright.platforms.kubernetes.groups import job_groups, job_nodes, node_resources

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
    """Partitions that quotas do not support, and too many resource types for one quota."""
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
                f"compute quotas do not support the partition {mig.quota_type(unknown[0])}: task "
                "governance could not assign it to tenants",
                here,
                hint="use kubernetes.workloads.queueing: kueue instead",
                other_path=("hyperpod", "task_governance"),
            )
    if len(kinds) > MOST_RESOURCES:
        yield Problem(
            f"a compute quota supports at most {MOST_RESOURCES} types of instances and "
            f"partitions; the groups have {len(kinds)}",
            ("compute",),
            on_key=True,
            hint="use fewer types, or kubernetes.workloads.queueing: kueue instead",
            other_path=("hyperpod", "task_governance"),
        )


@dataclass(frozen=True)
class QuotaShare:
    """Instances or partitions of a tenant, and its maximum, or None."""

    count: int
    limit: int | None


def instance_shares(cluster: Cluster) -> dict[str, list[QuotaShare]]:
    """Return, by EC2 type, the whole instances of each tenant, in the order of the spec.

    Spares belong to no tenant and are not lent (`spares.problems`: no `share_idle`). Instances
    with partitioned GPUs have quotas of partitions (`partition_shares`). Nodes that Karpenter may
    add are included: a tenant without a share of an instance would never wait for one.
    """
    nodes: defaultdict[str, list[int]] = defaultdict(list)
    for group in job_groups(cluster):
        nodes[group.instance_type].append(job_nodes(cluster, group))
    return {name: _shares(cluster, counts) for name, counts in sorted(nodes.items())}


def partition_shares(
    cluster: Cluster, catalog: Catalog
) -> dict[tuple[str, str], list[QuotaShare]]:
    """Return, by EC2 type and partition, the share of each tenant, in the order of the spec."""
    nodes: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    per_node: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for group in cluster.compute:
        for part, count in _per_node(group, catalog).items():
            nodes[group.instance_type, part].append(group.count - group.spare_count)
            per_node[group.instance_type, part].append(count)
    return {
        kind: _shares(cluster, counts, per_node[kind]) for kind, counts in sorted(nodes.items())
    }


def devices_of(cluster: Cluster, catalog: Catalog, index: int) -> dict[str, int]:
    """Return the accelerators and partitions of the tenant's quota, by their Kubernetes resource
    names.
    """
    found: Counter[str] = Counter()
    instances = instance_shares(cluster)
    a_group = {group.instance_type: group for group in job_groups(cluster)}
    for name, group in a_group.items():
        for resource, count in node_resources(group, catalog).devices().items():
            found[resource] += instances[name][index].count * count
    for (_, part), shares in partition_shares(cluster, catalog).items():
        found[mig.resource(part)] += shares[index].count
    return dict(found)


def _shares(
    cluster: Cluster, nodes: Sequence[int], per_node: Sequence[int] | None = None
) -> list[QuotaShare]:
    """Divide groups, given as nodes and units per node, among the tenants."""
    units = [1] * len(nodes) if per_node is None else per_node
    limits = [_limit(tenant, nodes, units) for tenant in cluster.tenants]
    total = sum(count * each for count, each in zip(nodes, units, strict=True))
    counts = apportion(total, [tenant.weight for tenant in cluster.tenants], limits)
    return [QuotaShare(count, limit) for count, limit in zip(counts, limits, strict=True)]


def _limit(tenant: Tenant, nodes: Sequence[int], units: Sequence[int]) -> int | None:
    """Return the tenant's maximum: `max_nodes` applies to each group, up to the nodes of the
    group.
    """
    most = tenant.max_nodes
    if most is None:
        return None
    return sum(min(most, count) * each for count, each in zip(nodes, units, strict=True))


def _per_node(group: ComputeGroup, catalog: Catalog) -> dict[str, int]:
    if group.role != "compute" or group.restricted or group.mig_profile is None:
        return {}
    count = accelerators.count(group.instance_type, catalog)
    parts = mig.partitions_per_gpu(group.mig_profile)
    return {part: each * count for part, each in parts.items()}
