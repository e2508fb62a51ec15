"""A small deployed cluster in memory: what AWS and the controller would answer."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from clusterwright.aws.cloudformation.stacks import Stack
from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_state.published import (
    NodeAcceptance,
    SchedulerNode,
    SchedulerState,
    SchedulerView,
)
from clusterwright.cluster_state.results import (
    CapacityState,
    ClusterState,
    PlatformCluster,
    PlatformGroup,
    PlatformNode,
)
from clusterwright.operate.cost_now import NodeRates
from clusterwright.operate.results import StatusReport
from clusterwright.operate.status import status_report
from tests.support import specs

NOW = dt.datetime(2026, 11, 23, 8, 0, tzinfo=dt.UTC)
LAUNCHED = NOW - dt.timedelta(days=2)


def minutes(count: float) -> dt.timedelta:
    return dt.timedelta(minutes=count)


def node(number: int, group: str = "workers", **changes: Any) -> PlatformNode:
    made = PlatformNode(
        group,
        f"i-{group}-{number}",
        None,
        f"ip-{group}-{number}",
        "p5.48xlarge" if group == "workers" else "m5.4xlarge",
        "Running",
        "up",
        launched_at=LAUNCHED,
    )
    return replace(made, **changes)


def in_slurm(number: int, *states: str, group: str = "workers", **changes: Any) -> SchedulerNode:
    made = SchedulerNode(
        name=f"ip-{group}-{number}",
        group=group,
        instance_id=f"i-{group}-{number}",
        states=states or ("IDLE",),
        partitions=("dev",),
    )
    return made.model_copy(update=changes)


def published(nodes: Iterable[SchedulerNode] | None = None, **changes: Any) -> SchedulerState:
    listed = tuple(nodes) if nodes is not None else tuple(in_slurm(i) for i in range(1, 5))
    made = SchedulerState(
        schema_version=1,
        environment="test",
        written_at=NOW - minutes(1),
        controller="ip-controller-1",
        daemons={"slurmctld": "up", "slurmdbd": "up"},
        nodes=listed,
        jobs={"RUNNING": 1},
        running=(),
        pending=(),
        acceptance={each.name: NodeAcceptance(state="accepted") for each in listed},
    )
    return made.model_copy(update=changes)


def cluster_state(spec: LoadedSpec, **changes: Any) -> ClusterState:
    """Healthy: four workers and a controller, every view current."""
    made = ClusterState(
        read_at=NOW,
        stacks=(
            Stack("test-network", "CREATE_COMPLETE", None, False, drift="IN_SYNC"),
            Stack("test-cluster", "CREATE_COMPLETE", None, False, drift="IN_SYNC"),
        ),
        deployed_spec=json.dumps(spec.resolved()),
        cluster=PlatformCluster(
            "test",
            "InService",
            "",
            steady=True,
            healthy=True,
            groups=(
                PlatformGroup("controller", 1, 1, "InService"),
                PlatformGroup("workers", 4, 4, "InService"),
            ),
        ),
        nodes=(node(1, "controller"), *(node(i) for i in range(1, 5))),
        scheduler=SchedulerView(published(), None),
        capacity={},
        changed_rules=(),
    )
    return replace(made, **changes)


def plan(**changes: Any) -> CapacityState:
    made = CapacityState(
        specs.PLAN,
        "training-plan",
        "Active",
        "p5.48xlarge",
        "use1-az6",
        4,
        4,
        0,
        NOW - dt.timedelta(days=10),
        NOW + dt.timedelta(days=10),
    )
    return replace(made, **changes)


ON_EKS: dict[str, Any] = {
    "platform": "eks",
    "compute": [
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
    ],
}
"""Changes of the small spec."""


def load(folder: Path, **changes: Any) -> LoadedSpec:
    """The small spec; `changes` at dotted paths with `__` for dots."""
    return specs.load(folder, {key.replace("__", "."): v for key, v in changes.items()})


def rates(spec: LoadedSpec) -> NodeRates:
    return NodeRates(spec.cluster, load_catalog(), today=NOW.date())


def report(spec: LoadedSpec, **changes: Any) -> StatusReport:
    return status_report(
        spec.cluster,
        cluster_state(spec, **changes),
        rates(spec),
        file="test.yaml",
        resolved=spec.resolved(),
    )
