"""Rates of the user's that look like mistakes: far from the catalogue's, or dated ahead."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final, cast

from clusterwright.catalog import Known, Price, PriceKind, Unknown
from clusterwright.catalog.dates import as_of
from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Pricing

_FAR: Final = Decimal(5)
"""A rate so many times, or such a part of, the catalogue's is asked about, never refused."""


def rate_warnings(pricing: Pricing, lines: tuple[Line, ...]) -> Iterator[str]:
    """One sentence for each rate that somebody should look at again."""
    for line in lines:
        price = line.unit_price_usd
        if line.origin != "user" or price is None:
            continue
        day = as_of(line.date or "")
        if day is not None and day > pricing.today:
            yield f"{line.item}: your rate is of {line.date}, which has not come yet"
    yield from _far(pricing)


def _far(pricing: Pricing) -> Iterator[str]:
    listed = pricing.catalog.without_overrides()
    overrides = pricing.catalog.overrides
    for (name, kind, place), rate in overrides.instances.items():
        if place == pricing.place:
            found = listed.instance_price(name, place, cast(PriceKind, kind))
            yield from _compared(f"{name}, {kind}", rate, found)
    for (service, item, region), rate in overrides.services.items():
        if region == pricing.region:
            yield from _compared(
                f"{service}: {item}", rate, listed.service_price(service, item, region)
            )


def _compared(what: str, rate: Known[Price], found: Known[Price] | Unknown) -> Iterator[str]:
    if not isinstance(found, Known) or found.value.unit != rate.value.unit:
        return
    mine, theirs = rate.value.usd, found.value.usd
    if mine > theirs * _FAR or mine < theirs / _FAR:
        yield (
            f"{what}: your rate is {mine.normalize():f} USD, the catalogue's of {found.date} is "
            f"{theirs.normalize():f} USD per {found.value.unit}"
        )
