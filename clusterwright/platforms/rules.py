"""What each platform accepts, as data."""

from __future__ import annotations

from dataclasses import dataclass

ULTRASERVERS = "p6e-gb200."
"""Types whose instances come as UltraServers, on the platforms that name them so."""
CAPACITY_KINDS = ("on-demand", "spot", "reservation", "capacity-block", "training-plan")


@dataclass(frozen=True)
class PlatformRules:
    """What a platform takes, and why not where it does not."""

    platform: str
    capacity_kinds: frozenset[str]
    refused_capacity: dict[str, str]
    placement_groups: bool
    placement_group_reason: str
    uses_ec2_quotas: bool
    """Whether EC2's vCPU quotas count (HyperPod has quotas of its own)."""


_ON_EC2 = {
    "training-plan": "a training plan is bought for SageMaker: HyperPod alone can use it",
}

RULES: dict[str, PlatformRules] = {
    "hyperpod-slurm": PlatformRules(
        platform="hyperpod-slurm",
        capacity_kinds=frozenset({"on-demand", "spot", "training-plan"}),
        refused_capacity={
            "reservation": "CreateCluster has no field for an EC2 capacity reservation",
            "capacity-block": "CreateCluster has no field for an EC2 capacity block; "
            "HyperPod's counterpart is a training plan",
        },
        placement_groups=False,
        placement_group_reason="CreateCluster has no field for a placement group: "
        "HyperPod places instances itself",
        uses_ec2_quotas=False,
    ),
    "hyperpod-eks": PlatformRules(
        platform="hyperpod-eks",
        capacity_kinds=frozenset({"on-demand", "spot", "training-plan"}),
        refused_capacity={
            "reservation": "CreateCluster has no field for an EC2 capacity reservation",
            "capacity-block": "CreateCluster has no field for an EC2 capacity block; "
            "HyperPod's counterpart is a training plan",
        },
        placement_groups=False,
        placement_group_reason="CreateCluster has no field for a placement group: "
        "HyperPod places instances itself",
        uses_ec2_quotas=False,
    ),
    "parallelcluster": PlatformRules(
        platform="parallelcluster",
        capacity_kinds=frozenset({"on-demand", "spot", "reservation", "capacity-block"}),
        refused_capacity=_ON_EC2,
        placement_groups=True,
        placement_group_reason="",
        uses_ec2_quotas=True,
    ),
    "eks": PlatformRules(
        platform="eks",
        capacity_kinds=frozenset({"on-demand", "spot", "reservation", "capacity-block"}),
        refused_capacity=_ON_EC2,
        placement_groups=True,
        placement_group_reason="",
        uses_ec2_quotas=True,
    ),
}

RESERVED_KINDS = frozenset({"reservation", "capacity-block"})
"""Capacity of EC2 that stays the account's while no instance runs in it."""

PLACEMENT_GROUP_REFUSED_WITH = frozenset({"capacity-block"})
"""Capacity that takes no placement group (EC2 documentation, Capacity Blocks for ML)."""


def keeps_spares(platform: str, capacity_kind: str, instance_type: str) -> bool:
    """Whether a group keeps spares out of jobs with this capacity (`spare_count`).

    ParallelCluster keeps none but the free instances of what is reserved, and runs all of an
    UltraServer: Slurm would not know a part of one as a block.
    """
    if platform != "parallelcluster":
        return True
    return capacity_kind in RESERVED_KINDS and not instance_type.startswith(ULTRASERVERS)
