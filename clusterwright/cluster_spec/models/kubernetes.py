"""Amazon EKS: control plane, access, add-ons, workloads."""

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
    """An EKS access entry: an IAM role or user and its permissions in Kubernetes."""

    principal_arn: PrincipalArn
    """The IAM role or user; every session of the role has its permissions."""

    policy: Literal["cluster-admin", "admin", "admin-view", "edit", "view"] | None = None
    """An EKS access policy; if absent, RBAC bindings of `groups` apply."""

    namespaces: Annotated[list[Namespace], Field(max_length=100)] = []
    """Namespaces of the policy; all if empty."""

    groups: Annotated[
        list[Annotated[str, Field(pattern=formats.KUBERNETES_GROUP.pattern, max_length=100)]],
        Field(max_length=20, examples=[["researchers"]]),
    ] = []
    """Kubernetes groups of the principal, for RBAC bindings."""


class Addon(Model):
    """An EKS add-on and its version."""

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
    """Name of the add-on in EKS."""

    version: (
        Annotated[
            str,
            Field(pattern=formats.ADDON_VERSION.pattern, examples=[formats.ADDON_VERSION.example]),
        ]
        | None
    ) = None
    """Version of the add-on; the default of EKS at deployment if absent."""


class PodIdentity(Model):
    """An EKS Pod Identity association: the IAM role of a service account."""

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
    """The service account, which need not exist yet."""

    role_arn: RoleArn
    """The IAM role, in this account; it must trust pods.eks.amazonaws.com."""


class Kubernetes(Model):
    """Settings of platforms with Kubernetes."""

    version: Annotated[str, Field(pattern=r"^1\.[0-9]{2}$", examples=["1.34"])] = "1.35"
    """Kubernetes version, in quotes: without quotes, YAML reads a number."""

    support: Literal["standard", "extended"] = "standard"
    """standard: EKS upgrades the cluster when standard support ends. extended: the version is
    kept, at a higher price."""

    public_access_cidrs: Annotated[list[Cidr], Field(max_length=40)] = []
    """Public CIDR ranges that may reach the API server; only from within the VPC if empty."""

    private_access_cidrs: Annotated[list[Cidr], Field(max_length=20)] = []
    """CIDR ranges of connected networks (VPN, peered VPCs) that may reach it; only nodes if
    empty."""

    admin_role: bool = True
    """Create an administrator role; IAM of the account controls who may assume it."""

    access: Annotated[list[AccessEntry], Field(max_length=100)] = []
    """Access entries; the creator of the cluster has no permissions by default."""

    service_cidr: Cidr | None = None
    """CIDR range of Kubernetes services, which must not overlap connected networks and cannot be
    changed. If absent, the first of the two EKS defaults without an overlap in the spec."""

    control_plane_logs: Annotated[list[ControlPlaneLog], Field(max_length=5)] = [
        "api",
        "audit",
        "authenticator",
        "controller-manager",
        "scheduler",
    ]
    """Control plane logs in CloudWatch, kept for `observability.log_retention_days`."""

    addons: Annotated[list[Addon], Field(max_length=20)] = []
    """Optional add-ons, and versions of default add-ons."""

    pod_identities: Annotated[list[PodIdentity], Field(max_length=1000)] = []
    """IAM roles of service accounts (EKS Pod Identity)."""

    node_volume_gib: Annotated[int, Field(ge=20, le=16384)] = 200
    """Root volume size of each node, for images and logs, on the platform eks."""

    max_unavailable_percent: Annotated[int, Field(ge=1, le=100)] = 10
    """Maximum percentage of a group's nodes that an update replaces at the same time, on the
    platform eks."""

    autoscaling: Literal["off", "karpenter"] = "off"
    """karpenter: on the platform eks, Karpenter adds nodes to groups with `max_count` for pending
    pods, and removes its empty nodes; `count` nodes always remain."""

    workloads: Workloads = Field(default_factory=Workloads.model_construct)
    """Queues, charts and example jobs."""

    capabilities: Capabilities = Field(default_factory=Capabilities.model_construct)
    """EKS capabilities: Argo CD, ACK, kro."""
