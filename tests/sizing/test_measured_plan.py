"""Plans with measured runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.measurement import Measurement, Throughput, Workload
from clusterwright.sizing.plan_types import NarrowedQuantity, Narrowing, Plan
from clusterwright.sizing.report import Questions
from clusterwright.sizing.report_types import PlanReport
from tests.support.plan_reports import plan_report

P5 = {"instance_type": "p5.48xlarge", "nodes": 64}
WORKLOAD = Workload("llama3-70b", 70.55e9, 8192, "bf16", "from-scratch")


def run(tokens_per_second: float | None = 500_000, nodes: int = 64, **changes: Any) -> Measurement:
    rates = () if tokens_per_second is None else (Throughput(nodes, tokens_per_second, 1),)
    found = Measurement(
        file="run.json",
        command="report goodput",
        instance_type="p5.48xlarge",
        workload=WORKLOAD,
        throughputs=rates,
    )
    return replace(found, **changes)


def planned(*measured: Measurement, **goal: Any) -> PlanReport:
    questions = Questions(measured=measured)
    return plan_report(questions, **{"cluster": P5, "deadline": None, **goal})


def narrowing(plan: Plan) -> Narrowing:
    assert plan.narrowing is not None
    return plan.narrowing


def quantity(report: PlanReport, key: str) -> NarrowedQuantity:
    return next(one for one in narrowing(report.plan).quantities if one.key == key)


@pytest.fixture(scope="module")
def without() -> Plan:
    return planned().plan


def test_a_throughput_narrows_the_days(without: Plan) -> None:
    plan = planned(run()).plan
    found = narrowing(plan)
    assert found.days_before == without.estimate.days
    assert found.days_after == plan.estimate.days
    assert found.narrower > 0.4
    rate = plan.estimate.in_run_mfu
    expected = 6 * plan.shape.active * 500_000 / (512 * 989.5e12)
    assert rate.p10 < expected < rate.p90
    keys = [one.key for one in plan.assumptions]
    assert keys[0] == "throughput"
    assert not {"practice", "stack", "model_error", "network"} & set(keys)
    assert {swing.key for swing in plan.tornado} == set(keys)
    assert plan.chosen.days == plan.estimate.days


def test_more_runs_narrow_more() -> None:
    one, four = planned(run()), planned(run(), run(), run(), run())
    assert quantity(four, "throughput").count == 4
    assert quantity(four, "throughput").narrower > quantity(one, "throughput").narrower
    assert narrowing(four.plan).narrower > narrowing(one.plan).narrower


def test_a_slower_run_makes_a_longer_plan() -> None:
    slow, fast = planned(run(350_000)).plan, planned(run(550_000)).plan
    assert slow.estimate.days.p10 > fast.estimate.days.p10
    assert slow.estimate.days.p50 > fast.estimate.days.p50
    assert slow.estimate.days.p90 > fast.estimate.days.p90


def test_a_run_outside_the_interval_is_followed_and_said() -> None:
    report = planned(run(100_000))
    rate = quantity(report, "throughput")
    assert rate.outside
    assert rate.after.p10 <= 100_000 <= rate.after.p90
    assert any("outside the plan's interval" in note for note in narrowing(report.plan).notes)


def test_another_number_of_nodes_is_scaled_and_narrows_no_more() -> None:
    same, other = planned(run()), planned(run(125_000, nodes=16))
    assert any("scaled by the step model to 64" in n for n in narrowing(other.plan).notes)
    rate = quantity(other, "throughput")
    assert rate.after.p10 < rate.measured < rate.after.p90
    assert 450_000 < rate.measured < 500_000
    assert 0 < rate.narrower <= quantity(same, "throughput").narrower + 0.01


def test_the_nearest_of_several_sizes_is_used() -> None:
    rates = (Throughput(8, 60_000, 1), Throughput(64, 480_000, 3))
    report = planned(run(throughputs=rates))
    rate = quantity(report, "throughput")
    assert (rate.measured, rate.count) == (pytest.approx(480_000), 3)
    assert any("of 2 measured sizes" in note for note in narrowing(report.plan).notes)


def test_failures_checkpoints_and_restarts_narrow_the_goodput(without: Plan) -> None:
    measured = run(
        None,
        failures=40,
        node_days=4000.0,
        save_seconds=20.0,
        saves=50,
        restart_minutes=(9.0, 10.0, 11.0),
    )
    report = planned(measured)
    keys = {one.key: one for one in narrowing(report.plan).quantities}
    assert set(keys) == {"failures", "save", "restart"}
    for one in keys.values():
        assert one.after.p10 <= one.measured <= one.after.p90
        assert one.narrower > 0.2
    assert keys["failures"].measured == 0.01
    assert report.plan.estimate.goodput.p50 < without.estimate.goodput.p50
    assert report.failures is not None
    assert report.failures.mtti_hours.p50 == pytest.approx(24 / (64 * keys["failures"].after.p50))
    assert report.failures.setup.failures_per_node_day == keys["failures"].after.p50
    assert any(one.key == "practice" for one in report.plan.assumptions)


def test_nothing_measured_changes_nothing(without: Plan) -> None:
    plan = planned(run(None, unknown=("throughput: run.json states no nodes",))).plan
    assert plan.estimate == without.estimate
    assert narrowing(plan).quantities == ()
    assert narrowing(plan).narrower == 0.0
    assert narrowing(plan).unknown == ("throughput: run.json states no nodes",)


def test_what_is_not_stated_is_assumed_and_said() -> None:
    report = planned(run(instance_type=None, workload=Workload(seq_len=8192)))
    assert narrowing(report.plan).notes == (
        "run.json does not state instance type, model, precision and kind of training: assumed to "
        "be as planned",
    )


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (run(instance_type="p4d.24xlarge"), "p4d.24xlarge, and the plan is for p5.48xlarge"),
        (
            run(workload=replace(WORKLOAD, model="llama3-8b", params=8.03e9)),
            "llama3-8b, 8.03e+09 parameters, and the plan is for 7.055e+10",
        ),
        (run(workload=replace(WORKLOAD, seq_len=4096)), "sequence length 4096"),
        (run(workload=replace(WORKLOAD, precision="fp8")), "precision fp8"),
        (run(workload=replace(WORKLOAD, kind="lora")), "kind of training lora"),
        (run(5_000_000), "the matmul ceiling of H100 allows"),
        (run(1_000, nodes=1), "the planner finds no layout"),
    ],
)
def test_other_runs_are_refused(measured: Measurement, said: str) -> None:
    with pytest.raises(GoalError) as error:
        planned(measured)
    assert said in error.value.message
    assert error.value.field == "measured"
    assert error.value.hint


@pytest.mark.parametrize(
    "cluster", [{}, {"instance_type": "p5.48xlarge"}, {"accelerator": "H100", "nodes": 8}]
)
def test_the_plan_must_name_a_cluster(cluster: dict[str, Any]) -> None:
    with pytest.raises(GoalError) as error:
        planned(run(), cluster=cluster)
    assert error.value.hint == "--instance-type p5.48xlarge --nodes 64"
