"""What AWS PCS charges in addition to the instances."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

from clusterwright.catalog import load_catalog
from clusterwright.cost.bill import Line
from clusterwright.cost.estimate import estimate
from clusterwright.platforms.loading import load_cluster
from tests.platforms.pcs.specs import cluster
from tests.support.rich_specs import PCS

CONFIGS = Path(__file__).parents[3] / "configs"


def lines(folder: Path) -> dict[str, Line]:
    bill = estimate(cluster(folder, PCS), load_catalog(), today=dt.date(2026, 11, 20))
    return {line.item: line for line in bill.lines if line.component == "scheduler"}


def test_controller_has_the_price_of_its_size_and_region(tmp_path: Path) -> None:
    line = lines(tmp_path)["PCS controller, MEDIUM"]
    assert line.unit_price_usd == Decimal("3.2579")
    assert line.source is not None
    assert "45 instances need MEDIUM (512)" in str(line.note)


def test_management_and_accounting_are_unknown_with_the_reason(tmp_path: Path) -> None:
    found = lines(tmp_path)
    management = found["workers: 4 × management of a node"]
    assert (management.quantity, management.unit_price_usd) == (4, None)
    assert "no source says which types" in str(management.note)
    assert found["managed accounting"].unit_price_usd is None
    assert found["managed accounting"].reason


def test_other_platforms_have_none() -> None:
    other = load_cluster(CONFIGS / "dev.yaml").cluster
    bill = estimate(other, load_catalog(), today=dt.date(2026, 11, 20))
    assert all(line.component != "scheduler" for line in bill.lines)
