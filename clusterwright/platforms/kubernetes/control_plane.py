"""EKS control plane, as data: versions, add-ons, addresses, names."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.kubernetes import Addon
from clusterwright.cluster_spec.models.storage import Bucket
from clusterwright.cluster_spec.validation.kubernetes import reached_ranges
from clusterwright.platforms.hyperpod_eks import inference


@dataclass(frozen=True)
class KubernetesVersion:
    """A minor version of Kubernetes on EKS; days are UTC, None if no source has them."""

    name: str
    released: dt.date | None
    end_of_standard: dt.date
    end_of_extended: dt.date


VERSIONS_SOURCE: Final = (
    'EKS user guide, "Understand the Kubernetes version lifecycle on EKS" '
    "(awsdocs/amazon-eks-user-guide, latest/ug/versioning/kubernetes-versions.adoc, commit "
    '0138560); 1.35: aws-samples.github.io/sample-apex-skills, "Cluster Lifecycle & Upgrades" '
    "(2026-04-24)"
)

VERSIONS: Final = (
    KubernetesVersion("1.35", None, dt.date(2027, 3, 27), dt.date(2028, 3, 27)),
    KubernetesVersion("1.34", dt.date(2025, 10, 2), dt.date(2026, 12, 2), dt.date(2027, 12, 2)),
    KubernetesVersion("1.33", dt.date(2025, 5, 29), dt.date(2026, 7, 29), dt.date(2027, 7, 29)),
    KubernetesVersion("1.32", dt.date(2025, 1, 23), dt.date(2026, 3, 23), dt.date(2027, 3, 23)),
    KubernetesVersion("1.31", dt.date(2024, 9, 26), dt.date(2025, 11, 26), dt.date(2026, 11, 26)),
    KubernetesVersion("1.30", dt.date(2024, 5, 23), dt.date(2025, 7, 23), dt.date(2026, 7, 23)),
)
"""Newest first; EKS may have later ones."""

HYPERPOD_VERSIONS: Final = ("1.30", "1.31", "1.32", "1.33", "1.34", "1.35")
"""Versions that HyperPod supports (SageMaker developer guide, "Prerequisites for using SageMaker
HyperPod with Amazon EKS", read 2026-11)."""

CNI_WITH_EFA_ONLY: Final = (1, 18, 3)
"""The first VPC CNI version that HyperPod supports and that does not use `efa-only` interfaces
(same page; aws/amazon-vpc-cni-k8s, release notes).
"""

MAXIMUM_NODES_PER_GROUP: Final = 450
"""Quota L-BD136A63, nodes per managed node group (AWS General Reference, EKS)."""

MAXIMUM_NODE_GROUPS: Final = 30
"""Quota L-6D54EA21, managed node groups per cluster (AWS General Reference, EKS)."""

CONTROL_PLANE_ADDRESSES: Final = 6
"""Free addresses that each subnet of the control plane must have; 16 are recommended (EKS user
guide, "View Amazon EKS networking requirements for VPC and subnets")."""

BEFORE_NODES: Final = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
"""Add-ons that nodes need to become ready; as daemon sets they are active without nodes."""

AFTER_NODES: Final = (
    "coredns",
    "aws-fsx-csi-driver",
    "aws-mountpoint-s3-csi-driver",
    "metrics-server",
    "eks-node-monitoring-agent",
    "amazon-cloudwatch-observability",
)
"""Add-ons whose pods need a node: until there is one, EKS reports them as degraded."""

SERVICE_ACCOUNTS: Final = {
    "vpc-cni": "aws-node",
    "amazon-cloudwatch-observability": "cloudwatch-agent",
    "aws-mountpoint-s3-csi-driver": "s3-csi-driver-sa",
}
"""Add-ons that call AWS, with their service accounts (EKS user guide, "AWS add-ons").

The FSx driver calls AWS only to create file systems; here they exist already, with static volumes.
The driver of Mountpoint for S3 reads every mounted bucket with one role
(awslabs/mountpoint-s3-csi- driver, docs/CONFIGURATION.md, "Driver-Level Credentials with EKS Pod
Identity")."""

SERVICE_CIDRS: Final = ("172.20.0.0/16", "10.100.0.0/16")
"""Ranges from which EKS selects that of services (EKS API, KubernetesNetworkConfigRequest)."""

MINIMUM_IP_TARGET: Final = 10
WARM_IP_TARGET: Final = 2
"""Minimum number of addresses of a node, and number of spare addresses.

By default the plug-in keeps a second interface full of addresses, twice what the network plan
counts; a node of a training cluster runs few pods, for days, so a small reserve is enough. Prefix
delegation would use blocks of 16 in a subnet of limited size, for more pods than a training node
has (aws/amazon-vpc-cni-k8s, `docs/eni-and-ip-target.md` and `docs/prefix-and-ip-target.md`)."""


def version(name: str) -> KubernetesVersion | None:
    """Return the dates of a version; None for an unknown version."""
    return next((each for each in VERSIONS if each.name == name), None)


def cluster_name(cluster: Cluster) -> str:
    """Return the name of the EKS cluster, which is the environment."""
    return cluster.environment


def log_group(cluster: Cluster) -> str:
    """Return the log group of the control plane (EKS user guide, "Send control plane logs")."""
    return f"/aws/eks/{cluster_name(cluster)}/cluster"


def service_cidr(cluster: Cluster) -> str | None:
    """Return the CIDR range of services: nodes with a custom image need it, because EKS passes it
    only to nodes with EKS images. It cannot change later, so it is always in the template.

    None if EKS selects it: the ranges of an existing network are unknown, or both default ranges
    of EKS overlap those of the spec.
    """
    if cluster.kubernetes.service_cidr is not None or cluster.network.existing is not None:
        return cluster.kubernetes.service_cidr
    taken = [IPv4Network(text) for _, text in reached_ranges(cluster)]
    free = (
        text
        for text in SERVICE_CIDRS
        if not any(IPv4Network(text).overlaps(network) for network in taken)
    )
    return next(free, None)


def addons(cluster: Cluster) -> tuple[Addon, ...]:
    """Return every add-on that is installed, in the order of installation, with its version or
    None.

    Network, DNS, identity and metrics are always there; drivers where there is Lustre, or a bucket
    that is mounted;
    the agent that node repair listens to on EKS alone, since HyperPod watches its nodes itself.
    """
    named = {addon.name: addon for addon in cluster.kubernetes.addons}
    wanted = {"vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent", "metrics-server"}
    wanted |= set(named)
    if cluster.storage.lustre:
        wanted.add("aws-fsx-csi-driver")
    if mounted_buckets(cluster):
        wanted.add("aws-mountpoint-s3-csi-driver")
    if inference.wanted(cluster):
        wanted |= set(inference.DEPENDENCIES)
    if cluster.traits.managed_node_groups:
        wanted.add("eks-node-monitoring-agent")
    return tuple(
        named.get(name) or Addon.model_construct(name=name, version=None)
        for name in (*BEFORE_NODES, *AFTER_NODES)
        if name in wanted
    )


def mounted_buckets(cluster: Cluster) -> list[Bucket]:
    """Return the buckets that pods mount, in the order of the spec."""
    return [bucket for bucket in cluster.storage.buckets if bucket.mount_path is not None]


def configuration_values(addon: str) -> dict[str, object]:
    """Return the configuration values of an add-on."""
    if addon == "vpc-cni":
        return {
            # Without it the network policies of tenants are accepted but not enforced (EKS user
            # guide, "Limit pod traffic with Kubernetes network policies"); a text, as there.
            "enableNetworkPolicy": "true",
            "env": {
                "MINIMUM_IP_TARGET": str(MINIMUM_IP_TARGET),
                "WARM_IP_TARGET": str(WARM_IP_TARGET),
            },
        }
    if addon == "aws-mountpoint-s3-csi-driver":
        # Nodes with accelerators have taints, and jobs on them read the buckets (EKS user guide,
        # "Deploy the Mountpoint for Amazon S3 driver").
        return {"node": {"tolerateAllTaints": True}}
    return {}
