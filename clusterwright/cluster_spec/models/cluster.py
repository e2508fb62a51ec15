"""The whole cluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
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
from clusterwright.cluster_spec.models.slurm import Slurm
from clusterwright.cluster_spec.models.storage import Storage
from clusterwright.cluster_spec.models.tenants import Tenant
from clusterwright.platforms.registry import PlatformName, traits_of
from clusterwright.platforms.traits import Platform


class Cluster(Model):
    """One cluster for training, as reviewed: everything that is built, and nothing else."""

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
    """AWS account, 12 digits in quotes: without them YAML reads a number."""

    region: Annotated[
        str, Field(pattern=formats.REGION.pattern, examples=[formats.REGION.example])
    ]
    """AWS region, such as `us-east-1`."""

    partition: Literal["aws", "aws-us-gov", "aws-cn"]
    """AWS partition; follows from the region."""

    platform: PlatformName
    """What runs the cluster."""

    protection: Literal["retain", "destroy"] = "retain"
    """retain: stateful resources outlive the stacks, which are protected. destroy: for dev."""

    network: Network
    """Where the cluster stands: built, or an existing one."""

    compute: Annotated[list[ComputeGroup], Field(min_length=1, max_length=100)]
    """Groups of equal instances."""

    storage: Storage = Field(default_factory=Storage.model_construct)
    """File systems, buckets and home directories."""

    identity: Identity = Field(default_factory=Identity.model_construct)
    """Keys, roles and access."""

    slurm: Slurm = Field(default_factory=Slurm.model_construct)
    """The scheduler and its users, where that is Slurm."""

    kubernetes: Kubernetes = Field(default_factory=Kubernetes.model_construct)
    """The control plane and what runs on it, on EKS."""

    hyperpod: HyperPod = Field(default_factory=HyperPod.model_construct)
    """What HyperPod alone is told, on EKS."""

    parallelcluster: ParallelCluster = Field(default_factory=ParallelCluster.model_construct)
    """What ParallelCluster alone is told."""

    tenants: Annotated[list[Tenant], Field(max_length=100)] = []
    """Teams that share the cluster, each with its limits."""

    lifecycle: Lifecycle = Field(default_factory=Lifecycle.model_construct)
    """What runs on nodes beside our own steps, and what they fetch."""

    image: Image = Field(default_factory=Image.model_construct)
    """What the nodes boot from, and when it changes."""

    resilience: Resilience = Field(default_factory=Resilience.model_construct)
    """Health checks and the replacement of nodes."""

    observability: Observability = Field(default_factory=Observability.model_construct)
    """Logs, metrics and alarms."""

    budget: Budget | None = None
    """What the cluster may cost; `clusterwright cost` holds the spec against it."""

    run: Run | None = None
    """The training run that the cluster is for."""

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
    """Keys that `tags` must have, each with a value: what your organisation asks of everybody."""

    waivers: list[Waiver] = []
    """Findings that somebody accepts, each with its reason and an expiry."""

    allow_replacement: list[Allowance] = []
    """What a change may replace or delete although it holds data or jobs; see `diff`."""

    @property
    def traits(self) -> Platform:
        """What the platform is and can do; code outside `platforms` asks this, not its name."""
        return traits_of(self.platform)

    @property
    def uses_slurm(self) -> bool:
        """Whether Slurm runs the jobs."""
        return self.traits.uses_slurm

    @property
    def uses_kubernetes(self) -> bool:
        """Whether Kubernetes runs the jobs."""
        return self.traits.uses_kubernetes

    @property
    def on_hyperpod(self) -> bool:
        """Whether SageMaker HyperPod makes, watches and replaces the nodes."""
        return self.traits.on_hyperpod
