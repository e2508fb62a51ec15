"""Dollars of a candidate: known rates, whole purchases, unknown prices."""

from __future__ import annotations

import datetime as dt

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing import offers
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.goal import parse
from clusterwright.sizing.hardware import of_accelerator, of_instance_type
from clusterwright.sizing.plan_types import Candidate, Quantiles

CATALOG = load_catalog()
DAY = dt.date(2026, 11, 20)


def _candidate(
    instance_type: str = "p5.48xlarge", nodes: int = 64, p50: float = 50.0
) -> Candidate:
    days = Quantiles(p50 * 0.8, p50, p50 * 1.4)
    return Candidate(
        hardware=of_instance_type(instance_type, CATALOG),
        nodes=nodes,
        accelerators=nodes * 8,
        layout=None,
        memory=None,
        step=None,
        days=days,
    )


def _offers(candidate: Candidate, *kinds: str, region: str = "us-east-1", spares: int = 0):  # type: ignore[no-untyped-def]
    return offers.offers(candidate, kinds, CATALOG, region=region, today=DAY, spares=spares)


def test_on_demand_is_rate_times_nodes_times_hours() -> None:
    (offer,) = _offers(_candidate(), "on-demand", spares=2)
    assert offer.rate is not None
    assert offer.rate.usd_per_hour is not None
    rate = float(offer.rate.usd_per_hour)
    assert rate > 0
    assert offer.usd is not None
    assert offer.usd.p50 == pytest.approx(66 * 50 * 24 * rate)
    assert offer.usd.p90 == pytest.approx(66 * 70 * 24 * rate)


def test_missing_regional_price_is_reported() -> None:
    (offer,) = _offers(_candidate(), "on-demand", region="us-west-2")
    assert offer.usd is None
    assert "us-west-2" in (offer.unknown or "")
    assert offers.cheapest([offer], 1000) is None


def test_plan_is_paid_completely_and_an_old_offer_is_a_hint() -> None:
    (offer,) = _offers(_candidate(nodes=60), "training-plan", spares=2)
    assert offer.usd is None
    assert offer.purchase is not None
    # 62 nodes for 70 days at P90: 32 + 16 + 8 + 4 + 2, by the day.
    assert offer.purchase.paid_instance_days == 62 * 70
    assert offer.hint_usd is not None
    assert offer.rate is not None
    assert offer.hint_usd == pytest.approx(62 * 70 * 24 * float(offer.rate.hint_usd_per_hour))
    assert any("a hint" in text for text in offer.cautions)


def test_hints_and_unknowns_are_never_ranked() -> None:
    found = [
        *_offers(_candidate(nodes=128, p50=30), "on-demand", "training-plan", "spot"),
        *_offers(_candidate("p6-b200.48xlarge", 32), "on-demand"),
        *_offers(_candidate(nodes=64, p50=59), "on-demand"),
    ]
    priced, unknown = offers.ranked(found)
    assert [one.candidate.nodes for one in priced] == [64, 128]
    assert {one.capacity_kind for one in unknown} == {"training-plan", "spot", "on-demand"}
    best = offers.cheapest(found, 60)
    assert best is priced[0]
    # The cheaper one is too late for a tighter deadline.
    tighter = offers.cheapest(found, 45)
    assert tighter is not None
    assert tighter.candidate.nodes == 128


def test_an_accelerator_without_a_type_has_no_rate() -> None:
    bare = Candidate(
        hardware=of_accelerator("H800", CATALOG),
        nodes=8,
        accelerators=64,
        layout=None,
        memory=None,
        step=None,
        days=Quantiles(1, 2, 3),
    )
    (offer,) = _offers(bare, "on-demand")
    assert offer.usd is None
    assert "H800" in (offer.unknown or "")


def test_unknown_kinds_are_errors() -> None:
    with pytest.raises(GoalError):
        _offers(_candidate(), "rented-from-a-friend")
    assert parse({"model": "llama3-8b", "capacity": ["spot"]}).capacity == ("spot",)
