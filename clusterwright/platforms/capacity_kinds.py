"""Kinds of capacity that platforms with the same node service accept, and why not the others."""

from __future__ import annotations

from typing import Final

HYPERPOD_KINDS: Final = frozenset({"on-demand", "spot", "training-plan"})
HYPERPOD_REFUSES: Final = {
    "reservation": "CreateCluster has no field for an EC2 capacity reservation",
    "capacity-block": "CreateCluster has no field for an EC2 capacity block; "
    "HyperPod's counterpart is a training plan",
}
HYPERPOD_PLACEMENT: Final = (
    "CreateCluster has no field for a placement group: HyperPod places instances itself"
)

EC2_KINDS: Final = frozenset({"on-demand", "spot", "reservation", "capacity-block"})
EC2_REFUSES: Final = {
    "training-plan": "a training plan is bought for SageMaker: HyperPod alone can use it",
}
