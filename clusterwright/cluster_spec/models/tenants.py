"""Teams that share the cluster."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Cidr, Model, UnixName


class ContainerDefaults(Model):
    """What a container asks for that says nothing itself: quotas count what is asked for."""

    cpu_cores: Annotated[int, Field(ge=1, le=1024)] = 1
    """Processor cores."""

    memory_gib: Annotated[int, Field(ge=1, le=65_536)] = 4
    """Memory; nothing keeps a container from using more while the node has it."""


class Tenant(Model):
    """A team: a namespace with its rights and limits, or a Slurm account with limits."""

    name: Annotated[
        str,
        Field(pattern=formats.TENANT.pattern, max_length=40, examples=[formats.TENANT.example]),
    ]
    """The team; its namespace on Kubernetes, its account in Slurm."""

    weight: Annotated[int, Field(ge=1, le=65_533)] = 1
    """Its share of the cluster, relative to the weights of the other tenants."""

    max_nodes: Annotated[int, Field(ge=1, le=6758)] | None = None
    """Nodes that its jobs have at once, on Kubernetes of each group; no limit if absent."""

    borrowing: bool = True
    """Whether it may use what the others leave idle; without, its share is its limit."""

    users: list[UnixName] = []
    """People of `slurm.users` whose jobs are charged to it; Slurm only."""

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
    """The one of `kubernetes.workloads.priorities` that its example jobs have."""

    egress_cidrs: Annotated[list[Cidr], Field(max_length=20)] = ["0.0.0.0/0"]
    """Where its pods may go with HTTPS; beside that, DNS and each other. Kubernetes only."""

    container_defaults: ContainerDefaults = Field(
        default_factory=ContainerDefaults.model_construct
    )
    """For containers that do not say what they need; Kubernetes only."""
