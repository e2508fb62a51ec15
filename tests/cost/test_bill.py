"""Idle cost of a bill."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.document import parse_document
from clusterwright.cost.bill import Bill
from clusterwright.cost.estimate import estimate
from clusterwright.cost.user_prices import parse
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


P5 = Decimal("66.048")


def bill_of(
    folder: Path, changes: dict[str, Any] | None = None, text: str = "", **more: Any
) -> Bill:
    spec = specs.load(folder, changes)
    own = parse(parse_document(text or "usage: {}", "prices.yaml"))
    catalog = load_catalog(prices_override=own.rates)
    return estimate(spec.cluster, catalog, today=TODAY, terms=own.terms, usage=own.usage, **more)


def test_idle_cost_with_and_without_nodes(tmp_path: Path) -> None:
    text = "usage: {s3/Standard storage (first tier): 1000}\n"
    bill = bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]}, text, run_hours=Decimal(730 - 30))
    storage = 4800 * Decimal("0.6")
    idle = bill.idle
    endpoints = 10 * Decimal("0.01")
    standing = storage / 730 + endpoints
    assert idle.hourly_usd == 4 * P5 + standing
    assert idle.at_zero_hourly_usd == pytest.approx(standing)
    assert idle.outside_run_usd == pytest.approx(30 * (4 * P5 + standing))
    assert bill.total.monthly_usd == 730 * (4 * P5 + endpoints) + storage + 23
