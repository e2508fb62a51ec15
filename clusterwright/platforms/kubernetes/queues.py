"""Kueue's objects: a flavour for each group, and a queue for each tenant, in one cohort.

Groups with GPU partitions have flavours in whole partitions; restricted groups have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.tenants import Tenant
from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.platforms.kubernetes.groups import (
    LAYERS,
    group_labels,
    node_resources,
    shared_groups,
    taints,
    tolerations,
    topology_layers,
)
from clusterwright.platforms.kubernetes.objects import (
    TENANT_LABEL,
    Manifest,
    manifest,
    object_name,
)
from clusterwright.platforms.kubernetes.tenants import Share, namespace_of, shares_of, tenants_of

API = "kueue.x-k8s.io/v1beta1"
QUEUE = "jobs"
"""Name of the LocalQueue in every namespace."""


def queue_manifests(cluster: Cluster, catalog: Catalog) -> Iterator[Manifest]:
    """Return priority classes and, if this spec installs Kueue, flavours and queues."""
    yield from _priorities(cluster)
    groups = shared_groups(cluster)
    if not queued(cluster) or not groups:
        return
    topologies = {group.name: _topology_name(cluster, group, catalog) for group in groups}
    api = cluster.kubernetes.workloads.topology_api
    for name, layers in sorted({t for t in topologies.values() if t is not None}):
        levels = [LAYERS.format(layer) for layer in range(1, layers + 1)]
        yield manifest(
            f"kueue.x-k8s.io/{api}",
            "Topology",
            name,
            spec={"levels": [{"nodeLabel": n} for n in (*levels, "kubernetes.io/hostname")]},
        )
    for group in groups:
        topology = topologies[group.name]
        yield _flavor(cluster, group, topology[0] if topology is not None else None)
    for index, tenant in enumerate(tenants_of(cluster)):
        yield _cluster_queue(cluster, catalog, tenant, index)
        yield manifest(
            API,
            "LocalQueue",
            QUEUE,
            namespace=namespace_of(cluster, tenant),
            labels={TENANT_LABEL: tenant.name},
            spec={"clusterQueue": tenant.name},
        )


def flavor_name(group: ComputeGroup) -> str:
    """Return the name of the ResourceFlavor of a group."""
    return object_name(group.name)


def _priorities(cluster: Cluster) -> Iterator[Manifest]:
    for priority in cluster.kubernetes.workloads.priorities:
        yield manifest(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            priority.name,
            value=priority.value,
            globalDefault=False,
            # Kueue preempts whole jobs; preempting a single pod would stop all others of the job.
            preemptionPolicy="Never" if queued(cluster) else "PreemptLowerPriority",
            description="of jobs, by clusterwright",
        )
        if queued(cluster):
            yield manifest(
                API,
                "WorkloadPriorityClass",
                priority.name,
                value=priority.value,
                description="of jobs, by clusterwright",
            )


def _topology_name(
    cluster: Cluster, group: ComputeGroup, catalog: Catalog
) -> tuple[str, int] | None:
    if cluster.kubernetes.workloads.topology_api is None:
        return None
    layers = topology_layers(group, catalog)
    return (f"network-{layers}-layers", layers) if layers else None


def _flavor(cluster: Cluster, group: ComputeGroup, topology: str | None) -> Manifest:
    spec: dict[str, Any] = {"nodeLabels": group_labels(cluster, group)}
    if group.taints:
        spec |= {"nodeTaints": taints(group), "tolerations": tolerations(group)}
    if topology is not None:
        spec["topologyName"] = topology
    return manifest(API, "ResourceFlavor", flavor_name(group), spec=spec)


def _cluster_queue(cluster: Cluster, catalog: Catalog, tenant: Tenant, index: int) -> Manifest:
    groups = shared_groups(cluster)
    devices = {name for group in groups for name in node_resources(group, catalog).devices()}
    covered = ["cpu", "memory", *sorted(devices)]
    flavors = []
    for group in groups:
        shares = shares_of(cluster, group, catalog)[index]
        quotas = []
        for name in covered:
            share = shares.get(name, Share(0, 0))
            quota: dict[str, Any] = {"name": name, "nominalQuota": _amount(name, share.nominal)}
            # Without a limit, all idle resources may be borrowed.
            if cluster.tenants and (not tenant.borrowing or tenant.max_nodes is not None):
                idle = max(0, share.most - share.nominal)
                quota["borrowingLimit"] = _amount(name, idle)
            quotas.append(quota)
        flavors.append({"name": flavor_name(group), "resources": quotas})
    return manifest(
        API,
        "ClusterQueue",
        tenant.name,
        labels={TENANT_LABEL: tenant.name},
        spec={
            "cohort": cluster.environment,
            "queueingStrategy": "BestEffortFIFO",
            "namespaceSelector": {
                "matchLabels": {"kubernetes.io/metadata.name": namespace_of(cluster, tenant)}
            },
            "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
            "fairSharing": {"weight": str(tenant.weight)},
            "resourceGroups": [{"coveredResources": covered, "flavors": flavors}],
        },
    )


def _amount(resource: str, count: int) -> str:
    return f"{count}Gi" if resource == "memory" else str(count)
