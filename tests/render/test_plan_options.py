"""The options of a plan as rows."""

from __future__ import annotations

import pytest

from clusterwright.render.plan_options import impossible, options, same_cluster
from clusterwright.sizing.report_types import PlanReport
from tests.support.plan_reports import plan_report


@pytest.fixture(scope="module")
def east() -> PlanReport:
    return plan_report(region="us-east-1")


def test_the_chosen_cluster_is_first_then_the_others_by_price(east: PlanReport) -> None:
    rows = options(east)
    assert [row.chosen for row in rows] == [True] + [False] * (len(rows) - 1)
    priced = [row.usd.p50 for row in rows[1:] if row.usd is not None]
    assert priced == sorted(priced)
    assert len(priced) >= 2
    unpriced = [row for row in rows if row.usd is None]
    assert rows[-len(unpriced) :] == tuple(unpriced)
    assert all(row.capacity == "" for row in unpriced)


def test_the_chosen_row_has_the_dollars_of_the_estimate(east: PlanReport) -> None:
    first = options(east)[0]
    assert first.usd == east.plan.estimate.usd
    assert first.name == f"{east.plan.chosen.nodes:,} x {east.plan.chosen.hardware.name}"
    assert not same_cluster(east)


def test_impossible_types_have_their_reason(east: PlanReport) -> None:
    reasons = dict(impossible(east))
    assert "it is not offered in us-east-1" in reasons["trn2.48xlarge"]
    names = {name for row in reasons for name in row.split(", ")}
    refused = {one.hardware.name for one in east.plan.candidates if one.infeasible}
    assert names == refused


def test_options_of_one_cluster_are_layouts() -> None:
    found = plan_report(cluster={"instance_type": "p5.48xlarge", "nodes": 64})
    assert same_cluster(found)
    rows = options(found)
    assert len(rows) > 1
    assert len({row.name for row in rows}) == len(rows)
    assert "DP" in rows[1].name
    assert "slower" in rows[1].note
