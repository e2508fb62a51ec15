"""A second currency beside USD, at a rate and a day that the user states."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Final

from clusterwright.cost.bill_extras import Exchange
from clusterwright.cost.terms_reader import amount

_CODE: Final = re.compile(r"[A-Za-z]{3}")
_LARGEST_RATE: Final = Decimal(10) ** 9


class WrongExchange(Exception):
    """A currency or a rate that cannot be used; `hint` says what can."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def read_exchange(currency: str | None, fx: str | None, *, today: dt.date) -> Exchange | None:
    """The exchange of `--currency` and `--fx RATE@DATE`; None where neither is given.

    Raises
    ------
    WrongExchange
        One without the other, no currency code, no positive rate, no day or one yet to come.
    """
    if currency is None and fx is None:
        return None
    example = f"such as --currency JPY --fx 150.25@{today}"
    if currency is None or fx is None:
        given, missing = ("--fx", "--currency") if currency is None else ("--currency", "--fx")
        raise WrongExchange(f"{given} needs {missing}", example)
    if not _CODE.fullmatch(currency.strip()):
        raise WrongExchange(f"--currency: {currency!r} is no currency code of 3 letters", example)
    code = currency.strip().upper()
    text, separator, day = fx.strip().partition("@")
    rate = amount(text)
    if not separator or rate is None or not 0 < rate <= _LARGEST_RATE:
        raise WrongExchange(
            f"--fx: {fx!r} is not RATE@DATE with a rate above 0",
            f"how much {code} one USD was worth, and when: {example}",
        )
    try:
        date = dt.date.fromisoformat(day.strip())
    except ValueError:
        raise WrongExchange(f"--fx: {day!r} is no day, such as {today}", example) from None
    if date > today:
        raise WrongExchange(f"--fx: {date} has not come yet", "give the day of the rate")
    if code == "USD" and rate != 1:
        raise WrongExchange("one USD is worth 1 USD", "leave --currency and --fx out")
    return Exchange(code, rate, date, (today - date).days)
