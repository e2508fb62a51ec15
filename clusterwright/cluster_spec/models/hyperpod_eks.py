"""What only HyperPod with Amazon EKS can be told."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model

PriorityClassName = Annotated[
    str,
    Field(
        pattern=formats.PRIORITY_CLASS.pattern,
        max_length=40,
        examples=[formats.PRIORITY_CLASS.example],
    ),
]
"""SageMaker's ClusterSchedulerPriorityClassName (botocore 1.44.5)."""

AddonVersion = Annotated[
    str, Field(pattern=formats.ADDON_VERSION.pattern, examples=[formats.ADDON_VERSION.example])
]


class TieredStorage(Model):
    """Checkpoints in the memory of the nodes first, on S3 or Lustre later."""

    memory_percent: Annotated[int, Field(ge=1, le=100, examples=[20])]
    """Share of each node's memory that is kept for checkpoints."""


class PriorityClass(Model):
    """A rank of jobs: one with a higher weight goes first, and may displace others."""

    name: PriorityClassName
    """What jobs are labelled with, as `<name>-priority`."""

    weight: Annotated[int, Field(ge=0, le=100, examples=[90])]
    """0 is the lowest rank and 100 the highest."""


class TaskGovernance(Model):
    """Queues, ranks and shares of HyperPod's task governance; the shares are the tenants'."""

    priority_classes: Annotated[list[PriorityClass], Field(max_length=10)] = []
    """Ranks of jobs; all wait in the order of their arrival if empty."""

    fair_share: bool = True
    """Whether idle capacity is lent by the tenants' weights, and not to who asks first."""

    share_idle: bool = True
    """Whether capacity that no tenant has been given may be borrowed by all."""

    addon_version: AddonVersion | None = None
    """Of the add-on; the default of EKS on the day of the deployment if absent."""


class HyperPodAddon(Model):
    """An add-on of SageMaker on the EKS cluster."""

    name: Literal["training-operator", "observability"]
    """training-operator: restarts parts of a job, not all of it. observability: metrics of nodes,
    accelerators and jobs in the Prometheus workspace of `observability.prometheus`."""

    version: AddonVersion | None = None
    """As EKS writes it; the default of EKS on the day of the deployment if absent."""


class Inference(Model):
    """HyperPod's inference operator, for endpoints on nodes that training leaves idle.

    Its models are read from Lustre, or from `storage.buckets` with a `mount_path`.
    """

    addon_version: AddonVersion | None = None
    """Of the add-on; the default of EKS on the day of the deployment if absent."""

    gated_models: bool = False
    """Whether endpoints may download gated models of JumpStart, with a role for it."""


class SharedLustre(Model):
    """A file system that HyperPod builds for the restricted groups, out of everybody's reach."""

    capacity_gib: Annotated[int, Field(ge=1200, le=100_800, examples=[1200])]
    """Size of the file system."""

    throughput_mbps_per_tib: Literal[125, 250, 500, 1000]
    """Throughput tier of the file system."""

    on_delete: Literal["keep", "delete-if-not-used"] = "keep"
    """What becomes of it with the last restricted group."""


class HyperPod(Model):
    """What `platform: hyperpod-eks` needs beside the rest of the file."""

    autoscaling: Literal["off", "karpenter"] = "off"
    """karpenter: HyperPod's own Karpenter adds and takes away nodes of the groups that its
    NodeClass names, as pods wait; quotas and `max_count` bound it."""

    tiered_storage: TieredStorage | None = None
    """Checkpoints in memory; none if absent."""

    task_governance: TaskGovernance | None = None
    """Queues and shares for the tenants, by SageMaker; none if absent."""

    addons: Annotated[list[HyperPodAddon], Field(max_length=2)] = []
    """Add-ons of SageMaker; each once."""

    inference: Inference | None = None
    """The inference operator, with the load balancer controller and KEDA; none if absent."""

    restricted_lustre: SharedLustre | None = None
    """The file system of the groups with `restricted: true`."""
