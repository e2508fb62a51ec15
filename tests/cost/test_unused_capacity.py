"""Purchases and spares that are not used."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.document import parse_document
from clusterwright.cost.bill import Bill, Line
from clusterwright.cost.estimate import estimate
from clusterwright.cost.user_prices import parse
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


P5 = Decimal("66.048")
ENDPOINT = Decimal("0.01")
"""An interface endpoint, USD an hour: the spec has 9, with scripted mode 10."""


PLAN = {"kind": "training-plan", "arn": specs.PLAN}


def bill_of(
    folder: Path, changes: dict[str, Any] | None = None, text: str = "", **more: Any
) -> Bill:
    spec = specs.load(folder, changes)
    own = parse(parse_document(text or "usage: {}", "prices.yaml"))
    catalog = load_catalog(prices_override=own.rates)
    return estimate(spec.cluster, catalog, today=TODAY, terms=own.terms, usage=own.usage, **more)


def compute(bill: Bill) -> list[Line]:
    return [line for line in bill.lines if line.component == "compute"]


def purchase(**changes: Any) -> str:
    entry = {
        "id": specs.PLAN, "instances": 16, "hours": 720, "upfront_usd": 518400,
        "start": "2026-12-01", "end": "2026-12-31", "source": "invoice 7", "date": "2026-11-01",
        **changes,
    }  # fmt: skip
    fields = ", ".join(f'{key}: "{value}"' if isinstance(value, str) else f"{key}: {value}"
                       for key, value in entry.items() if value is not None)  # fmt: skip
    return f"purchases:\n  - {{{fields}}}\n"


class TestPurchases:
    """16 instances × 720 h for 518,400 USD: 45 USD per instance-hour."""

    def test_rate_is_the_price_paid(self, tmp_path: Path) -> None:
        bill = bill_of(tmp_path, {"compute.1.capacity": PLAN, "compute.1.count": 16}, purchase())
        workers = compute(bill)[1]
        assert (workers.unit_price_usd, workers.hourly_usd) == (45, 720)
        assert "518,400 USD for 16 instances × 720 h, 2026-12-01 to 2026-12-31" in (
            workers.note or ""
        )
        assert not workers.releasable
        assert bill.prepaid[0].upfront_usd == 518400
        assert bill.unused == ()

    def test_purchase_without_a_group_is_a_line(self, tmp_path: Path) -> None:
        bill = bill_of(tmp_path, {"compute.1.capacity": PLAN}, purchase())
        _, workers, rest = compute(bill)
        assert (workers.quantity, rest.quantity) == (4, 12)
        assert workers.hourly_usd == 180
        assert rest.hourly_usd == 540
        (unused,) = bill.unused
        assert unused.hourly_usd == 540

    def test_groups_share_a_plan_up_to_its_size(self, tmp_path: Path) -> None:
        group = {**specs.SMALL["compute"][1], "capacity": PLAN}
        changes = {
            "compute.1": group,
            "compute.2": {**group, "name": "more", "count": 6},
            "compute.3": {**group, "name": "by-hour", "capacity": {"kind": "on-demand"}},
        }
        lines = compute(bill_of(tmp_path, changes, purchase()))
        assert [(line.quantity, line.unit_price_usd) for line in lines[1:]] == [
            (4, 45), (6, 45), (4, P5), (6, 45),
        ]  # fmt: skip

    def test_shorter_run_pays_for_the_whole_plan(self, tmp_path: Path) -> None:
        changes = {"compute.1.capacity": PLAN, "compute.1.count": 16}
        bill = bill_of(tmp_path, changes, purchase(), run_hours=Decimal(480))
        assert bill.total.run_usd == 518400 + 480 * 9 * ENDPOINT
        (unused,) = bill.unused
        assert unused.run_usd == 518400 / 3
        assert "240 h more than the run" in unused.why

    def test_longer_run_and_larger_group_have_warnings(self, tmp_path: Path) -> None:
        changes = {"compute.1.capacity": PLAN, "compute.1.count": 20}
        text = purchase(start="2026-10-01", end="2026-10-31")
        bill = bill_of(tmp_path, changes, text, run_hours=Decimal(900))
        assert [w for w in bill.warnings if "run-1" in w] == [
            "run-1 has 16 instances, and the cluster needs 20",
            "run-1 ends after 720 h, and the run takes 900 h: the remaining hours have the plan's "
            "rate, but are not bought",
            "run-1 ended on 2026-10-31",
        ]

    def test_purchase_not_named_in_the_spec_is_not_on_the_bill(self, tmp_path: Path) -> None:
        bill = bill_of(tmp_path, text=purchase())
        assert (bill.prepaid, len(compute(bill))) == ((), 2)


def test_spares_are_shown_as_unused(tmp_path: Path) -> None:
    changes = {"compute.1.spare_count": 1, "slurm": {"configuration": "scripted"}}
    bill = bill_of(tmp_path, changes, run_hours=Decimal(10))
    (spares,) = bill.unused
    assert (spares.group, spares.instances, spares.hourly_usd) == ("workers", 1, P5)
    assert spares.run_usd == 10 * P5
    assert bill.total.hourly_usd == 4 * P5 + 10 * ENDPOINT
