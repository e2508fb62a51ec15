"""The text of `node`."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from clusterwright.cluster_state.published import RunningJob, SchedulerView
from clusterwright.operate.node_plan import node_plan
from clusterwright.operate.results import NodePlan, NodeReport, NodeResult
from clusterwright.render.node import node_text, plan_text
from tests.operate.clusters import cluster_state, load, published, rates

JOB = RunningJob(id="101", name="train", user="ada", nodes=("ip-workers-1", "ip-workers-2"))


def planned(folder: Path) -> NodePlan:
    spec = load(folder)
    state = cluster_state(spec, scheduler=SchedulerView(published(running=(JOB,)), None))
    return node_plan(
        spec.cluster,
        state,
        rates(spec),
        "replace",
        ["ip-workers-1"],
        "xid 79",
        file="test.yaml",
        without_scheduler=False,
    )


def test_plan(tmp_path: Path) -> None:
    assert plan_text(planned(tmp_path)) == (
        "replace 1 node of test because: xid 79\n"
        "  ip-workers-1  workers  i-workers-1  Running / IDLE\n"
        "HyperPod starts new instances in their place: jobs on the nodes stop; the root volume, "
        "additional EBS volumes and the instance store are lost.\n"
        "Slurm drains the nodes first, and resumes them when they are accepted.\n"
        "1 running job on the nodes stop: 101 (train, ada, 2 nodes).\n"
        "Cost: 25 to 50 node-minutes, 27.52 to 55.04 USD.\n"
    )


def test_costs(tmp_path: Path) -> None:
    plan = planned(tmp_path)

    def cost(**changes: object) -> str:
        return plan_text(replace(plan, **changes)).splitlines()[-1]  # type: ignore[arg-type]

    assert cost(usd=None) == "Cost: 25 to 50 node-minutes, price unknown."
    assert cost(node_minutes=(0, 0), usd=(Decimal(0), Decimal(0))) == (
        "Cost: 0 node-minutes, 0.00 USD."
    )
    assert cost(node_minutes=None) == (
        "Cost: 66.05 USD for each hour in which the nodes do no work."
    )
    assert cost(node_minutes=None, usd_per_hour=None) == (
        "Cost: unknown, because the time or a price is."
    )
    assert cost(warnings=("no spare",)) == "warning: no spare"
    unknown = plan_text(replace(plan, jobs=None)).splitlines()
    assert "The jobs on the nodes are unknown." in unknown


def test_results(tmp_path: Path) -> None:
    results = (
        NodeResult("ip-workers-1", "workers", "i-1", "i-9", "done", "it runs"),
        NodeResult("ip-workers-2", "workers", "i-2", None, "refused", "it is Pending"),
    )
    assert node_text(NodeReport(planned(tmp_path), results)) == (
        "ip-workers-1  i-1 (now i-9)  done     it runs\n"
        "ip-workers-2  i-2            refused  it is Pending\n"
        "1 node refused or failed\n"
    )
