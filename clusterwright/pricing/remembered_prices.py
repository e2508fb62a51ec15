"""Prices that AWS stated at an earlier reading, kept with their date in the user's cache folder.

One file per region: `prices/<region>.json`. List prices are the same for every account, so the
account is not in it. Spot prices, which change by the minute, and purchases, which belong to an
account, are not kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

from clusterwright.aws import user_cache
from clusterwright.catalog import Known, Price
from clusterwright.cost.price_book import LivePrices

SETTING: Final = "CLUSTERWRIGHT_LIVE_PRICES"
"""`never`: AWS is asked for prices only with --live, and no price is remembered or recalled."""

NEVER: Final = "never"
_SCHEMA_VERSION: Final = 1
_LARGEST_FILE_BYTES: Final = 5_000_000
_TABLES: Final = ("instances", "services", "hints")

Prices = Mapping[tuple[str, str, str], Known[Price]]


def file_of(environment: Mapping[str, str], region: str) -> Path | None:
    """The file of a region's prices; None if the user has no cache folder."""
    folder = user_cache.folder(environment, "prices")
    return None if folder is None else folder / f"{region}.json"


def recall(environment: Mapping[str, str], region: str) -> LivePrices:
    """The remembered prices of a region; none if the file is missing, damaged or switched off."""
    path = _place(environment, region)
    return LivePrices() if path is None else LivePrices(remembered=_read(path))


def remember(environment: Mapping[str, str], region: str, prices: LivePrices) -> Path | None:
    """Add prices to the file of their region; return it, or None if nothing was kept.

    Later prices replace earlier ones; those that were not read this time stay with their date.
    """
    path = _place(environment, region)
    new = {name: dict(_kept(getattr(prices, name))) for name in _TABLES}
    if path is None or not any(new.values()):
        return None
    before = _read(path) or LivePrices()
    document = {
        "schema_version": _SCHEMA_VERSION,
        **{
            name: [
                [*key, str(fact.value.usd), fact.value.unit, fact.source, fact.date, fact.note]
                for key, fact in sorted({**getattr(before, name), **new[name]}.items())
            ]
            for name in _TABLES
        },
    }
    user_cache.keep(path, json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n")
    return path if path.is_file() else None


def with_remembered(live: LivePrices, environment: Mapping[str, str], region: str) -> LivePrices:
    """Live prices, completed with remembered ones."""
    return replace(live, remembered=recall(environment, region).remembered)


def _place(environment: Mapping[str, str], region: str) -> Path | None:
    """The file, unless the user switched it off."""
    return None if environment.get(SETTING) == NEVER else file_of(environment, region)


def _kept(prices: Prices) -> Iterator[tuple[tuple[str, str, str], Known[Price]]]:
    return ((key, fact) for key, fact in prices.items() if key[1] != "ec2-spot")


def _read(path: Path) -> LivePrices | None:
    content = user_cache.read(path)
    if content is None or len(content) > _LARGEST_FILE_BYTES:
        return None
    try:
        document = json.loads(content)
        if document["schema_version"] != _SCHEMA_VERSION:
            return None
        instances, services, hints = (dict(map(_fact, document[name])) for name in _TABLES)
    except (ValueError, LookupError, TypeError, InvalidOperation, RecursionError):
        # A damaged cache is no cache: the prices are read again with --live.
        return None
    return LivePrices(instances=instances, services=services, hints=hints)


def _fact(row: Any) -> tuple[tuple[str, str, str], Known[Price]]:
    one, two, three, usd, unit, source, date, note = row
    words = (one, two, three, usd, unit, source, date, note)
    amount = Decimal(usd)
    if not all(isinstance(word, str) for word in words) or not amount.is_finite() or amount < 0:
        raise ValueError(row)
    return (one, two, three), Known(Price(amount, unit), source, date, note)
