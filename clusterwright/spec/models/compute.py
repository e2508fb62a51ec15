"""Groups of instances, their role in the cluster, and how their capacity is obtained."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.spec.models.common import AbsolutePath, Arn, Model, Name


class OnDemand(Model):
    kind: Literal["on-demand"]


class Spot(Model):
    kind: Literal["spot"]


class Reservation(Model):
    """An on-demand capacity reservation of EC2."""

    kind: Literal["reservation"]
    id: Annotated[str, Field(pattern=r"^cr-[0-9a-f]{8,17}$")]


class CapacityBlock(Model):
    """A capacity block for ML, already bought."""

    kind: Literal["capacity-block"]
    id: Annotated[str, Field(pattern=r"^cr-[0-9a-f]{8,17}$")]


class TrainingPlan(Model):
    """A SageMaker training plan, already bought, whose target is a HyperPod cluster."""

    kind: Literal["training-plan"]
    arn: Annotated[
        Arn, Field(pattern=r"^arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:\d{12}:training-plan/[a-z0-9-]{1,64}$")
    ]


Capacity = Annotated[
    OnDemand | Spot | Reservation | CapacityBlock | TrainingPlan, Field(discriminator="kind")
]


class Ebs(Model):
    """One more EBS volume per instance, mounted by the image at /opt/sagemaker."""

    capacity_gib: Annotated[int, Field(ge=1, le=16384)]


class Scratch(Model):
    """The instance's own NVMe drives as one striped file system; empty after every replacement."""

    mount_path: AbsolutePath = "/scratch"


class ComputeGroup(Model):
    name: Name
    role: Literal["controller", "login", "compute"]
    instance_type: Annotated[str, Field(min_length=1, max_length=64)]
    """EC2's name everywhere (`p5.48xlarge`); `ml.` is added where an API wants it."""

    count: Annotated[int, Field(ge=0, le=6758)]
    """Every instance of the group, spares included."""

    min_count: Annotated[int, Field(ge=0, le=6758)] | None = None
    """Fewer than this within three hours, and the group is rolled back."""

    spare_count: Annotated[int, Field(ge=0, le=6758)] = 0
    """Of these, kept out of jobs."""

    capacity: Capacity = OnDemand(kind="on-demand")
    ebs: Ebs | None = None
    scratch: Scratch | None = None
    threads_per_core: Annotated[int, Field(ge=1, le=2)] | None = None
    network_interface: Literal["efa", "efa-only"] | None = None
    """What the additional network cards become; the platform's default if absent."""

    placement_group: bool | None = None
    """A cluster placement group, on the platforms that take one; the platform's default if absent."""
