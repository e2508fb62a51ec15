"""Facts and specs for the tests of reservations."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

from clusterwright.aws.ec2.capacity_reservations import Reservation
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.preflight.facts import reservations
from tests.preflight.harness import Harness
from tests.support import specs

ID = "cr-0123456789abcdef0"

RESERVED = Reservation(
    id=ID,
    kind="default",
    state="active",
    instance_type="p5.48xlarge",
    zone="us-east-1d",
    zone_id="use1-az6",
    platform="Linux/UNIX",
    tenancy="default",
    total_count=8,
    available_count=8,
    match="targeted",
    start=dt.datetime(2026, 11, 1, tzinfo=dt.UTC),
    end=None,
    placement_group=None,
    owner=specs.ACCOUNT,
    stack=None,
)

BLOCK = dataclasses.replace(
    RESERVED,
    kind="capacity-block",
    end=dt.datetime(2026, 11, 27, 11, 30, tzinfo=dt.UTC),
    block_id="cb-1",
)


def on_ec2(rule: Harness, changes: dict[str, Any] | None = None, kind: str = "") -> LoadedSpec:
    """A spec for ParallelCluster."""
    more = {"compute.1.capacity": {"kind": kind or "reservation", "id": ID}}
    return specs.unchecked(rule.folder, {"platform": "parallelcluster", **more, **(changes or {})})


def fact(found: Reservation | None, **changes: Any) -> dict[Any, Any]:
    if found is not None:
        found = dataclasses.replace(found, **changes)
    return {reservations.Reservation(ID): found}


SECOND = {**specs.SMALL["compute"][1], "name": "more", "count": 3}

SECOND["capacity"] = {"kind": "reservation", "id": ID}


def growing(rule: Harness, *, most: int) -> LoadedSpec:
    """On EKS with Karpenter, a group with 0 nodes that gets them from a block."""
    system = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
    block = {**SECOND, "count": 0, "max_count": most}
    block["capacity"] = {"kind": "capacity-block", "id": ID}
    return specs.unchecked(
        rule.folder,
        {
            "platform": "eks",
            "slurm": {},
            "compute": [system, block],
            "kubernetes": {"autoscaling": "karpenter"},
        },
    )


GROUP_ARN = f"arn:aws:ec2:us-east-1:{specs.ACCOUNT}:placement-group/theirs"

ULTRA = {"compute.1.instance_type": "p6e-gb200.36xlarge", "compute.1.count": 18}
