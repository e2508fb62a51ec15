"""Lines from quantities and prices."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.support.bills import bill_of, line


def rate(**what: Any) -> dict[str, Any]:
    return {"region": "us-east-1", "source": "contract 7", "date": "2026-11-01", **what}


def test_the_hinted_entry_prices_an_unknown_line(tmp_path: Path) -> None:
    from clusterwright.cluster_spec.document import parse_document

    unknown = [line for line in bill_of(tmp_path).lines if line.rate]
    assert unknown
    entries = [
        parse_document("a: " + str(line.rate).replace("...", "'1'"), "x").data["a"]
        for line in unknown
    ]
    settled = bill_of(tmp_path, rates=[{**e, "usd": "1"} for e in _unique(entries)])
    assert [line.item for line in settled.lines if line.unit_price_usd is None] == []


def _unique(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({str(sorted(entry.items())): entry for entry in entries}.values())


def test_rate_in_another_unit_is_not_used(tmp_path: Path) -> None:
    monthly = rate(
        instance_type="p5.48xlarge", kind="hyperpod-on-demand", usd=30000, unit="instance-month"
    )
    workers = line(bill_of(tmp_path, rates=[monthly]), "workers")
    assert workers.unit_price_usd is None
    assert "instance-month" in (workers.reason or "")


def test_usage_makes_a_line_known(tmp_path: Path) -> None:
    key = "s3/Standard storage (first tier)"
    bill = bill_of(tmp_path, usage={key: Decimal(1000)})
    storage = line(bill, "S3 storage")
    assert storage.monthly_usd == Decimal("23")
    assert storage.note == "your usage"
