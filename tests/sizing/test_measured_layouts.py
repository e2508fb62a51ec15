"""Measured layouts before those of the step model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clusterwright.sizing.measured_layouts import column_of
from clusterwright.sizing.measurement import MeasuredLayout, Measurement, Throughput, Workload
from clusterwright.sizing.plan_types import Layout, Plan
from clusterwright.sizing.report import Questions
from tests.support.plan_reports import plan_report

P5 = {"instance_type": "p5.48xlarge", "nodes": 64}


def planned(*measured: Measurement) -> Plan:
    return plan_report(Questions(measured=measured), cluster=P5, deadline=None).plan


def sweep(*found: MeasuredLayout) -> Measurement:
    speeds = [(one.tokens_per_second, one) for one in found if one.tokens_per_second is not None]
    fastest, one = max(speeds, key=lambda each: each[0])
    return Measurement(
        file="layouts.json",
        command="report layouts",
        instance_type="p5.48xlarge",
        workload=Workload("llama3-70b", 70.55e9, 8192, "bf16", "from-scratch"),
        throughputs=(Throughput(one.nodes, fastest, 1, None, one.layout),),
        layouts=found,
    )


@pytest.fixture(scope="module")
def without() -> Plan:
    return planned()


@pytest.fixture(scope="module")
def every(without: Plan) -> list[Layout]:
    return [one.layout for one in without.candidates if one.layout is not None]


def notes(plan: Plan) -> tuple[str, ...]:
    assert plan.narrowing is not None
    return plan.narrowing.notes


def test_the_fastest_measured_layout_is_chosen(without: Plan, every: list[Layout]) -> None:
    first, second, third = every[:3]
    plan = planned(
        sweep(
            MeasuredLayout(first, 64, 400_000),
            MeasuredLayout(second, 64, 500_000),
            MeasuredLayout(third, 64, 450_000),
        )
    )
    found = [one.layout for one in plan.candidates[:3]]
    assert found == [second, third, first]
    assert plan.candidates[1].notes == ("11% slower, measured",)
    assert plan.candidates[2].notes == ("25% slower, measured",)
    assert plan.chosen.layout == second
    assert plan.chosen.step != without.chosen.step
    assert plan.narrowing is not None
    assert plan.narrowing.narrower > 0.4
    rate = next(one for one in plan.narrowing.quantities if one.key == "throughput")
    assert rate.measured == pytest.approx(500_000)
    assert rate.count == 1
    assert notes(plan)[0] == (
        f"layout: {second.text} is chosen, the fastest of 3 measured; {first.text} of the step "
        "model is 25% slower"
    )


def test_the_planned_layout_may_stay(every: list[Layout]) -> None:
    plan = planned(
        sweep(MeasuredLayout(every[0], 64, 500_000), MeasuredLayout(every[1], 64, 400_000))
    )
    assert plan.chosen.layout == every[0]
    assert notes(plan)[0] == f"layout: {every[0].text} stays chosen, the fastest of 2 measured"


def test_a_layout_without_memory_is_left_out(every: list[Layout]) -> None:
    plan = planned(
        sweep(MeasuredLayout(every[0], 64, None), MeasuredLayout(every[1], 64, 450_000))
    )
    assert every[0] not in [one.layout for one in plan.candidates]
    assert plan.chosen.layout == every[1]
    assert f"layout: {every[0].text} ran out of memory and is left out" in notes(plan)
    assert any("was not measured" in note for note in notes(plan))


def test_an_unmeasured_layout_that_should_be_faster_is_said(every: list[Layout]) -> None:
    plan = planned(sweep(MeasuredLayout(every[1], 64, 450_000)))
    others = {one.layout: one.notes for one in plan.candidates[1:]}
    assert others[every[0]][0].startswith("not measured; ")
    assert others[every[0]][0].endswith("faster by the step model")


def test_a_layout_that_the_planner_does_not_know_changes_no_layout(every: list[Layout]) -> None:
    other = replace(every[0], micro_batch=77)
    plan = planned(sweep(MeasuredLayout(other, 64, 450_000)))
    assert plan.chosen.layout == every[0]
    assert any("is not one of the layouts of the planner" in note for note in notes(plan))
    assert plan.narrowing is not None
    assert plan.narrowing.quantities[0].measured == pytest.approx(450_000)


def test_a_sweep_on_other_nodes_gives_its_throughput_only(every: list[Layout]) -> None:
    fewer = replace(every[0], data=every[0].data // 4)
    plan = planned(sweep(MeasuredLayout(fewer, 16, 120_000)))
    assert plan.chosen.layout == every[0]
    assert any("scaled by the step model to 64" in note for note in notes(plan))


def test_the_share_of_a_json_is_rounded(every: list[Layout]) -> None:
    from clusterwright.sizing.layouts import one

    layout = replace(every[0], recompute="full", recompute_share=1 / 3)
    assert column_of(one(layout), replace(layout, recompute_share=0.3333)) == 0
    assert column_of(one(layout), replace(layout, recompute_share=0.5)) is None
