"""The top level of the spec."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.acceptance import Acceptance
from clusterwright.cluster_spec.models.base import Model
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.hyperpod_eks import HyperPod
from clusterwright.cluster_spec.models.identity import Identity
from clusterwright.cluster_spec.models.kubernetes import Kubernetes
from clusterwright.cluster_spec.models.lifecycle import Lifecycle
from clusterwright.cluster_spec.models.network import Network
from clusterwright.cluster_spec.models.operations import (
    Allowance,
    Budget,
    Image,
    Observability,
    Resilience,
    Run,
    Waiver,
)
from clusterwright.cluster_spec.models.parallelcluster import ParallelCluster
from clusterwright.cluster_spec.models.pcs import Pcs
from clusterwright.cluster_spec.models.slurm import Slurm
from clusterwright.cluster_spec.models.software import SoftwareVersions
from clusterwright.cluster_spec.models.storage import Storage
from clusterwright.cluster_spec.models.tenants import Tenant
from clusterwright.platforms.registry import PlatformName, traits_of
from clusterwright.platforms.traits import Platform


class Cluster(Model):
    """A training cluster: everything that is built, and nothing else."""

    environment: Annotated[
        str,
        Field(
            pattern=formats.ENVIRONMENT.pattern,
            max_length=40,
            examples=[formats.ENVIRONMENT.example],
        ),
    ]
    """The cluster's name; stacks are `<environment>-<part>`."""

    account: Annotated[
        str, Field(pattern=formats.ACCOUNT.pattern, examples=[formats.ACCOUNT.example])
    ]
    """AWS account, 12 digits in quotes: without quotes, YAML reads a number."""

    region: Annotated[
        str, Field(pattern=formats.REGION.pattern, examples=[formats.REGION.example])
    ]
    """AWS region, such as `us-east-1`."""

    partition: Literal["aws", "aws-us-gov", "aws-cn"]
    """AWS partition; derived from the region."""

    platform: PlatformName
    """The service and scheduler that run the cluster."""

    protection: Literal["retain", "destroy"] = "retain"
    """retain: stateful resources are kept when stacks are deleted, and stacks have termination
    protection. destroy: everything is deleted, for development."""

    network: Network
    """The network of the cluster, created or existing."""

    compute: Annotated[list[ComputeGroup], Field(min_length=1, max_length=100)]
    """Groups of identical instances."""

    storage: Storage = Field(default_factory=Storage.model_construct)
    """File systems, buckets and home directories."""

    identity: Identity = Field(default_factory=Identity.model_construct)
    """Keys, roles and access."""

    slurm: Slurm = Field(default_factory=Slurm.model_construct)
    """The scheduler and its users, on platforms with Slurm."""

    kubernetes: Kubernetes = Field(default_factory=Kubernetes.model_construct)
    """The control plane and its workloads, on platforms with Kubernetes."""

    hyperpod: HyperPod = Field(default_factory=HyperPod.model_construct)
    """Settings of HyperPod with Amazon EKS."""

    parallelcluster: ParallelCluster = Field(default_factory=ParallelCluster.model_construct)
    """Settings of ParallelCluster."""

    pcs: Pcs = Field(default_factory=Pcs.model_construct)
    """Settings of AWS PCS."""

    tenants: Annotated[list[Tenant], Field(max_length=100)] = []
    """Teams that share the cluster, with their shares and limits."""

    lifecycle: Lifecycle = Field(default_factory=Lifecycle.model_construct)
    """Custom steps of the node program, and the artefacts that nodes download."""

    image: Image = Field(default_factory=Image.model_construct)
    """The machine image of the nodes, and when it is updated."""

    software: SoftwareVersions = {}
    """Versions of drivers, libraries and daemons on the nodes, from the release notes of the
    image; nothing installs them. Known incompatible versions are reported (CW-I030), and nodes
    with Slurm refuse to start with other versions."""

    resilience: Resilience = Field(default_factory=Resilience.model_construct)
    """Health checks and node replacement."""

    acceptance: Acceptance = Field(default_factory=Acceptance.model_construct)
    """How nodes are tested before they are trusted, on platforms with Slurm."""

    observability: Observability = Field(default_factory=Observability.model_construct)
    """Logs, metrics and alarms."""

    budget: Budget | None = None
    """Cost limits; `clusterwright cost` compares the spec with them."""

    run: Run | None = None
    """The training run that the cluster is planned for."""

    tags: Annotated[
        dict[
            Annotated[str, Field(pattern=formats.TAG.pattern, min_length=1, max_length=128)],
            Annotated[str, Field(pattern=formats.TAG.pattern, max_length=256)],
        ],
        Field(max_length=45),
    ] = {}
    """Tags of every resource."""

    required_tags: Annotated[
        list[Annotated[str, Field(pattern=formats.TAG.pattern, min_length=1, max_length=128)]],
        Field(max_length=45),
    ] = []
    """Keys that `tags` must have with a non-empty value, such as those your organisation
    requires."""

    waivers: list[Waiver] = []
    """Accepted findings, each with a reason and an expiry date."""

    allow_replacement: list[Allowance] = []
    """Resources that a change may replace or delete although they hold data or jobs; see
    `diff`."""

    @property
    def traits(self) -> Platform:
        """Return the capabilities of the platform; code outside `platforms` uses them, not its
        name.
        """
        return traits_of(self.platform)

    @property
    def uses_slurm(self) -> bool:
        """Return whether Slurm schedules jobs."""
        return self.traits.uses_slurm

    @property
    def uses_kubernetes(self) -> bool:
        """Return whether Kubernetes schedules jobs."""
        return self.traits.uses_kubernetes

    @property
    def on_hyperpod(self) -> bool:
        """Return whether SageMaker HyperPod launches, monitors and replaces the nodes."""
        return self.traits.on_hyperpod
