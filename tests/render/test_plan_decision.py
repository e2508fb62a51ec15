"""Risks, decisions and next steps of a plan."""

from __future__ import annotations

import pytest

from clusterwright.render.plan_decision import decisions, next_steps, risks
from clusterwright.sizing.report_types import PlanReport
from tests.support.plan_reports import plan_report


@pytest.fixture(scope="module")
def east() -> PlanReport:
    return plan_report(region="us-east-1", budget_usd=1e9)


def test_every_risk_has_an_effect_and_a_remedy(east: PlanReport) -> None:
    found = {one.what: one for one in risks(east)}
    assert {"Late", "Quotas", "Node failures", "Throughput"} <= set(found)
    assert all(one.effect and one.remedy for one in found.values())
    assert "missed at P90" in found["Late"].effect
    assert "L-2CE978FC" in found["Quotas"].effect
    assert "Cost unknown" not in found


def test_a_deadline_met_at_p90_is_no_risk() -> None:
    found = plan_report(region="us-east-1", deadline_at="p90")
    assert "Late" not in {one.what for one in risks(found)}


def test_an_unknown_price_is_a_risk_and_a_decision() -> None:
    unpriced = plan_report(region="sa-east-1", budget_usd=1e6)
    found = {one.what: one for one in risks(unpriced)}
    assert "sa-east-1" in found["Cost unknown"].effect
    assert "unknown" in found["Over budget"].effect
    assert any("rate" in text for text in decisions(unpriced))
    assert "prices.yaml" in next_steps(unpriced)[0]


def test_decisions_state_days_and_dollars(east: PlanReport) -> None:
    text = " ".join(decisions(east))
    usd = east.plan.estimate.usd
    assert usd is not None
    assert f"{usd.p50:,.0f} USD" in text
    assert f"{east.plan.estimate.days.p50:,.1f} days" in text
    assert "kind of capacity" in text


def test_next_steps_lead_to_a_checked_spec(east: PlanReport) -> None:
    steps = next_steps(east)
    assert "--write" in steps[0]
    assert any("--request-quotas" in step for step in steps)


def test_without_a_region_the_next_step_is_to_name_one() -> None:
    assert "Name a region" in next_steps(plan_report())[-1]
