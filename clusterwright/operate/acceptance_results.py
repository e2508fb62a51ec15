"""The result of `clusterwright accept`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from clusterwright.cluster_state.acceptance import (
    RunBaseline,
    RunClusterCheck,
    RunNode,
    RunSuspect,
)
from clusterwright.cluster_state.requests import Level
from clusterwright.operate.results import UnknownPart

DEEP_HEALTH_CHECKS: Final = "deep-health-checks"
"""In place of a level, for HyperPod's own checks."""

DEEP_HEALTH_MINUTES: Final = (45, 135)
"""AWS states no duration of its checks: that of DCGM's level 4, which InstanceStress runs on GPUs,
stands for it (awslabs/awsome-distributed-ai, gpu-cluster-healthcheck, 2026-07-23)."""

ReportLevel = Level | Literal["deep-health-checks"]

Status = Literal["planned", "refused", "running", "ended", "failed", "unknown"]


@dataclass(frozen=True)
class GroupPlan:
    """What a level takes on the nodes of a group.

    Attributes
    ----------
    seconds:
        Planned for each node; the nodes are tested at the same time.
    cost_usd:
        Of all nodes for that time; None if the price is unknown, and `unpriced` says why.
    """

    group: str
    instance_type: str
    nodes: int
    seconds: int
    cost_usd: Decimal | None
    unpriced: str | None = None


@dataclass(frozen=True)
class DeepHealthTarget:
    """A node that HyperPod tests."""

    name: str
    group: str
    instance_id: str
    instance_type: str


@dataclass(frozen=True)
class HitJob:
    """A job that runs on the tested nodes; `nodes` is the number of all its nodes."""

    id: str
    nodes: int


@dataclass(frozen=True)
class DeepHealthPlan:
    """What HyperPod's deep health checks of running nodes do, hit and cost.

    Attributes
    ----------
    targets:
        The nodes to test.
    left_out:
        Nodes that were not named, with the reason.
    refused:
        Named nodes that cannot be tested, with the reason; then none is.
    jobs:
        Running jobs on the targets; None if unknown.
    checks:
        SageMaker's names by group.
    """

    targets: tuple[DeepHealthTarget, ...]
    left_out: tuple[tuple[str, str], ...]
    refused: tuple[tuple[str, str], ...]
    jobs: tuple[HitJob, ...] | None
    checks: Mapping[str, tuple[str, ...]]
    groups: tuple[GroupPlan, ...]

    def requests(self, largest: int) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
        """Groups, at most `largest` instance ids of them, and checks."""
        found = []
        for group, checks in self.checks.items():
            ids = [node.instance_id for node in self.targets if node.group == group]
            for first in range(0, len(ids), largest):
                found.append((group, tuple(ids[first : first + largest]), checks))
        return tuple(found)


@dataclass(frozen=True)
class AcceptReport:
    """The result of `clusterwright accept`.

    Attributes
    ----------
    status:
        `planned` for a dry run; `running` where the wait ended first; `unknown` where the run was
        requested, and the answer or the report cannot be read.
    run:
        The id of the request, which is the name of the run; None for a dry run.
    """

    file: str
    environment: str
    account: str
    region: str
    level: ReportLevel
    status: Status
    run: str | None
    plan: tuple[GroupPlan, ...]
    nodes: tuple[RunNode, ...] = ()
    cluster_checks: tuple[RunClusterCheck, ...] = ()
    suspects: tuple[RunSuspect, ...] = ()
    baseline: tuple[RunBaseline, ...] = ()
    unknown: tuple[UnknownPart, ...] = ()

    @property
    def node_minutes(self) -> float:
        """The planned duration on all nodes."""
        return sum(group.nodes * group.seconds for group in self.plan) / 60

    @property
    def cost_usd(self) -> Decimal | None:
        """The planned cost; None if the price of one group is unknown."""
        costs = [group.cost_usd for group in self.plan]
        known = [cost for cost in costs if cost is not None]
        return sum(known, Decimal(0)) if costs and len(known) == len(costs) else None

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if something is wrong with nodes or between them, 2 if something is unknown.

        A test of several nodes without a floor, whose figure becomes the baseline, is healthy; one
        without a figure is unknown. `lifecycle_scripts/clusterwright_common/acceptance_results.py`
        has the same rule.
        """
        if (
            self.suspects
            or any(node.verdict == "rejected" for node in self.nodes)
            or any(check.verdict in ("fail", "hung") for check in self.cluster_checks)
        ):
            return 1
        if self.status == "planned":
            return 2 if self.unknown else 0
        accepted = bool(self.nodes) and all(node.verdict == "accepted" for node in self.nodes)
        unmeasured = any(
            check.verdict == "unknown" and not check.is_baseline for check in self.cluster_checks
        )
        is_known = self.status == "ended" and not unmeasured and not self.unknown
        return 0 if accepted and is_known else 2
