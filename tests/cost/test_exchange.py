"""A second currency at the user's dated rate."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from clusterwright.cost.exchange import ExchangeError, read_exchange

TODAY = dt.date(2026, 11, 20)


def test_both_exchange_options_are_optional() -> None:
    assert read_exchange(None, None, today=TODAY) is None


@pytest.mark.parametrize(
    ("currency", "fx", "rate", "age", "stale"),
    [
        ("JPY", "150.25@2026-11-20", "150.25", 0, False),
        ("jpy", " 150.25@2026-11-01 ", "150.25", 19, False),
        ("EUR", "0.92@2026-08-22", "0.92", 90, False),
        ("EUR", "0.92@2026-08-21", "0.92", 91, True),
        ("IDR", "1.6e4@2026-11-20", "16000", 0, False),
        ("USD", "1@2026-11-20", "1", 0, False),
    ],
)
def test_exchange_rate_is_parsed(currency: str, fx: str, rate: str, age: int, stale: bool) -> None:
    found = read_exchange(currency, fx, today=TODAY)
    assert found is not None
    assert (found.currency, found.rate) == (currency.upper(), Decimal(rate))
    assert (found.age_days, found.stale) == (age, stale)
    assert found.of(Decimal(2)) == 2 * Decimal(rate)
    assert found.of(None) is None


@pytest.mark.parametrize(
    ("currency", "fx", "message"),
    [
        ("JPY", None, "--currency needs --fx"),
        (None, "150@2026-11-20", "--fx needs --currency"),
        ("YEN!", "150@2026-11-20", "is not a currency code"),
        ("", "150@2026-11-20", "is not a currency code"),
        ("JPY", "150", "is not RATE@DATE"),
        ("JPY", "@2026-11-20", "is not RATE@DATE"),
        ("JPY", "0@2026-11-20", "a rate above 0"),
        ("JPY", "-150@2026-11-20", "a rate above 0"),
        ("JPY", "nan@2026-11-20", "a rate above 0"),
        ("JPY", "inf@2026-11-20", "a rate above 0"),
        ("JPY", "1e30@2026-11-20", "a rate above 0"),
        ("JPY", "150@", "is not a date"),
        ("JPY", "150@yesterday", "is not a date"),
        ("JPY", "150@2026-02-30", "is not a date"),
        ("JPY", "150@2026-11-21", "is in the future"),
        ("USD", "2@2026-11-20", "the rate of USD must be 1"),
    ],
)
def test_an_invalid_exchange_is_an_error(
    currency: str | None, fx: str | None, message: str
) -> None:
    with pytest.raises(ExchangeError) as caught:
        read_exchange(currency, fx, today=TODAY)
    assert message in caught.value.message
    assert caught.value.hint
