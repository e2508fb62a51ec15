"""Teams that share the cluster."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Cidr, Model, UnixName


class ContainerDefaults(Model):
    """Default resource requests of containers without requests; quotas count requests."""

    cpu_cores: Annotated[int, Field(ge=1, le=1024)] = 1
    """Processor cores."""

    memory_gib: Annotated[int, Field(ge=1, le=65_536)] = 4
    """Memory; it is a request without a limit."""


class Tenant(Model):
    """A team: a Kubernetes namespace with permissions and limits, or a Slurm account with
    limits.
    """

    name: Annotated[
        str,
        Field(pattern=formats.TENANT.pattern, max_length=40, examples=[formats.TENANT.example]),
    ]
    """Name of the team, of its Kubernetes namespace and of its Slurm account."""

    weight: Annotated[int, Field(ge=1, le=65_533)] = 1
    """Share of the cluster, relative to the weights of the other tenants."""

    max_nodes: Annotated[int, Field(ge=1, le=6758)] | None = None
    """Maximum number of nodes of its running jobs, on Kubernetes per group; no limit if absent."""

    borrowing: bool = True
    """Whether it may use idle nodes of other tenants; if false, its share is its limit."""

    users: list[UnixName] = []
    """Users of `slurm.users` whose jobs are charged to it; Slurm only."""

    groups: Annotated[
        list[Annotated[str, Field(pattern=formats.KUBERNETES_GROUP.pattern, max_length=100)]],
        Field(max_length=20, examples=[["researchers"]]),
    ] = []
    """Groups of `kubernetes.access` that may run jobs in its namespace; Kubernetes only."""

    priority: (
        Annotated[
            str,
            Field(
                pattern=formats.OBJECT_NAME.pattern,
                max_length=40,
                examples=[formats.OBJECT_NAME.example],
            ),
        ]
        | None
    ) = None
    """Priority of its example jobs, from `kubernetes.workloads.priorities`."""

    egress_cidrs: Annotated[list[Cidr], Field(max_length=20)] = ["0.0.0.0/0"]
    """CIDR ranges that its pods may reach over HTTPS, in addition to DNS and each other.
    Kubernetes only."""

    container_defaults: ContainerDefaults = Field(
        default_factory=ContainerDefaults.model_construct
    )
    """Requests of containers that specify none; Kubernetes only."""
