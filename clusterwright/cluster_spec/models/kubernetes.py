"""Amazon EKS: the control plane, who may reach it, and what runs on it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Cidr, Model
from clusterwright.cluster_spec.models.kubernetes_capabilities import Capabilities
from clusterwright.cluster_spec.models.workloads import Workloads

Namespace = Annotated[
    str,
    Field(pattern=formats.NAMESPACE.pattern, max_length=63, examples=[formats.NAMESPACE.example]),
]
RoleArn = Annotated[
    str,
    Field(pattern=formats.ROLE_ARN.pattern, max_length=256, examples=[formats.ROLE_ARN.example]),
]
PrincipalArn = Annotated[
    str,
    Field(
        pattern=formats.PRINCIPAL_ARN.pattern,
        max_length=256,
        examples=[formats.PRINCIPAL_ARN.example],
    ),
]
ControlPlaneLog = Literal["api", "audit", "authenticator", "controller-manager", "scheduler"]


class AccessEntry(Model):
    """A role or user of IAM that may talk to Kubernetes, and what it may do there."""

    principal_arn: PrincipalArn
    """The role or user; whoever assumes the role has its rights."""

    policy: Literal["cluster-admin", "admin", "admin-view", "edit", "view"] | None = None
    """One of EKS's access policies; without one, RBAC's bindings of `groups` decide."""

    namespaces: Annotated[list[Namespace], Field(max_length=100)] = []
    """Where the policy holds; in all namespaces if empty."""

    groups: Annotated[
        list[Annotated[str, Field(pattern=formats.KUBERNETES_GROUP.pattern, max_length=100)]],
        Field(max_length=20, examples=[["researchers"]]),
    ] = []
    """Kubernetes' groups of the principal, for bindings of RBAC."""


class Addon(Model):
    """An add-on that EKS installs and keeps, and its version."""

    name: Literal[
        "vpc-cni",
        "kube-proxy",
        "coredns",
        "eks-pod-identity-agent",
        "aws-fsx-csi-driver",
        "aws-mountpoint-s3-csi-driver",
        "metrics-server",
        "eks-node-monitoring-agent",
        "amazon-cloudwatch-observability",
    ]
    """EKS's name of it."""

    version: (
        Annotated[
            str,
            Field(pattern=formats.ADDON_VERSION.pattern, examples=[formats.ADDON_VERSION.example]),
        ]
        | None
    ) = None
    """As EKS writes it; the default of EKS on the day of the deployment if absent."""


class PodIdentity(Model):
    """A role of IAM that pods of one service account have."""

    namespace: Namespace
    """The namespace of the service account."""

    service_account: Annotated[
        str,
        Field(
            pattern=formats.SERVICE_ACCOUNT.pattern,
            max_length=253,
            examples=[formats.SERVICE_ACCOUNT.example],
        ),
    ]
    """The service account, which may exist later."""

    role_arn: RoleArn
    """The role, of this account; it must trust pods.eks.amazonaws.com."""


class Kubernetes(Model):
    """What `platform: hyperpod-eks` and `platform: eks` need beside the rest of the file."""

    version: Annotated[str, Field(pattern=r"^1\.[0-9]{2}$", examples=["1.34"])] = "1.35"
    """Kubernetes' version, in quotes: without them YAML reads a number."""

    support: Literal["standard", "extended"] = "standard"
    """standard: EKS upgrades when standard support ends. extended: it stays, at a higher rate."""

    public_access_cidrs: Annotated[list[Cidr], Field(max_length=40)] = []
    """Ranges of the internet that may reach the API server; from within the VPC only if empty."""

    private_access_cidrs: Annotated[list[Cidr], Field(max_length=20)] = []
    """Ranges of connected networks (VPN, peered VPCs) that may reach it; nodes alone if empty."""

    admin_role: bool = True
    """A role that administers the cluster; who may assume it is for the account's IAM to say."""

    access: Annotated[list[AccessEntry], Field(max_length=100)] = []
    """Who else may talk to Kubernetes: nobody has rights by having made the cluster."""

    service_cidr: Cidr | None = None
    """Addresses of Kubernetes' services, which no network that is reached may have; cannot be
    changed. If absent, the first of EKS's two ranges that overlaps no range of this file."""

    control_plane_logs: Annotated[list[ControlPlaneLog], Field(max_length=5)] = [
        "api",
        "audit",
        "authenticator",
        "controller-manager",
        "scheduler",
    ]
    """What the control plane writes to CloudWatch, kept for `observability.log_retention_days`."""

    addons: Annotated[list[Addon], Field(max_length=20)] = []
    """Optional add-ons, and versions of those that are there anyway."""

    pod_identities: Annotated[list[PodIdentity], Field(max_length=1000)] = []
    """Roles of the pods' service accounts, through EKS Pod Identity."""

    node_volume_gib: Annotated[int, Field(ge=20, le=16384)] = 200
    """Each node's root volume, which holds images and logs, on the platform eks."""

    max_unavailable_percent: Annotated[int, Field(ge=1, le=100)] = 10
    """Of a compute group's nodes, replaced at once by an update, on the platform eks."""

    autoscaling: Literal["off", "karpenter"] = "off"
    """karpenter: on the platform eks, Karpenter adds nodes to groups with `max_count` as pods
    wait, and takes away those of its nodes that are empty; `count` nodes always stay."""

    workloads: Workloads = Field(default_factory=Workloads.model_construct)
    """Queues, charts and example jobs."""

    capabilities: Capabilities = Field(default_factory=Capabilities.model_construct)
    """Controllers that EKS runs itself: Argo CD, ACK, kro."""
