"""Training plans, reservations and zones of an account."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

from clusterwright.aws.ec2.instance_types import Zone
from clusterwright.aws.sagemaker import (
    ReservedCapacity,
    TrainingPlan,
)
from clusterwright.preflight.facts import hyperpod, network
from tests.support import specs

ZONES = tuple(
    Zone(f"use1-az{n}", f"us-east-1{letter}", "availability-zone", "opt-in-not-required")
    for n, letter in ((1, "b"), (2, "c"), (4, "a"), (5, "f"), (6, "d"))
)

SEGMENT = ReservedCapacity(
    instance_type="ml.p5.48xlarge",
    instance_count=4,
    status="Active",
    zone="us-east-1d",
    zone_id="use1-az6",
    start=dt.datetime(2026, 11, 1, 11, 30, tzinfo=dt.UTC),
    end=dt.datetime(2026, 12, 1, 11, 30, tzinfo=dt.UTC),
)

BOUGHT = TrainingPlan(
    name="run-1",
    arn=specs.PLAN,
    status="Active",
    status_message="",
    total_count=4,
    available_count=4,
    target_resources=("hyperpod-cluster",),
    start=SEGMENT.start,
    end=SEGMENT.end,
    capacities=(SEGMENT,),
)


def bought(**changes: Any) -> dict[Any, Any]:
    plan = dataclasses.replace(BOUGHT, **changes)
    return {
        hyperpod.TrainingPlan("run-1"): plan,
        hyperpod.HyperPodClusters(): (),
        network.Zones(): ZONES,
    }
