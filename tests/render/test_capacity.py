"""The text of `capacity`."""

from __future__ import annotations

from pathlib import Path

from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import RunningJob, SchedulerView
from clusterwright.operate.capacity import capacity_report
from clusterwright.render.capacity import capacity_text
from tests.operate.clusters import cluster_state, in_slurm, load, plan, published, rates
from tests.support import specs

JOB = RunningJob(id="101", nodes=("ip-workers-1", "ip-workers-2", "ip-workers-3"))


def test_spares_and_cost(tmp_path: Path) -> None:
    spec = load(tmp_path)
    slurm = (*(in_slurm(i, "ALLOCATED") for i in (1, 2, 3)), in_slurm(4))
    state = cluster_state(spec, scheduler=SchedulerView(published(slurm, running=(JOB,)), None))
    text = capacity_text(capacity_report(spec.cluster, state, rates(spec), file="test.yaml"))
    assert text == (
        "test: account 111122223333, us-east-1, 2026-11-23 08:00 UTC\n"
        "\n"
        "Spares\n"
        "  group    capacity   type         nodes  spares in the file  idle              "
        "launchable\n"
        "  workers  on-demand  p5.48xlarge  4      0                   1 (ip-workers-4)  –\n"
        "\n"
        "If a node of the largest job fails now\n"
        "  workers: job 101 on 3 nodes stops for 5 to 20 min, 15 to 60 node-minutes, "
        "16.51 to 66.05 USD\n"
        "    ip-workers-4 is idle and takes its place; the work since the last checkpoint is "
        "lost too, and is unknown here\n"
    )


def test_purchases_and_unknown_parts(tmp_path: Path) -> None:
    spec = load(tmp_path, compute__1__capacity={"kind": "training-plan", "arn": specs.PLAN})
    unknown = SchedulerView(None, NotRead("the scheduler's view", "denied", "allow it"))
    state = cluster_state(spec, scheduler=unknown, capacity={specs.PLAN: plan()})
    lines = capacity_text(
        capacity_report(spec.cluster, state, rates(spec), file="test.yaml")
    ).splitlines()
    assert "unknown: the scheduler's view: denied" in lines
    row = next(line for line in lines if line.startswith("  run-1"))
    assert row.split() == [
        "run-1",
        "training-plan",
        "workers",
        "Active",
        "4",
        "4",
        "0",
        "2026-12-03",
        "08:00",
    ]
    assert "  workers: unknown" in lines
    assert "    which jobs run is unknown" in lines
