"""Choice of the candidate by price."""

from __future__ import annotations

import pytest

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.report_types import PlanReport
from tests.support.plan_reports import plan_report


def test_cheapest_candidate_in_time_is_chosen(east: PlanReport) -> None:
    chosen = east.plan.chosen
    usd = east.plan.estimate.usd
    assert usd is not None
    assert chosen.days is not None
    assert chosen.days.p50 <= 90
    in_time = [one for one in east.priced if one.candidate.days and one.candidate.days.p50 <= 90]
    assert chosen.hardware.name == in_time[0].candidate.hardware.name
    # The estimate and the list of prices show the same interval.
    assert in_time[0].usd is not None
    for name in ("p10", "p50", "p90"):
        assert getattr(usd, name) == pytest.approx(getattr(in_time[0].usd, name))
    notes = {one.hardware.name: one.notes for one in east.plan.candidates if not one.chosen}
    assert any("times the dollars" in note for note in notes["p5en.48xlarge"])
    assert any("not ranked by price" in note for note in notes["p6-b200.48xlarge"])


def test_unknown_prices_stay_unknown() -> None:
    unpriced = plan_report(region="sa-east-1")
    assert unpriced.priced == ()
    assert unpriced.plan.estimate.usd is None
    assert "sa-east-1" in (unpriced.plan.estimate.usd_unknown or "")
    assert unpriced.unpriced
    assert unpriced.storage is not None
    assert unpriced.storage.chosen.usd_per_month is None


def test_a_user_rate_makes_a_type_eligible() -> None:
    rate = {
        "instance_type": "p6-b200.48xlarge",
        "kind": "hyperpod-on-demand",
        "region": "us-west-2",
        "usd": "100.0",
        "unit": "instance-hour",
        "source": "contract 7",
        "date": "2026-11-01",
    }
    found = plan_report(rates=[rate], region="us-west-2")
    assert found.plan.chosen.hardware.name == "p6-b200.48xlarge"
    offer = found.chosen_offer
    assert offer is not None
    usd = found.plan.estimate.usd
    assert usd is not None
    assert usd.p50 == pytest.approx(found.plan.estimate.days.p50 * 24 * offer.nodes * 100)


def test_an_insufficient_budget_has_a_hint() -> None:
    with pytest.raises(GoalError) as caught:
        plan_report(region="us-east-1", budget_usd=1e6)
    assert "the budget is 1,000,000" in caught.value.message
    assert "% of the tokens" in (caught.value.hint or "")
