"""Groups of instances, their roles and their capacity."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import AbsolutePath, Model, Name
from clusterwright.cluster_spec.models.software import SoftwareVersions

ReservationId = Annotated[
    str, Field(pattern=formats.RESERVATION_ID.pattern, examples=[formats.RESERVATION_ID.example])
]


class OnDemand(Model):
    """On-Demand Instances, billed by the hour; capacity is not guaranteed."""

    kind: Literal["on-demand"]
    """On-Demand."""


class Spot(Model):
    """Spot Instances, which AWS interrupts when it needs the capacity."""

    kind: Literal["spot"]
    """Spot."""


class Reservation(Model):
    """An EC2 On-Demand Capacity Reservation."""

    kind: Literal["reservation"]
    """A capacity reservation."""

    id: ReservationId
    """The id of the reservation, `cr-...`."""

    interruptible: bool = False
    """The owner of the reservation that this one was split from can end its instances with two
    minutes' notice. AWS PCS only."""


class CapacityBlock(Model):
    """A purchased EC2 Capacity Block for ML."""

    kind: Literal["capacity-block"]
    """A Capacity Block."""

    id: ReservationId
    """The id of the Capacity Block's reservation, `cr-...`."""


class TrainingPlan(Model):
    """A purchased SageMaker training plan with a HyperPod cluster as target."""

    kind: Literal["training-plan"]
    """A training plan."""

    arn: Annotated[
        str,
        Field(
            pattern=formats.TRAINING_PLAN_ARN.pattern, examples=[formats.TRAINING_PLAN_ARN.example]
        ),
    ]
    """The ARN of the plan, in the cluster's account and region."""


OneKind = Annotated[
    OnDemand | Spot | Reservation | CapacityBlock | TrainingPlan, Field(discriminator="kind")
]


class CapacityShare(Model):
    """A share of a group with mixed capacity."""

    percent: Annotated[int, Field(ge=1, le=99, examples=[75])]
    """Share of the group's `count`; all shares add up to 100, and each is at least one
    instance."""

    capacity: OneKind
    """The kind of capacity."""


class Mix(Model):
    """Several kinds of capacity: the resolved spec has a group for each (`part_of`)."""

    kind: Literal["mix"]
    """Mixed."""

    shares: Annotated[list[CapacityShare], Field(min_length=2, max_length=5)]
    """Kinds of capacity and their percentages; the group of the first share keeps the name."""

    fallback: Annotated[list[Literal["on-demand", "spot"]], Field(max_length=2)] = []
    """For each kind, an additional group with 0 instances is created; nothing moves instances
    automatically."""


Capacity = Annotated[
    OnDemand | Spot | Reservation | CapacityBlock | TrainingPlan | Mix,
    Field(discriminator="kind"),
]


class Ebs(Model):
    """An additional EBS volume per instance, mounted by the image at /opt/sagemaker."""

    capacity_gib: Annotated[int, Field(ge=1, le=16384)]
    """Size of the volume."""


class Scratch(Model):
    """The instance store (NVMe) as one striped file system; empty after every replacement."""

    mount_path: AbsolutePath = "/scratch"
    """Mount path; on the platform eks, in the pods of example jobs."""


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
    """A Kubernetes taint, which repels pods without a matching toleration."""

    key: KubernetesKey
    """Key of the taint."""

    value: KubernetesValue | None = None
    """Value of the taint."""

    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """Effect on pods without a toleration: not scheduled, preferably not scheduled, or also
    evicted."""


class ComputeGroup(Model):
    """A group of identical instances with one role."""

    name: Name
    """The group's name, unique in the cluster."""

    role: Literal["controller", "login", "compute", "system"]
    """controller: runs the Slurm daemons. login: for users. compute: runs jobs. system: runs
    Kubernetes add-ons and controllers."""

    instance_type: Annotated[
        str, Field(min_length=1, max_length=64, examples=[formats.INSTANCE_TYPE.example])
    ]
    """The EC2 name (`p5.48xlarge`); `ml.` is added for APIs that require it."""

    count: Annotated[int, Field(ge=0, le=6758, examples=[1])]
    """Number of instances, including spares."""

    min_count: Annotated[int, Field(ge=0, le=6758)] | None = None
    """Minimum number of instances that must start within three hours; otherwise the group is
    rolled back."""

    max_count: Annotated[int, Field(ge=1, le=6758)] | None = None
    """Maximum number of instances: quotas and addresses are checked for it, and it is the limit of
    autoscaling, on platforms with an autoscaler."""

    spare_count: Annotated[int, Field(ge=0, le=6758)] = 0
    """Number of these instances that jobs do not use; any node may be a spare. In managed mode the
    controller keeps them in a reservation; scripted mode limits the nodes of jobs, which requires
    accounting."""

    capacity: Capacity = Field(default_factory=lambda: OnDemand.model_construct(kind="on-demand"))
    """Kind of capacity; `{kind: on-demand}` if absent."""

    part_of: Name | None = None
    """The group with mixed capacity that this group is part of; derived from the mix."""

    ebs: Ebs | None = None
    """An additional volume per instance."""

    scratch: Scratch | None = None
    """The instance store, for types that have one."""

    threads_per_core: Annotated[int, Field(ge=1, le=2)] | None = None
    """1 disables simultaneous multithreading; the default of the instance type if absent."""

    network_interface: Literal["efa", "efa-only"] | None = None
    """Interface type of additional network cards; the platform's default if absent."""

    placement_group: bool | None = None
    """Use a cluster placement group, if the platform supports it; the platform's default if
    absent."""

    labels: Annotated[dict[KubernetesKey, KubernetesValue], Field(max_length=50)] = {}
    """Kubernetes labels of the group's nodes, including nodes that are added later."""

    taints: Annotated[list[Taint], Field(max_length=50)] = []
    """Kubernetes taints of the group's nodes; each pair of key and effect is unique."""

    mig_profile: (
        Annotated[
            str, Field(pattern=formats.MIG_PROFILE.pattern, examples=[formats.MIG_PROFILE.example])
        ]
        | None
    ) = None
    """MIG profile of each GPU of the group; GPUs are not partitioned if absent."""

    software: SoftwareVersions = {}
    """Versions on the group's nodes; they replace those of `software` of the cluster."""

    restricted: bool = False
    """A restricted instance group of HyperPod, for Amazon Nova; its nodes are not accessible."""

    @property
    def is_interruptible(self) -> bool:
        """Return whether its capacity is an interruptible capacity reservation."""
        return isinstance(self.capacity, Reservation) and self.capacity.interruptible
