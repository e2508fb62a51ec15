"""A namespace for each tenant, with its roles, quotas and network policies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.apportionment import apportion
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.tenants import ContainerDefaults, Tenant
from clusterwright.cluster_spec.validation.tenants import node_shares
from clusterwright.platforms.hyperpod_eks import compute_quotas
from clusterwright.platforms.kubernetes.groups import (
    job_groups,
    job_nodes,
    node_resources,
    shared_groups,
)
from clusterwright.platforms.kubernetes.objects import TENANT_LABEL, Manifest, manifest

EVERYBODY: Final = "training"
"""The namespace of a cluster without tenants."""

GOVERNED_PREFIX: Final = "hyperpod-ns-"
"""Task governance creates a team's namespace with this prefix (sagemaker-hyperpod 3.12.0,
HYPERPOD_NAMESPACE_PREFIX).
"""

OPERATOR_NAMESPACE: Final = "aws-hyperpod"
"""Namespace of HyperPod's training operator (sagemaker-hyperpod 3.12.0,
TRAINING_OPERATOR_NAMESPACE).
"""

OPERATOR_PORT: Final = 8080
"""Port of the operator's agent in a job's pods (SageMaker developer guide, "Using the training
operator to run jobs").
"""

POD_IDENTITY_CIDR: Final = "169.254.170.23/32"
POD_IDENTITY_PORT: Final = 80
"""Address at which the Pod Identity agent of the node provides credentials (EKS user guide, "EKS
Pod Identity Agent setup").
"""

READ = ["get", "list", "watch"]
WRITE = [*READ, "create", "update", "patch", "delete", "deletecollection"]


def tenants_of(cluster: Cluster) -> list[Tenant]:
    """Return the tenants; a single one if the spec has none."""
    return list(cluster.tenants) or [
        Tenant(name=EVERYBODY, container_defaults=ContainerDefaults())
    ]


def namespace_of(cluster: Cluster, tenant: Tenant) -> str:
    """Return the namespace of the tenant's jobs."""
    if cluster.hyperpod.task_governance is not None:
        return f"{GOVERNED_PREFIX}{tenant.name}"
    return tenant.name


def nominal_nodes(cluster: Cluster) -> dict[str, list[int]]:
    """Return the nodes of each tenant in each group that runs jobs, by weight."""
    shares = {}
    for group in job_groups(cluster):
        nodes = job_nodes(cluster, group)
        shares[group.name] = node_shares(cluster, nodes) if cluster.tenants else [nodes]
    return shares


def most_nodes(tenant: Tenant, nominal: int, group_nodes: int) -> int:
    """Return how many nodes of a group the tenant's jobs can use, including borrowed ones."""
    if not tenant.borrowing:
        return nominal
    return min(group_nodes, tenant.max_nodes or group_nodes)


@dataclass(frozen=True)
class Share:
    """A tenant's quota of a resource in a group, and its maximum with borrowing."""

    nominal: int
    most: int


def shares_of(cluster: Cluster, group: ComputeGroup, catalog: Catalog) -> list[dict[str, Share]]:
    """Each tenant's share of a group by the name of the resource, memory in GiB.

    Whole nodes are given where accelerators are whole. Of divided GPUs each kind of partition is
    divided for itself, and processors and memory with them: a node serves several tenants.

    Raises UnknownFactError if the catalogue has no processors or memory.
    """
    nodes, per_node = job_nodes(cluster, group), node_resources(group, catalog).amounts()
    tenants = tenants_of(cluster)
    if group.mig_profile is None:
        whole = nominal_nodes(cluster)[group.name]
        nominal = {name: [n * count for n in whole] for name, count in per_node.items()}
    else:
        nominal = {
            name: apportion(
                nodes * count,
                [tenant.weight for tenant in tenants],
                [None if t.max_nodes is None else t.max_nodes * count for t in tenants],
            )
            for name, count in per_node.items()
        }
    return [
        {
            name: Share(
                nominal[name][index],
                most_nodes(tenant, nodes, nodes) * count
                if tenant.borrowing
                else nominal[name][index],
            )
            for name, count in per_node.items()
        }
        for index, tenant in enumerate(tenants)
    ]


def tenant_manifests(cluster: Cluster, catalog: Catalog) -> Iterator[Manifest]:
    """Return the namespaces with their roles, limits and network policies, by tenant."""
    for index, tenant in enumerate(tenants_of(cluster)):
        namespace = namespace_of(cluster, tenant)
        labels = {TENANT_LABEL: tenant.name}
        yield manifest(
            "v1",
            "Namespace",
            namespace,
            # A pod with the host's network, files or privileges would bypass all of the following.
            labels=labels | {"pod-security.kubernetes.io/enforce": "baseline"},
        )
        yield _role(cluster, namespace, labels)
        if tenant.groups:
            yield _binding(tenant, namespace, labels)
        yield _quota(cluster, catalog, index, namespace, labels)
        yield _defaults(tenant, namespace, labels)
        yield from _network(cluster, tenant, namespace, labels)


def _role(cluster: Cluster, namespace: str, labels: dict[str, str]) -> Manifest:
    jobs = {
        "batch": ["jobs"],
        "kubeflow.org": ["pytorchjobs", "mpijobs"],
        **({"sagemaker.amazonaws.com": ["hyperpodpytorchjobs"]} if cluster.on_hyperpod else {}),
    }
    rules: list[dict[str, Any]] = [
        {"apiGroups": [group], "resources": resources, "verbs": WRITE}
        for group, resources in jobs.items()
    ]
    rules += [
        {
            "apiGroups": [""],
            "resources": ["pods", "services", "configmaps", "secrets"],
            "verbs": WRITE,
        },
        {"apiGroups": [""], "resources": ["pods/log", "pods/status"], "verbs": READ},
        {"apiGroups": [""], "resources": ["pods/exec", "pods/portforward"], "verbs": ["create"]},
        {
            "apiGroups": [""],
            "resources": [
                "events",
                "persistentvolumeclaims",
                "resourcequotas",
                "limitranges",
                "serviceaccounts",
            ],
            "verbs": READ,
        },
        {
            "apiGroups": ["kueue.x-k8s.io"],
            "resources": ["localqueues", "workloads"],
            "verbs": READ,
        },
    ]
    return manifest(
        "rbac.authorization.k8s.io/v1",
        "Role",
        "jobs",
        namespace=namespace,
        labels=labels,
        rules=rules,
    )


def _binding(tenant: Tenant, namespace: str, labels: dict[str, str]) -> Manifest:
    group = "rbac.authorization.k8s.io"
    return manifest(
        f"{group}/v1",
        "RoleBinding",
        "jobs",
        namespace=namespace,
        labels=labels,
        roleRef={"apiGroup": group, "kind": "Role", "name": "jobs"},
        subjects=[{"apiGroup": group, "kind": "Group", "name": name} for name in tenant.groups],
    )


def _quota(
    cluster: Cluster, catalog: Catalog, index: int, namespace: str, labels: dict[str, str]
) -> Manifest:
    """Return the quota of accelerators that all pods of the namespace may request."""
    most = _most_devices(cluster, catalog, index)
    return manifest(
        "v1",
        "ResourceQuota",
        "accelerators",
        namespace=namespace,
        labels=labels,
        spec={"hard": {f"requests.{name}": str(count) for name, count in sorted(most.items())}},
    )


def _most_devices(cluster: Cluster, catalog: Catalog, index: int) -> dict[str, int]:
    tenant = tenants_of(cluster)[index]
    if cluster.hyperpod.task_governance is not None and cluster.tenants and not tenant.borrowing:
        # Its quota is rounded over all groups of a type, not for each group: another number here
        # would allow it less or more than its quota.
        return compute_quotas.devices_of(cluster, catalog, index)
    most: dict[str, int] = {}
    for group in shared_groups(cluster):
        shares = shares_of(cluster, group, catalog)[index]
        for name in node_resources(group, catalog).devices():
            most[name] = most.get(name, 0) + shares[name].most
    return most


def _defaults(tenant: Tenant, namespace: str, labels: dict[str, str]) -> Manifest:
    defaults = tenant.container_defaults
    return manifest(
        "v1",
        "LimitRange",
        "container-defaults",
        namespace=namespace,
        labels=labels,
        spec={
            "limits": [
                {
                    "type": "Container",
                    "defaultRequest": {
                        "cpu": str(defaults.cpu_cores),
                        "memory": f"{defaults.memory_gib}Gi",
                    },
                }
            ]
        },
    )


def _network(
    cluster: Cluster, tenant: Tenant, namespace: str, labels: dict[str, str]
) -> Iterator[Manifest]:
    """Allow only the listed traffic. EFA bypasses the kernel, and so every policy: security groups
    restrict it. NCCL's TCP traffic stays within the namespace.
    """

    def policy(name: str, **spec: Any) -> Manifest:
        return manifest(
            "networking.k8s.io/v1",
            "NetworkPolicy",
            name,
            namespace=namespace,
            labels=labels,
            spec={"podSelector": {}, **spec},
        )

    everybody: list[dict[str, Any]] = [{"podSelector": {}}]
    dns = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
        "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
    }
    yield policy("default-deny", policyTypes=["Ingress", "Egress"])
    yield policy(
        "within-tenant",
        policyTypes=["Ingress", "Egress"],
        ingress=[{"from": everybody}],
        egress=[{"to": everybody}],
    )
    yield policy(
        "dns",
        policyTypes=["Egress"],
        egress=[
            {
                "to": [dns],
                "ports": [{"protocol": protocol, "port": 53} for protocol in ("UDP", "TCP")],
            }
        ],
    )
    outside = [{"ipBlock": {"cidr": cidr}} for cidr in tenant.egress_cidrs]
    rules: list[dict[str, Any]] = [
        {
            "to": [{"ipBlock": {"cidr": POD_IDENTITY_CIDR}}],
            "ports": [{"protocol": "TCP", "port": POD_IDENTITY_PORT}],
        }
    ]
    if outside:
        rules.append({"to": outside, "ports": [{"protocol": "TCP", "port": 443}]})
    yield policy("outside", policyTypes=["Egress"], egress=rules)
    if cluster.on_hyperpod:
        operator = {
            "namespaceSelector": {
                "matchLabels": {"kubernetes.io/metadata.name": OPERATOR_NAMESPACE}
            }
        }
        yield policy(
            "training-operator",
            policyTypes=["Ingress"],
            ingress=[{"from": [operator], "ports": [{"protocol": "TCP", "port": OPERATOR_PORT}]}],
        )
