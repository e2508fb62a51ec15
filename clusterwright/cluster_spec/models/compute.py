"""Groups of instances, their role in the cluster, and how their capacity is obtained."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import AbsolutePath, Model, Name

ReservationId = Annotated[
    str, Field(pattern=formats.RESERVATION_ID.pattern, examples=[formats.RESERVATION_ID.example])
]


class OnDemand(Model):
    """Paid by the hour, while there is any."""

    kind: Literal["on-demand"]
    """By the hour."""


class Spot(Model):
    """Spare capacity that AWS takes back when it is needed elsewhere."""

    kind: Literal["spot"]
    """By the hour, interruptible."""


class Reservation(Model):
    """An on-demand capacity reservation of EC2."""

    kind: Literal["reservation"]
    """From a reservation."""

    id: ReservationId
    """The reservation, `cr-...`."""


class CapacityBlock(Model):
    """A capacity block for ML, already bought."""

    kind: Literal["capacity-block"]
    """From a capacity block."""

    id: ReservationId
    """The block's reservation, `cr-...`."""


class TrainingPlan(Model):
    """A SageMaker training plan, already bought, whose target is a HyperPod cluster."""

    kind: Literal["training-plan"]
    """From a training plan."""

    arn: Annotated[
        str,
        Field(
            pattern=formats.TRAINING_PLAN_ARN.pattern, examples=[formats.TRAINING_PLAN_ARN.example]
        ),
    ]
    """The plan, of the cluster's account and region."""


OneKind = Annotated[
    OnDemand | Spot | Reservation | CapacityBlock | TrainingPlan, Field(discriminator="kind")
]


class CapacityShare(Model):
    """A part of a mixed group's instances, and how they are obtained."""

    percent: Annotated[int, Field(ge=1, le=99, examples=[75])]
    """Of the group's count; all shares together are 100, and each is a whole instance at least."""

    capacity: OneKind
    """How they are obtained."""


class Mix(Model):
    """Several kinds of capacity: the resolved spec has a group for each (`part_of`)."""

    kind: Literal["mix"]
    """Several kinds."""

    shares: Annotated[list[CapacityShare], Field(min_length=2, max_length=5)]
    """Which kinds, and how much of each; the first one's group keeps the name."""

    fallback: Annotated[list[Literal["on-demand", "spot"]], Field(max_length=2)] = []
    """For each kind a group of 0 instances stands ready; nothing moves instances by itself."""


Capacity = Annotated[
    OnDemand | Spot | Reservation | CapacityBlock | TrainingPlan | Mix,
    Field(discriminator="kind"),
]


class Ebs(Model):
    """One more EBS volume per instance, mounted by the image at /opt/sagemaker."""

    capacity_gib: Annotated[int, Field(ge=1, le=16384)]
    """Size of the volume."""


class Scratch(Model):
    """The instance's own NVMe drives as one striped file system; empty after every replacement."""

    mount_path: AbsolutePath = "/scratch"
    """Where it is mounted; on the platform eks, in the pods of example jobs."""


KubernetesKey = Annotated[
    str,
    Field(
        pattern=formats.KUBERNETES_KEY.pattern,
        max_length=317,
        examples=[formats.KUBERNETES_KEY.example],
    ),
]
KubernetesValue = Annotated[
    str,
    Field(pattern=formats.KUBERNETES_VALUE.pattern, examples=[formats.KUBERNETES_VALUE.example]),
]


class Taint(Model):
    """Keeps pods off the group's nodes that do not say that they tolerate it."""

    key: KubernetesKey
    """What pods name to tolerate it."""

    value: KubernetesValue | None = None
    """A further word that pods may have to name."""

    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """Of pods that do not tolerate it: none is placed there, none if another node has room, or
    those that run there go too."""


class ComputeGroup(Model):
    """A group of equal instances with one role."""

    name: Name
    """The group's name, unique in the cluster."""

    role: Literal["controller", "login", "compute", "system"]
    """controller: runs Slurm. login: where people work. compute: runs jobs. system: runs what
    Kubernetes needs beside jobs."""

    instance_type: Annotated[
        str, Field(min_length=1, max_length=64, examples=[formats.INSTANCE_TYPE.example])
    ]
    """EC2's name everywhere (`p5.48xlarge`); `ml.` is added where an API wants it."""

    count: Annotated[int, Field(ge=0, le=6758, examples=[1])]
    """Every instance of the group, spares included."""

    min_count: Annotated[int, Field(ge=0, le=6758)] | None = None
    """Fewer than this within three hours, and the group is rolled back."""

    max_count: Annotated[int, Field(ge=1, le=6758)] | None = None
    """What the group is to grow to: quotas and addresses are checked for it, and an autoscaler,
    where the platform has one, stops there."""

    spare_count: Annotated[int, Field(ge=0, le=6758)] = 0
    """Of these, kept out of jobs: any node may be the spare. Scripted mode needs accounting."""

    capacity: Capacity = Field(default_factory=lambda: OnDemand.model_construct(kind="on-demand"))
    """How the instances are obtained; `{kind: on-demand}` if absent."""

    part_of: Name | None = None
    """The group that mixes kinds of capacity, of which this is a part; follows from the mix."""

    ebs: Ebs | None = None
    """One more volume per instance."""

    scratch: Scratch | None = None
    """The instance's own drives, for types that have some."""

    threads_per_core: Annotated[int, Field(ge=1, le=2)] | None = None
    """1 switches hyper-threads off; the type's own setting if absent."""

    network_interface: Literal["efa", "efa-only"] | None = None
    """What the additional network cards become; the platform's default if absent."""

    placement_group: bool | None = None
    """A cluster placement group, where the platform takes one; its default if absent."""

    labels: Annotated[dict[KubernetesKey, KubernetesValue], Field(max_length=50)] = {}
    """Labels of the group's nodes in Kubernetes; later nodes have them too."""

    taints: Annotated[list[Taint], Field(max_length=50)] = []
    """Taints of the group's nodes in Kubernetes; each key with an effect stands once."""

    mig_profile: (
        Annotated[
            str, Field(pattern=formats.MIG_PROFILE.pattern, examples=[formats.MIG_PROFILE.example])
        ]
        | None
    ) = None
    """How HyperPod divides each GPU of the group; GPUs stay whole if absent."""

    restricted: bool = False
    """A restricted instance group of HyperPod: for Amazon Nova, nobody reaches its nodes."""
