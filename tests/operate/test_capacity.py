"""Purchases, spares, and the cost of a failure."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import NodeAcceptance, RunningJob, SchedulerView
from clusterwright.operate.capacity import (
    REPLACEMENT_MINUTES,
    RESTART_MINUTES,
    capacity_report,
    idle_nodes,
    largest_job,
)
from clusterwright.operate.nodes import joined_nodes
from clusterwright.operate.results import CapacityReport
from tests.operate.clusters import cluster_state, in_slurm, load, node, plan, published, rates
from tests.support import specs

JOB = RunningJob(id="101", nodes=("ip-workers-1", "ip-workers-2", "ip-workers-3"))
PLAN = {"kind": "training-plan", "arn": specs.PLAN}
BUSY = tuple(in_slurm(i, "ALLOCATED") for i in range(1, 5))


def report(folder: Path, *, spec: dict[str, Any] | None = None, **changes: Any) -> CapacityReport:
    """Three of four workers run a job, unless `changes` has another state."""
    loaded = load(folder, **spec or {})
    view = published((*BUSY[:3], in_slurm(4)), running=(JOB,))
    state = cluster_state(loaded, **{"scheduler": SchedulerView(view, None), **changes})
    return capacity_report(loaded.cluster, state, rates(loaded), file="test.yaml")


def busy() -> SchedulerView:
    return SchedulerView(published(BUSY, running=(JOB,)), None)


def test_an_idle_node_takes_the_place_of_a_failed_one(tmp_path: Path) -> None:
    found = report(tmp_path)
    (spares,) = found.spares
    assert (spares.nodes, spares.idle, spares.launchable) == (4, ("ip-workers-4",), None)
    (failure,) = found.failures
    rate = rates(load(tmp_path)).of_group("workers")
    assert rate is not None
    assert (failure.job, failure.job_nodes, failure.replacement) == ("101", 3, "idle-node")
    assert failure.minutes == RESTART_MINUTES
    assert failure.node_minutes == (15, 60)
    assert failure.usd_per_hour == 3 * rate
    assert failure.usd == (rate * 15 / 60, rate)
    assert (found.findings, found.exit_code) == ((), 0)


def test_without_an_idle_node_hyperpod_replaces_it(tmp_path: Path) -> None:
    found = report(tmp_path, scheduler=busy())
    (failure,) = found.failures
    low, high = RESTART_MINUTES
    assert failure.minutes == (low + REPLACEMENT_MINUTES[0], high + REPLACEMENT_MINUTES[1])
    assert failure.replacement == "platform"
    assert "if on-demand has capacity" in failure.note
    (finding,) = found.findings
    assert (finding.code, finding.severity, found.exit_code) == ("no-spare", "info", 0)


def test_nobody_replaces_it(tmp_path: Path) -> None:
    found = report(tmp_path, spec={"resilience__node_recovery": "none"}, scheduler=busy())
    (failure,) = found.failures
    assert (failure.minutes, failure.node_minutes, failure.usd) == (None, None, None)
    assert failure.usd_per_hour is not None
    assert "node_recovery is none" in failure.note


@pytest.mark.parametrize(
    ("bought", "replacement", "launchable"),
    [
        (plan(free=0, spares=0), "none", 0),
        (plan(free=0, spares=1), "purchase", 1),
        (plan(free=2, spares=1), "purchase", 2),
        (plan(free=2, status="Expired"), "none", 0),
        (plan(free=None), "purchase", None),
        (NotRead("the capacity", "denied"), "purchase", None),
    ],
)
def test_instances_of_a_plan(
    tmp_path: Path, bought: Any, replacement: str, launchable: int | None
) -> None:
    found = report(
        tmp_path,
        spec={"compute__1__capacity": PLAN},
        scheduler=busy(),
        capacity={specs.PLAN: bought},
    )
    (spares,), (failure,) = found.spares, found.failures
    assert (spares.launchable, failure.replacement) == (launchable, replacement)
    assert (failure.minutes is None) == (replacement == "none")
    assert failure.usd is None  # A plan is paid in advance.


def test_purchases(tmp_path: Path) -> None:
    bought = plan(spares=1, unhealthy=0)
    found = report(tmp_path, spec={"compute__1__capacity": PLAN}, capacity={specs.PLAN: bought})
    (purchase,) = found.purchases
    assert purchase.groups == ("workers",)
    assert (purchase.spares, purchase.unhealthy) == (1, 0)
    assert purchase.instances_end == bought.ends
    assert (purchase.row.used, purchase.row.free) == (4, 0)


def test_spares_of_the_file_that_jobs_use(tmp_path: Path) -> None:
    spec = {
        "compute__1__spare_count": 1,
        "slurm__configuration": "managed",
        "slurm__accounting__kind": "none",
    }
    found = report(tmp_path, spec=spec, scheduler=busy())
    assert [(f.code, f.severity) for f in found.findings] == [("spares-short", "warning")]
    assert found.findings[0].message == "workers: 0 of 1 spares are idle"
    assert found.exit_code == 1


def test_no_job_costs_nothing(tmp_path: Path) -> None:
    found = report(tmp_path, scheduler=SchedulerView(published(), None))
    (failure,) = found.failures
    assert (failure.job, failure.job_nodes, failure.usd) == (None, 0, (Decimal(0), Decimal(0)))


def test_unknown_scheduler(tmp_path: Path) -> None:
    view = SchedulerView(None, NotRead("the scheduler's view", "denied"))
    found = report(tmp_path, scheduler=view)
    assert found.spares[0].idle is None
    assert found.failures[0].job_nodes is None
    assert [part.reason for part in found.unknown] == ["denied"]
    assert found.exit_code == 2


def test_jobs_that_the_controller_could_not_read_are_unknown(tmp_path: Path) -> None:
    found = report(tmp_path, scheduler=SchedulerView(published(BUSY, running=None), None))
    (failure,) = found.failures
    assert failure.note == "which jobs run is unknown"
    assert [each.what for each in found.unknown] == ["the scheduler's running jobs"]


def test_jobs_whose_nodes_the_controller_could_not_read_are_unknown(tmp_path: Path) -> None:
    jobs = (JOB, RunningJob(id="102", nodes=()), RunningJob(id="103"))
    found = report(tmp_path, scheduler=SchedulerView(published(BUSY, running=jobs), None))
    (failure,) = found.failures
    assert (failure.job_nodes, failure.note) == (None, "which jobs run is unknown")
    (part,) = found.unknown
    assert part.what == "the nodes of running jobs"
    assert part.reason == "the controller could not read the nodes of jobs 102, 103"
    assert found.exit_code == 2


def test_nothing_deployed_is_not_unknown(tmp_path: Path) -> None:
    view = SchedulerView(None, NotRead("the scheduler's view", "no such bucket"))
    found = report(tmp_path, stacks=(), cluster=None, nodes=None, scheduler=view)
    assert (found.unknown, found.exit_code) == ((), 0)


def test_idle_nodes_are_free_for_jobs(tmp_path: Path) -> None:
    spec = load(tmp_path)
    slurm = (
        in_slurm(1, "IDLE", "DRAIN"),
        in_slurm(2, "IDLE", reservation="maintenance"),
        in_slurm(3),
        in_slurm(4),
    )
    acceptance = {"ip-workers-3": NodeAcceptance(state="new")}
    view = SchedulerView(published(slurm, acceptance=acceptance), None)
    state = cluster_state(spec, scheduler=view)
    assert idle_nodes("workers", state, joined_nodes(spec.cluster, state)) == ("ip-workers-4",)
    broken = (node(i, condition="failed" if i == 4 else "up") for i in range(1, 5))
    state = cluster_state(spec, scheduler=view, nodes=tuple(broken))
    assert idle_nodes("workers", state, joined_nodes(spec.cluster, state)) == ()


def test_the_largest_job_of_a_group(tmp_path: Path) -> None:
    spec = load(tmp_path)
    jobs = (RunningJob(id="1", nodes=("ip-workers-4",)), JOB, RunningJob(id="3", nodes=("x",)))
    state = cluster_state(spec, scheduler=SchedulerView(published(running=jobs), None))
    nodes = joined_nodes(spec.cluster, state)
    assert largest_job("workers", state, nodes) == (JOB, 3)
    assert largest_job("elsewhere", state, nodes) is None
