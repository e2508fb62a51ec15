"""NAT gateways and endpoints."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cost.bill import Bill, Line
from clusterwright.cost.estimate import estimate
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


def bill_of(
    folder: Path,
    changes: dict[str, Any] | None = None,
    *,
    rates: list[dict[str, Any]] | None = None,
    **more: Any,
) -> Bill:
    spec = specs.load(folder, changes)
    return estimate(spec.cluster, load_catalog(prices_override=rates), today=TODAY, **more)


def line(bill: Bill, text: str) -> Line:
    (found,) = [line for line in bill.lines if text in line.item]
    return found


def test_endpoints_are_counted_unless_nat_is_used(tmp_path: Path) -> None:
    from clusterwright.platforms.endpoints import interface_services

    spec = specs.load(tmp_path)
    expected = len(interface_services(spec.cluster))
    assert line(bill_of(tmp_path), "interface endpoints: ec2").quantity == expected
    nat = bill_of(tmp_path, {"network.egress": "nat"})
    assert not [line for line in nat.lines if "endpoints" in line.item]
