"""Kueue: a flavour for each group, a queue with its share for each tenant, all in one cohort."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clusterwright.catalog import Catalog
from clusterwright.platforms.kubernetes.groups import (
    LAYERS,
    NodeResources,
    group_labels,
    job_groups,
    job_nodes,
    node_resources,
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
from clusterwright.platforms.kubernetes.tenants import (
    most_nodes,
    namespace_of,
    nominal_nodes,
    tenants_of,
)
from clusterwright.spec.consistency.workloads import queued
from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.models.compute import ComputeGroup
from clusterwright.spec.models.tenants import Tenant

API = "kueue.x-k8s.io/v1beta1"
QUEUE = "jobs"
"""The LocalQueue of every namespace."""


def queue_manifests(cluster: Cluster, catalog: Catalog) -> Iterator[Manifest]:
    """Priorities, and where Kueue is ours its flavours and queues."""
    yield from _priorities(cluster)
    groups = job_groups(cluster)
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
    resources = {group.name: node_resources(group, catalog) for group in groups}
    for index, tenant in enumerate(tenants_of(cluster)):
        yield _cluster_queue(cluster, tenant, index, resources)
        yield manifest(
            API,
            "LocalQueue",
            QUEUE,
            namespace=namespace_of(cluster, tenant),
            labels={TENANT_LABEL: tenant.name},
            spec={"clusterQueue": tenant.name},
        )


def flavor_name(group: ComputeGroup) -> str:
    """The ResourceFlavor of a group."""
    return object_name(group.name)


def _priorities(cluster: Cluster) -> Iterator[Manifest]:
    for priority in cluster.kubernetes.workloads.priorities:
        yield manifest(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            priority.name,
            value=priority.value,
            globalDefault=False,
            # Kueue displaces whole jobs; a single pod that is displaced stops all the others.
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


def _cluster_queue(
    cluster: Cluster, tenant: Tenant, index: int, resources: dict[str, NodeResources]
) -> Manifest:
    covered = ["cpu", "memory"]
    covered += sorted({r.accelerator for r in resources.values() if r.accelerator is not None})
    nominal = nominal_nodes(cluster)
    flavors = []
    for group in job_groups(cluster):
        node = resources[group.name]
        nodes = nominal[group.name][index]
        most = most_nodes(tenant, nodes, job_nodes(cluster, group))
        quotas = []
        for name in covered:
            quota: dict[str, Any] = {"name": name, "nominalQuota": _amount(node, name, nodes)}
            # Without a limit, all that is idle may be borrowed.
            if cluster.tenants and (not tenant.borrowing or tenant.max_nodes is not None):
                quota["borrowingLimit"] = _amount(node, name, max(0, most - nodes))
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


def _amount(node: NodeResources, resource: str, nodes: int) -> str:
    if resource == "cpu":
        return str(node.cpu_count * nodes)
    if resource == "memory":
        return f"{node.memory_gib * nodes}Gi"
    return str(node.accelerator_count * nodes if node.accelerator == resource else 0)
