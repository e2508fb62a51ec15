"""Additions to a bill."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from clusterwright.cost.bill_extras import Exchange


def test_an_exchange_keeps_unknown_amounts() -> None:
    yen = Exchange("JPY", Decimal(150), dt.date(2026, 11, 20), age_days=91)
    assert yen.of(Decimal(2)) == 300
    assert yen.of(None) is None
    assert yen.digits == 0
    assert yen.stale
