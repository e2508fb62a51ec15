"""A second currency besides USD, at a dated rate of the user."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Final

from clusterwright.cost.bill_extras import Exchange
from clusterwright.cost.terms_reader import amount

_CODE: Final = re.compile(r"[A-Za-z]{3}")
_LARGEST_RATE: Final = Decimal(10) ** 9


class ExchangeError(Exception):
    """An invalid currency or exchange rate; `hint` has an example."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def read_exchange(currency: str | None, fx: str | None, *, today: dt.date) -> Exchange | None:
    """The exchange of `--currency` and `--fx RATE@DATE`; None where neither is given.

    Raises
    ------
    ExchangeError
        One flag without the other, or an invalid currency code, rate or date.
    """
    if currency is None and fx is None:
        return None
    example = f"such as --currency JPY --fx 150.25@{today}"
    if currency is None or fx is None:
        given, missing = ("--fx", "--currency") if currency is None else ("--currency", "--fx")
        raise ExchangeError(f"{given} needs {missing}", example)
    if not _CODE.fullmatch(currency.strip()):
        raise ExchangeError(
            f"--currency: {currency!r} is not a currency code of 3 letters", example
        )
    code = currency.strip().upper()
    text, separator, day = fx.strip().partition("@")
    rate = amount(text)
    if not separator or rate is None or not 0 < rate <= _LARGEST_RATE:
        raise ExchangeError(
            f"--fx: {fx!r} is not RATE@DATE with a rate above 0",
            f"the amount of {code} for one USD, and its date: {example}",
        )
    try:
        date = dt.date.fromisoformat(day.strip())
    except ValueError:
        raise ExchangeError(f"--fx: {day!r} is not a date, such as {today}", example) from None
    if date > today:
        raise ExchangeError(f"--fx: {date} is in the future", "give the date of the rate")
    if code == "USD" and rate != 1:
        raise ExchangeError("the rate of USD must be 1", "omit --currency and --fx")
    return Exchange(code, rate, date, (today - date).days)
