"""Sanity warnings for rates of the user: far from the catalogue, or dated in the future."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final, cast

from clusterwright.catalog import Known, Price, PriceKind, Unknown
from clusterwright.catalog.dates import as_of
from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import LineBuilder

_FAR: Final = Decimal(5)
"""Ratio to the catalogue's price, up or down, above which a rate has a warning."""


def rate_warnings(builder: LineBuilder, lines: tuple[Line, ...]) -> Iterator[str]:
    """One sentence for each rate to review."""
    for line in lines:
        price = line.unit_price_usd
        if line.origin != "user" or price is None:
            continue
        day = as_of(line.date or "")
        if day is not None and day > builder.today:
            yield f"{line.item}: your rate is dated {line.date}, which is in the future"
    yield from _far_from_catalogue(builder)


def _far_from_catalogue(builder: LineBuilder) -> Iterator[str]:
    listed = builder.catalog.without_overrides()
    overrides = builder.catalog.overrides
    for (name, kind, place), rate in overrides.instances.items():
        if place == builder.place:
            found = listed.instance_price(name, place, cast(PriceKind, kind))
            yield from _compared(f"{name}, {kind}", rate, found)
    for (service, item, region), rate in overrides.services.items():
        if region == builder.region:
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
