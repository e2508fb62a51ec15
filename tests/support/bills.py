"""Bills of the small cluster, for the tests of costs."""

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
    """The bill of the small cluster with changes, and with user rates."""
    spec = specs.load(folder, changes)
    return estimate(spec.cluster, load_catalog(prices_override=rates), today=TODAY, **more)


def line(bill: Bill, text: str) -> Line:
    """The only line whose item contains a text."""
    (found,) = [line for line in bill.lines if text in line.item]
    return found
