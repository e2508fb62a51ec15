"""Settings of HyperPod with Amazon EKS."""

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
    """Managed tiered checkpointing: checkpoints in memory, then on S3 or Lustre."""

    memory_percent: Annotated[int, Field(ge=1, le=100, examples=[20])]
    """Percentage of each node's memory that is reserved for checkpoints."""


class PriorityClass(Model):
    """A priority class: jobs with a higher weight run first and may preempt others."""

    name: PriorityClassName
    """Name of the class; jobs have the label `<name>-priority`."""

    weight: Annotated[int, Field(ge=0, le=100, examples=[90])]
    """0 is the lowest priority and 100 the highest."""


class TaskGovernance(Model):
    """HyperPod task governance: queues, priorities, and the shares of tenants."""

    priority_classes: Annotated[list[PriorityClass], Field(max_length=10)] = []
    """Priority classes of jobs; first come, first served if empty."""

    fair_share: bool = True
    """Whether idle capacity is lent in proportion to the tenants' weights, not first come, first
    served."""

    share_idle: bool = True
    """Whether unallocated capacity may be borrowed by all tenants."""

    addon_version: AddonVersion | None = None
    """Version of the add-on; the default of EKS at deployment if absent."""


class HyperPodAddon(Model):
    """A SageMaker add-on of the EKS cluster."""

    name: Literal["training-operator", "observability"]
    """training-operator: restarts failed processes of a job. observability: metrics of nodes,
    accelerators and jobs in the Prometheus workspace of `observability.prometheus`."""

    version: AddonVersion | None = None
    """Version of the add-on; the default of EKS at deployment if absent."""


class Inference(Model):
    """HyperPod inference operator, for endpoints on nodes that training does not use.

    Models are read from Lustre, or from `storage.buckets` with a `mount_path`.
    """

    addon_version: AddonVersion | None = None
    """Version of the add-on; the default of EKS at deployment if absent."""

    gated_models: bool = False
    """Whether endpoints may download gated JumpStart models, with a role for them."""


class SharedLustre(Model):
    """A file system that HyperPod creates for the restricted groups; only they can access it."""

    capacity_gib: Annotated[int, Field(ge=1200, le=100_800, examples=[1200])]
    """Size of the file system."""

    throughput_mbps_per_tib: Literal[125, 250, 500, 1000]
    """Throughput tier of the file system."""

    on_delete: Literal["keep", "delete-if-not-used"] = "keep"
    """What happens to it when the last restricted group is deleted."""


class HyperPod(Model):
    """Settings that only `platform: hyperpod-eks` has."""

    autoscaling: Literal["off", "karpenter"] = "off"
    """karpenter: HyperPod's managed Karpenter adds nodes to the groups of its NodeClass for
    pending pods, and removes them; limited by quotas and `max_count`."""

    tiered_storage: TieredStorage | None = None
    """Tiered checkpointing; disabled if absent."""

    task_governance: TaskGovernance | None = None
    """Task governance; disabled if absent."""

    addons: Annotated[list[HyperPodAddon], Field(max_length=2)] = []
    """SageMaker add-ons, each at most once."""

    inference: Inference | None = None
    """The inference operator, with the load balancer controller and KEDA; not installed if
    absent."""

    restricted_lustre: SharedLustre | None = None
    """The file system of groups with `restricted: true`."""
