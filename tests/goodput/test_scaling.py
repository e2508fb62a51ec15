"""Throughput, efficiency, knee and cost by number of nodes."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.collectives import InspectorFile, Operation
from clusterwright.goodput.report import RecordedPlan
from tests.support.goodput_reports import PLAN, PRICES, scaling
from tests.support.training_logs import BATCH, SEQ_LEN


def test_efficiency_and_knee() -> None:
    found = scaling({1: 80.0, 2: 42.0, 4: 24.0, 8: 16.0})
    assert [p.nodes for p in found.points] == [1, 2, 4, 8]
    assert [p.efficiency for p in found.points] == pytest.approx([1, 40 / 42, 20 / 24, 10 / 16])
    assert (found.knee, found.exit_code) == (4, 0)
    assert [one.what for one in found.unknown] == [
        "prediction on 1, 4, 8 nodes",
        "the collective that dominates",
    ]
    speed = BATCH * SEQ_LEN / 24
    point = found.points[2]
    assert (point.tokens_per_second, point.step_seconds) == (speed, 24.0)
    assert point.mfu == pytest.approx(speed * 42e9 / (32 * 989.5e12))
    assert point.usd_per_billion_tokens == pytest.approx(4 * 36 / 3600 / speed * 1e9)


def test_no_knee() -> None:
    assert scaling({1: 80.0, 2: 41.0}).knee is None


def test_one_size_answers_nothing() -> None:
    assert scaling({2: 40.0}).exit_code == 2
    found = scaling({})
    assert (found.points, found.exit_code) == ((), 2)
    assert found.unknown[0].what == "throughput"


def test_number_of_nodes_of_the_accounting_counts() -> None:
    jobs = [
        JobRecord(n, "t", None, None, 1.0, 2.0, "", int(n) // 10, "", "") for n in ("10", "20")
    ]
    found = scaling({10: 80.0, 20: 42.0}, records=jobs)
    assert [(p.nodes, p.files) for p in found.points] == [(1, ("n10.out",)), (2, ("n20.out",))]


def test_unknown_number_of_nodes() -> None:
    found = scaling({1: 80.0, 2: 40.0}, prices=PRICES.__class__(None, None, None, "types differ"))
    assert found.points == ()
    assert [one.what for one in found.unknown][:2] == ["nodes of n1.out", "nodes of n2.out"]


def test_what_was_trained_is_stated_for_plans() -> None:
    found = scaling({1: 80.0, 2: 42.0})
    assert found.instance_type == "p5.48xlarge"
    assert found.workload is not None
    assert found.workload.seq_len == SEQ_LEN
    assert [point.tokens_per_step for point in found.points] == [BATCH * SEQ_LEN] * 2


def plan(nodes: int, tokens_per_second: float, **changes: Any) -> RecordedPlan:
    """A plan that predicts this throughput: 42 GFLOPs a token, 989.5 TFLOP/s, 8 a node."""
    mfu = tokens_per_second * 42e9 / (nodes * 8 * 989.5e12)
    estimate = PLAN["estimate"] | {"accelerators": nodes * 8, "in_run_mfu": {"p50": mfu}}
    return RecordedPlan(f"n{nodes}.json", PLAN | {"estimate": estimate} | changes)


def test_the_knee_against_the_plan() -> None:
    speed = BATCH * SEQ_LEN
    # Against the smallest run 8 nodes have 62.5 %, the plan predicts that.
    found = scaling(
        {2: 80.0, 4: 48.0, 8: 32.0, 16: 40.0},
        plan=plan(8, speed / 31),
        further=[plan(4, speed / 48), plan(16, speed / 20), plan(16, 1.0)],
    )
    assert (found.knee, found.knee_of_plan) == (4, 16)
    assert [p.of_predicted for p in found.points] == [
        None,
        pytest.approx(1),
        pytest.approx(31 / 32),
        pytest.approx(0.5),
    ]
    assert found.plan is not None
    assert found.plan.nodes == 8
    unknown = {one.what: one for one in found.unknown}
    assert "prediction on 2 nodes" in unknown


def test_no_knee_against_the_plan() -> None:
    fast = plan(2, BATCH * SEQ_LEN / 50)
    assert scaling({1: 80.0, 2: 41.0}, plan=fast).knee_of_plan is None
    found = scaling({1: 80.0, 4: 41.0}, plan=None)
    assert found.knee_of_plan is None
    unknown = {one.what: one.reason for one in found.unknown}
    assert unknown["knee against the plan"] == "there is no plan"


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (plan(4, 1.0, candidates=[{"chosen": True, "instance_type": "p4d.24xlarge"}]), "p4d.24xl"),
        (plan(4, 1.0, seq_len=8192), "of another training than n2.json"),
        (plan(4, 1.0, candidates=[]), "it has no chosen candidate with an instance type"),
        (plan(4, 1.0, training_flops=None), "no throughput"),
        (plan(4, 1e300), "or an impossible one"),
        (plan(4, 1.0, tokens=10**400), "no throughput"),
    ],
)
def test_plans_of_something_else_predict_nothing(other: RecordedPlan, reason: str) -> None:
    found = scaling({2: 80.0, 4: 48.0}, plan=plan(2, 1.0), further=[other])
    assert found.points[1].predicted_tokens_per_second is None
    unknown = {one.what: one.reason for one in found.unknown}
    assert reason in unknown["throughput of n4.json"]
    reason = "no plan that can be used is for this number of nodes"
    assert unknown["prediction on 4 nodes"] == reason


def test_a_second_plan_for_the_same_number_of_nodes_is_named() -> None:
    second = RecordedPlan("other.json", plan(2, 5.0).document)
    found = scaling({2: 80.0}, plan=plan(2, 1.0), further=[second])
    assert found.points[0].predicted_tokens_per_second == pytest.approx(1)
    unknown = {one.what: one.reason for one in found.unknown}
    reason = "n2.json, which comes first, is for 2 nodes too"
    assert unknown["throughput of other.json"] == reason


def test_a_plan_beside_a_cluster_of_several_types_says_why_it_is_not_used() -> None:
    prices = PRICES.__class__(None, None, None, "types differ")
    unknown = {one.what: one.reason for one in scaling({2: 80.0}, prices=prices).unknown}
    assert unknown["throughput of prod.plan.json"] == "it is for p5.48xlarge, types differ"


def test_files_of_inspector_belong_to_the_runs_of_their_folders() -> None:
    files = [
        InspectorFile(
            f"n{nodes}/a.log", (Operation(name, 8, 3.0, 1), Operation("Send", 8, 1.0, 1))
        )
        for nodes, name in ((1, "AllReduce"), (2, "AllGather"))
    ]
    found = scaling({1: 80.0, 2: 42.0}, inspector=files)
    assert [(one.nodes, one.operation, one.share) for one in found.dominant] == [
        (1, "AllReduce", 0.75),
        (2, "AllGather", 0.75),
    ]
    assert [one.what for one in found.unknown] == ["prediction on 1 node"]


def test_runs_without_files_of_inspector_are_named() -> None:
    jobs = [JobRecord("9", "t", None, None, 1.0, 2.0, "", 64, "", "")]
    files = [InspectorFile("n1/a.log", (Operation("AllReduce", 8, 3.0, 1),))]
    found = scaling({1: 80.0, 2: 42.0}, records=jobs, inspector=files)
    whats = [one.what for one in found.unknown if "collective" in one.what]
    # The job on 64 nodes is no run of the sweep.
    assert whats == ["the collective that dominates on 2 nodes"]


def test_files_of_inspector_belong_to_jobs_of_the_accounting() -> None:
    jobs = [
        JobRecord(n, "t", None, None, 1.0, 2.0, "", int(n) // 10, "", "") for n in ("10", "20")
    ]
    means = InspectorFile("a.prom", (Operation("AllReduce", 8, 3.0, None),), "20")
    found = scaling({10: 80.0, 20: 42.0}, records=jobs, inspector=[means])
    (one,) = found.dominant
    assert (one.nodes, one.operation, one.share, one.longest) == (2, None, None, "AllReduce")
