"""Kinds of capacity by node service: those it accepts, and the reason against each other kind."""

from __future__ import annotations

from typing import Final

HYPERPOD_KINDS: Final = frozenset({"on-demand", "spot", "training-plan"})
HYPERPOD_REFUSES: Final = {
    "reservation": "CreateCluster has no field for an EC2 capacity reservation",
    "capacity-block": (
        "CreateCluster has no field for an EC2 capacity block; HyperPod uses training plans"
    ),
}
HYPERPOD_PLACEMENT: Final = (
    "CreateCluster has no field for a placement group: HyperPod places instances itself"
)

EC2_KINDS: Final = frozenset({"on-demand", "spot", "reservation", "capacity-block"})
EC2_REFUSES: Final = {
    "training-plan": "a training plan is capacity of SageMaker: only HyperPod can use it",
}
