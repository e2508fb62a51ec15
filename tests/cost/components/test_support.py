"""The support plan of the account."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import SpecErrors
from clusterwright.cluster_spec.document import parse_document
from clusterwright.cost.bill import Bill
from clusterwright.cost.components.support import charge
from clusterwright.cost.estimate import estimate
from clusterwright.cost.terms import Terms
from clusterwright.cost.user_prices import parse
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


P5 = Decimal("66.048")
ENDPOINTS = 730 * 9 * Decimal("0.01")
"""The interface endpoints of the spec, USD a month."""


def terms(text: str) -> Terms:
    return parse(parse_document(text, "prices.yaml")).terms


def bill_of(
    folder: Path, changes: dict[str, Any] | None = None, text: str = "", **more: Any
) -> Bill:
    spec = specs.load(folder, changes)
    own = parse(parse_document(text or "usage: {}", "prices.yaml"))
    catalog = load_catalog(prices_override=own.rates)
    return estimate(spec.cluster, catalog, today=TODAY, terms=own.terms, usage=own.usage, **more)


class TestSupport:
    """10 % up to 10,000 USD, 7 % up to 80,000, 3 % above, at least 100."""

    TIERS = "[{up_to_usd: 10000, percent: 10}, {up_to_usd: 80000, percent: 7}, {percent: 3}]"

    def text(self, tiers: str = TIERS, **more: Any) -> str:
        keys = "".join(f", {key}: {value}" for key, value in more.items())
        return f"support: {{tiers: {tiers}, source: s, date: 2026-11-01{keys}}}\n"

    @pytest.mark.parametrize(
        ("spending", "usd"),
        [(0, 100), (500, 100), (10_000, 1000), (20_000, 1700), (80_000, 5900), (180_000, 8900)],
    )
    def test_each_tier_charges_its_share(self, spending: int, usd: int) -> None:
        plan = terms(self.text(minimum_usd=100)).support
        assert plan is not None
        assert charge(plan, Decimal(spending)) == usd

    def test_charge_is_the_increase_caused_by_the_cluster(self, tmp_path: Path) -> None:
        month = 4 * P5 * 730 + ENDPOINTS
        alone = {line.component: line for line in bill_of(tmp_path, text=self.text()).lines}
        assert alone["support"].monthly_usd == 5900 + (month - 80_000) * Decimal("0.03")
        beside = bill_of(tmp_path, text=self.text(other_monthly_usd=80_000))
        share = {line.component: line for line in beside.lines}["support"]
        assert share.monthly_usd == month * Decimal("0.03")
        assert (share.origin, share.known) == ("user", True)
        assert beside.total.monthly_usd == month * Decimal("1.03")

    @pytest.mark.parametrize(
        ("tiers", "message"),
        [
            ("[]", "expected a list of tiers"),
            ("[{percent: 10}, {percent: 5}]", "the previous tier has no upper limit"),
            ("[{up_to_usd: 10, percent: 10}]", "the last tier must not have `up_to_usd`"),
            (
                "[{up_to_usd: 10, percent: 1}, {up_to_usd: 5, percent: 1}, {percent: 1}]",
                "must increase",
            ),
            ("[{percent: -1}]", "expected a percentage"),
            ("[1]", "must be a mapping"),
        ],
    )
    def test_invalid_tiers_are_errors(self, tiers: str, message: str) -> None:
        with pytest.raises(SpecErrors, match=message):
            terms(self.text(tiers))
