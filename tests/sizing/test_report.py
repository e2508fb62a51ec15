"""The whole answer to a goal: money decides where it is known; every question is answered."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.goal import ClusterGoal, parse
from clusterwright.sizing.ownership import Owned
from clusterwright.sizing.report import Questions, build_report
from clusterwright.sizing.report_types import PlanReport

DAY = dt.date(2026, 11, 20)
GOAL = {"model": "llama3-70b", "tokens": "15T", "deadline": "90d"}


def _build(questions: Questions | None = None, rates: object = None, **goal: Any) -> PlanReport:
    catalog = load_catalog(prices_override=rates)
    return build_report(parse({**GOAL, **goal}), catalog, today=DAY, questions=questions)


@pytest.fixture(scope="module")
def east() -> PlanReport:
    return _build(region="us-east-1")


def test_the_cheapest_in_time_is_chosen_and_the_others_say_by_how_much(east: PlanReport) -> None:
    chosen = east.plan.chosen
    usd = east.plan.estimate.usd
    assert usd is not None
    assert chosen.days is not None
    assert chosen.days.p50 <= 90
    in_time = [one for one in east.priced if one.candidate.days and one.candidate.days.p50 <= 90]
    assert chosen.hardware.name == in_time[0].candidate.hardware.name
    assert usd.p50 == pytest.approx(in_time[0].usd.p50 if in_time[0].usd else 0, rel=0.05)
    notes = {one.hardware.name: one.notes for one in east.plan.candidates if not one.chosen}
    assert any("times the dollars" in note for note in notes["p5en.48xlarge"])
    assert any("not ranked by price" in note for note in notes["p6-b200.48xlarge"])


def test_where_no_price_is_known_none_is_made_up() -> None:
    west = _build(region="us-west-2")
    assert west.priced == ()
    assert west.plan.estimate.usd is None
    assert "us-west-2" in (west.plan.estimate.usd_unknown or "")
    assert west.unpriced
    assert west.storage is not None
    assert west.storage.chosen.usd_per_month is None


def test_a_rate_of_the_user_s_makes_a_type_count() -> None:
    rate = {
        "instance_type": "p6-b200.48xlarge",
        "kind": "hyperpod-on-demand",
        "region": "us-west-2",
        "usd": "100.0",
        "unit": "instance-hour",
        "source": "contract 7",
        "date": "2026-11-01",
    }
    found = _build(rates=[rate], region="us-west-2")
    assert found.plan.chosen.hardware.name == "p6-b200.48xlarge"
    offer = found.chosen_offer
    assert offer is not None
    usd = found.plan.estimate.usd
    assert usd is not None
    assert usd.p50 == pytest.approx(found.plan.estimate.days.p50 * 24 * offer.nodes * 100)


def test_a_budget_that_nothing_meets_says_what_it_buys() -> None:
    with pytest.raises(GoalError) as caught:
        _build(region="us-east-1", budget_usd=1e6)
    assert "the budget is 1,000,000" in caught.value.message
    assert "% of the tokens" in (caught.value.hint or "")


def test_a_budget_below_the_p90_of_a_named_cluster_is_a_warning() -> None:
    cluster = {"instance_type": "p5.48xlarge", "nodes": 512}
    found = _build(region="us-east-1", cluster=cluster, budget_usd=5.5e7)
    assert "below the P90" in found.plan.warnings[0]
    assert [one.reached for one in found.levels] == ["yes", "yes", "yes", "no"]


def test_storage_takes_the_checkpoints_of_this_model(east: PlanReport) -> None:
    storage = east.storage
    assert storage is not None
    assert storage.checkpoint_bytes == pytest.approx(14 * east.plan.shape.params)
    assert storage.dataset_bytes == pytest.approx(4 * 15e12)


def test_only_adapters_are_saved_of_lora() -> None:
    found = build_report(
        parse(
            {
                "model": "llama3-70b",
                "tokens": "1B",
                "kind": "lora",
                "cluster": {"instance_type": "p5.48xlarge", "nodes": 1},
            }
        ),
        load_catalog(),
        today=DAY,
    )
    assert found.storage is not None
    assert found.storage.checkpoint_bytes < 0.05 * 14 * found.plan.shape.params
    assert found.launch is None


def test_recoveries_are_in_order_and_the_closed_form_is_beside_them(east: PlanReport) -> None:
    failures = east.failures
    assert failures is not None
    manual, automatic, checkpointless = failures.recoveries
    assert manual.simulated_mean < automatic.simulated_mean < checkpointless.simulated_mean
    for one in failures.recoveries:
        assert one.simulated.p10 <= one.simulated.p50 <= one.simulated.p90
        assert one.simulated_mean == pytest.approx(one.closed_form, abs=0.05)
    assert failures.mtti_hours.p50 == pytest.approx(24 / (east.plan.chosen.nodes * 3.8e-3))


def test_quotas_are_of_the_chosen_type_with_spares(east: PlanReport) -> None:
    assert east.failures is not None
    wanted = east.plan.chosen.nodes + east.failures.spares
    by_code = {quota.code: quota for quota in east.quotas}
    assert by_code["L-8762A75F"].wanted == wanted
    assert by_code["L-2CE978FC"].wanted == wanted + 2
    assert by_code["L-2CE978FC"].default == 20


def test_a_ramp_ends_with_the_run(east: PlanReport) -> None:
    found = _build(Questions(ramp_steps=(8, 64), starts=dt.date(2027, 3, 1)), region="us-east-1")
    assert [one.nodes for one in found.phases[:-1]] == [8, 64]
    assert found.phases[0].starts == dt.date(2027, 3, 1)
    assert all(one.usd is not None for one in found.phases)
    assert east.phases == ()


def test_owned_hardware_is_held_against_the_chosen_cluster() -> None:
    owned = Owned(purchase=2e8, watts=5e6, tariff_per_kwh=0.08, cooling=1.2)
    found = _build(Questions(owned=owned), region="us-east-1")
    assert found.owned is not None
    assert found.owned.cheaper == "owned"
    assert found.owned_run is None
    nowhere = _build(Questions(owned=owned), region="us-west-2")
    assert nowhere.owned is None
    assert any("buy or rent" in text for text in nowhere.unknown)


def test_named_hardware_is_held_against_the_rent_of_the_same_run() -> None:
    """Half as fast for the same run: an hour of it replaces half the rent."""
    owned = Owned(purchase=2e8, watts=5e6, tariff_per_kwh=0.08, cooling=1.2)
    mine = ClusterGoal.model_validate({"accelerator": "H100", "accelerators": 1024})
    found = _build(Questions(owned=owned, owned_cluster=mine), region="us-east-1")
    assert found.owned is not None
    assert found.owned_run is not None
    assert found.owned_run.days is not None
    assert found.plan.estimate.usd is not None
    hours = found.owned_run.days.p50 * 24
    rent = found.plan.estimate.usd.p50 / hours
    assert found.owned.rented_total == pytest.approx(rent * 3 * 8760)
    cards = ClusterGoal.model_validate({"accelerator": "RTX-A6000", "accelerators": 64})
    refused = _build(Questions(owned=owned, owned_cluster=cards), region="us-east-1")
    assert refused.owned is None
    assert any(
        "on the hardware you own" in text and "--network-gbps" in text for text in refused.unknown
    )
    slow = ClusterGoal.model_validate({"accelerator": "H100", "accelerators": 64})
    late = _build(Questions(owned=owned, owned_cluster=slow), region="us-east-1")
    assert late.owned is None
    assert any("days of their life" in text for text in late.unknown)


def test_charts_have_a_front_that_nothing_beats() -> None:
    found = _build(Questions(charts=True), region="us-east-1")
    assert found.charts is not None
    front = [one for one in found.charts.front if one.on_front]
    assert front
    for one in front:
        for other in found.charts.front:
            if other.usd_p50 is None or one.usd_p50 is None:
                continue
            better = other.days_p50 < one.days_p50 and other.usd_p50 < one.usd_p50
            assert not better
    assert found.charts.run is not None


def test_the_same_goal_gives_the_same_answer(east: PlanReport) -> None:
    assert _build(region="us-east-1") == east
