"""Hourly rates of instances."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cost.rates import hourly_rate

TODAY = dt.date(2026, 11, 20)


@pytest.mark.parametrize(
    ("name", "kind", "region", "platform", "usd", "hint"),
    [
        ("p5.48xlarge", "on-demand", "us-east-1", "hyperpod-slurm", "66.048", None),
        ("p5.48xlarge", "on-demand", "us-east-1", "eks", "55.04", None),
        ("p5.48xlarge", "reservation", "us-east-1", "parallelcluster", "55.04", None),
        ("p5.48xlarge", "on-demand", "us-west-2", "hyperpod-slurm", None, None),
        ("p5.48xlarge", "on-demand", "us-west-2", "eks", "55.04", None),
        ("p5.48xlarge", "spot", "us-east-1", "eks", None, None),
        ("p5.48xlarge", "training-plan", "us-east-1", "hyperpod-slurm", None, "45.7675"),
        ("p5.48xlarge", "capacity-block", "us-east-1", "eks", None, "41.528"),
        ("p5e.48xlarge", "on-demand", "us-east-1", "eks", None, None),
        ("no.such", "on-demand", "us-east-1", "eks", None, None),
    ],
)
def test_a_rate_is_known_or_has_a_reason(
    name: str, kind: str, region: str, platform: str, usd: str | None, hint: str | None
) -> None:
    rate = hourly_rate(load_catalog(), name, kind, region, platform=platform, today=TODAY)
    assert rate.usd_per_hour == (None if usd is None else Decimal(usd))
    assert rate.hint_usd_per_hour == (None if hint is None else Decimal(hint))
    assert rate.known is (rate.reason is None) is (rate.settle_with is None)
    if rate.known:
        assert rate.origin == "catalogue"
        assert rate.source
        assert rate.age_days is not None
        assert rate.stale is (rate.age_days > 90)


def test_user_rates_take_precedence() -> None:
    entry = {
        "instance_type": "p5.48xlarge", "kind": "training-plan", "region": "us-east-1", "usd": 40,
        "unit": "instance-hour", "source": "s", "date": "2026-11-01",
    }  # fmt: skip
    catalog = load_catalog(prices_override=[entry])
    arguments: dict[str, Any] = {"platform": "hyperpod-slurm", "today": TODAY}
    rate = hourly_rate(catalog, "p5.48xlarge", "training-plan", "us-east-1", **arguments)
    assert (rate.usd_per_hour, rate.origin, rate.age_days) == (40, "user", 19)
    monthly = load_catalog(prices_override=[{**entry, "unit": "instance-month"}])
    rate = hourly_rate(monthly, "p5.48xlarge", "training-plan", "us-east-1", **arguments)
    assert (rate.usd_per_hour, rate.known) == (None, False)
    with pytest.raises(ValueError, match="is not a kind of capacity"):
        hourly_rate(catalog, "p5.48xlarge", "mix", "us-east-1", **arguments)
