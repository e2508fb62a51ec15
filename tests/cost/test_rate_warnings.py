"""Warnings for implausible rates."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.document import parse_document
from clusterwright.cost.bill import Bill
from clusterwright.cost.estimate import estimate
from clusterwright.cost.user_prices import parse
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


def bill_of(
    folder: Path, changes: dict[str, Any] | None = None, text: str = "", **more: Any
) -> Bill:
    spec = specs.load(folder, changes)
    own = parse(parse_document(text or "usage: {}", "prices.yaml"))
    catalog = load_catalog(prices_override=own.rates)
    return estimate(spec.cluster, catalog, today=TODAY, terms=own.terms, usage=own.usage, **more)


def test_implausible_or_future_rates_have_a_warning(tmp_path: Path) -> None:
    text = (
        "rates:\n"
        "  - {instance_type: p5.48xlarge, kind: hyperpod-on-demand, region: us-east-1,"
        " usd: 6.6048, unit: instance-hour, source: s, date: 2026-11-01}\n"
        "  - {service: kms, item: key, region: us-east-1, usd: 1, unit: key-month, source: s,"
        " date: 2027-01-01}\n"
    )
    said = " ".join(bill_of(tmp_path, text=text).warnings)
    assert "p5.48xlarge, hyperpod-on-demand: your rate is 6.6048 USD, the catalogue's of" in said
    assert "KMS key: your rate is dated 2027-01-01, which is in the future" in said
