"""Groups with several kinds of capacity."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import SpecErrors
from clusterwright.cluster_spec.document import parse_document
from clusterwright.cost.bill import Bill
from clusterwright.cost.estimate import estimate
from clusterwright.cost.user_prices import parse
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


P5 = Decimal("66.048")


PLAN = {"kind": "training-plan", "arn": specs.PLAN}


def bill_of(
    folder: Path, changes: dict[str, Any] | None = None, text: str = "", **more: Any
) -> Bill:
    spec = specs.load(folder, changes)
    own = parse(parse_document(text or "usage: {}", "prices.yaml"))
    catalog = load_catalog(prices_override=own.rates)
    return estimate(spec.cluster, catalog, today=TODAY, terms=own.terms, usage=own.usage, **more)


TWO_RATES = (
    "rates:\n"
    "  - {instance_type: p5.48xlarge, kind: training-plan, region: us-east-1, usd: 45,"
    " unit: instance-hour, source: s, date: 2026-11-01}\n"
    "  - {instance_type: p5.48xlarge, kind: hyperpod-spot, region: us-east-1, usd: 20,"
    " unit: instance-hour, source: s, date: 2026-11-01}\n"
)


def mix(*shares: tuple[int, dict[str, Any]], fallback: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "kind": "mix",
        "shares": [{"percent": percent, "capacity": capacity} for percent, capacity in shares],
        "fallback": list(fallback),
    }


def test_a_blend_is_the_average_of_its_shares(tmp_path: Path) -> None:
    capacity = mix((75, PLAN), (25, {"kind": "spot"}), fallback=("on-demand",))
    bill = bill_of(tmp_path, {"compute.1.capacity": capacity}, TWO_RATES)
    (blend,) = bill.blends
    assert [(s.kind, s.instances, s.usd_per_instance_hour) for s in blend.shares] == [
        ("training-plan", 3, 45),
        ("spot", 1, 20),
    ]
    assert blend.hourly_usd == 3 * 45 + 20
    assert blend.usd_per_instance_hour == Decimal(155) / 4
    (fallback,) = blend.fallbacks
    assert (fallback.kind, fallback.instances, fallback.usd_per_instance_hour) == (
        "on-demand", 4, P5,
    )  # fmt: skip


def test_a_share_without_a_price_leaves_the_blend_unknown(tmp_path: Path) -> None:
    capacity = mix((50, {"kind": "on-demand"}), (50, {"kind": "spot"}))
    bill = bill_of(tmp_path, {"compute.1.capacity": capacity})
    assert (bill.blends[0].hourly_usd, bill.blends[0].usd_per_instance_hour) == (None, None)
    assert bill.total.at_least


@given(
    count=st.integers(2, 400),
    percent=st.integers(1, 99),
    rates=st.tuples(st.decimals("0.01", "200", places=2), st.decimals("0.01", "200", places=2)),
)
@settings(max_examples=60)
def test_a_blend_lies_between_its_extremes_and_loses_no_instance(
    tmp_path_factory: pytest.TempPathFactory,
    count: int,
    percent: int,
    rates: tuple[Decimal, Decimal],
) -> None:
    folder = tmp_path_factory.getbasetemp()
    plan, spot = rates
    capacity = mix((percent, PLAN), (100 - percent, {"kind": "spot"}))
    text = TWO_RATES.replace("usd: 20", "usd: <spot>").replace("usd: 45", f"usd: {plan}")
    text = text.replace("<spot>", str(spot))
    changes = {"compute.1.capacity": capacity, "compute.1.count": count}
    if Fraction(count * min(percent, 100 - percent), 100) < Fraction(1, 2):
        with pytest.raises(SpecErrors, match="not a whole number of instances"):
            bill_of(folder, changes, text)
        return
    # Of two halves one is rounded up: a share of exactly half an instance may be 0.
    assume(count * percent % 100 != 50)
    bill = bill_of(folder, changes, text)
    (blend,) = bill.blends
    assert sum(share.instances for share in blend.shares) == blend.instances == count
    assert min(rates) <= round(blend.usd_per_instance_hour or Decimal(0), 9) <= max(rates)
    off = abs(blend.shares[0].instances - Fraction(count * percent, 100))
    assert off <= Fraction(1, 2)
