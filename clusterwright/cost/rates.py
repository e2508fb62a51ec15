"""Hourly rates of instance types, by kind of capacity, region and platform."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal

from clusterwright.catalog import Catalog
from clusterwright.catalog.dates import as_of, is_stale
from clusterwright.cost.bill import Origin
from clusterwright.cost.price_book import KIND_OF_CAPACITY, LivePrices, PriceBook
from clusterwright.platforms.registry import traits_of


@dataclass(frozen=True)
class HourlyRate:
    """A rate, or the reason why it is unknown; never an estimate or a rate of another region.

    Attributes
    ----------
    usd_per_hour:
        Per instance; None if no source and no user states it.
    hint_usd_per_hour:
        Of capacity bought in advance (training plan, capacity block): the last offer per
        instance-hour. It is a hint, not a price of the bill: AWS changes these prices.
    origin, source, date, age_days, stale:
        Of the rate; None (False) without one.
    hint_source, hint_date:
        Of the hint.
    settle_with:
        The entry of prices.yaml for an unknown rate.
    """

    instance_type: str
    capacity_kind: str
    region: str
    usd_per_hour: Decimal | None
    reason: str | None
    origin: Origin | None
    source: str | None
    date: str | None
    age_days: int | None
    stale: bool
    hint_usd_per_hour: Decimal | None = None
    hint_source: str | None = None
    hint_date: str | None = None
    settle_with: str | None = None

    @property
    def known(self) -> bool:
        return self.usd_per_hour is not None


def hourly_rate(
    catalog: Catalog,
    instance_type: str,
    capacity_kind: str,
    region: str,
    *,
    platform: str,
    today: dt.date,
    live: LivePrices | None = None,
) -> HourlyRate:
    """The rate of one instance (EC2's name of the type).

    Parameters
    ----------
    capacity_kind:
        `on-demand`, `spot`, `reservation`, `capacity-block` or `training-plan`.
    region:
        A region, or a local zone by name or id.
    platform:
        Platforms on HyperPod have HyperPod's rates, others EC2's.

    Raises
    ------
    ValueError
        The kind of capacity is unknown.
    """
    if capacity_kind not in KIND_OF_CAPACITY:
        kinds = ", ".join(KIND_OF_CAPACITY)
        raise ValueError(f"{capacity_kind!r} is not a kind of capacity: {kinds}")
    book = PriceBook(catalog, live or LivePrices())
    kind = KIND_OF_CAPACITY[capacity_kind][traits_of(platform).on_hyperpod]
    quote = book.instance(instance_type, region, kind)
    known = quote.known
    reason = None
    if known is None:
        reason = quote.fact.reason  # type: ignore[union-attr]
    elif known.value.unit != "instance-hour":
        reason = f"the price is per {known.value.unit}, not per instance-hour"
        known = None
    hint = None
    if capacity_kind == "training-plan":
        hint = book.hint(instance_type, region, "training-plan-offer").known
    elif capacity_kind == "capacity-block":
        hint = book.hint(instance_type, region, "capacity-block").known
    if hint is not None and hint.value.unit != "instance-hour":
        hint = None
    day = as_of(known.date) if known is not None else None
    place = catalog.local_zone(region) or region
    return HourlyRate(
        instance_type=instance_type,
        capacity_kind=capacity_kind,
        region=place,
        usd_per_hour=known.value.usd if known is not None else None,
        reason=reason,
        origin=quote.origin if known is not None else None,
        source=known.source if known is not None else None,
        date=known.date if known is not None else None,
        age_days=(today - day).days if day is not None else None,
        stale=known is not None and is_stale(known.date, today),
        hint_usd_per_hour=hint.value.usd if hint is not None else None,
        hint_source=hint.source if hint is not None else None,
        hint_date=hint.date if hint is not None else None,
        settle_with=instance_entry(instance_type, kind, place) if known is None else None,
    )


def instance_entry(instance_type: str, kind: str, place: str) -> str:
    """The entry under `rates` of prices.yaml for a rate."""
    return (
        f"{{instance_type: {instance_type}, kind: {kind}, region: {place}, "
        f"usd: ..., unit: instance-hour, source: ..., date: ...}}"
    )
