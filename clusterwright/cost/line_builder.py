"""Build lines of a bill from quantities and prices; unknown lines are kept."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypedDict, Unpack

from clusterwright.catalog import Catalog, Known, Price, PriceKind
from clusterwright.catalog.dates import as_of, is_stale
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.problems import Path, path_text
from clusterwright.cost.bill import COMPUTE, Indication, Line, Origin, Per, Prepaid
from clusterwright.cost.price_book import USER_RATE, LivePrices, PriceBook, Quote
from clusterwright.cost.rates import instance_entry
from clusterwright.cost.terms import Terms, Usage

__all__ = ["USER_RATE", "Item", "LineBuilder"]

DEPENDS_ON_USE = "the quantity depends on use"
EC2, HYPERPOD = "ec2", "hyperpod"
"""Services of discounts on instances."""


@dataclass(frozen=True)
class Item:
    """An item of a service; names and unit are those of the price files."""

    service: str
    name: str
    unit: str

    @property
    def key(self) -> str:
        """The key of its monthly quantity in a user's prices."""
        return f"{self.service}/{self.name}"


class Details(TypedDict, total=False):
    """Fields of a line that most lines leave at their defaults."""

    note: str | None
    group: str | None
    releasable: bool
    by_use: bool
    indication: Indication | None


@dataclass(frozen=True)
class LineBuilder:
    """Builds lines from the spec, prices, the date, and the terms and usage of the user.

    `usage` maps `service/item` to a quantity per month in the item's unit, or to a `Usage`.
    """

    cluster: Cluster
    catalog: Catalog
    today: dt.date
    usage: Mapping[str, Decimal | Usage]
    terms: Terms = field(default_factory=Terms)
    live: LivePrices = field(default_factory=LivePrices)

    @property
    def region(self) -> str:
        return self.cluster.region

    @property
    def place(self) -> str:
        """The location of instances: the region, or the local zone of the spec."""
        zone = self.cluster.network.availability_zone_id
        return self.catalog.local_zone(zone) or self.region

    @property
    def book(self) -> PriceBook:
        return PriceBook(self.catalog, self.live)

    @property
    def on_hyperpod(self) -> bool:
        return self.cluster.on_hyperpod

    @property
    def node_count(self) -> int:
        return sum(group.count for group in self.cluster.compute)

    def prepaid(self, identifier: str) -> Prepaid | None:
        """The purchase of an ARN or a reservation id, from the user or else from AWS."""
        purchases = (*self.terms.purchases, *self.live.purchases)
        return next((p for p in purchases if p.id == identifier), None)

    def line(
        self,
        component: str,
        text: str,
        quantity: Decimal | int | None,
        item: Item,
        *,
        path: Path,
        per: Per = "month",
        **details: Unpack[Details],
    ) -> Line:
        """A line of a service's item."""
        quote = self.book.service(item.service, item.name, self.region)
        rate = (
            f"{{service: {item.service}, item: {_quoted(item.name)}, region: {self.region}, "
            f"usd: ..., unit: {_quoted(item.unit)}, source: ..., date: ...}}"
        )
        return self._line(
            component,
            text,
            quantity,
            item.unit,
            self.discounted(quote, item.service),
            path=path,
            per=per,
            rate=rate,
            **details,
        )

    def quoted(
        self,
        component: str,
        text: str,
        quantity: Decimal | int,
        item: Item,
        quote: Quote,
        *,
        path: Path,
    ) -> Line:
        """A line of an item at a given price."""
        return self._line(
            component, text, quantity, item.unit, quote, path=path, per="month", rate=""
        )

    def used(
        self,
        component: str,
        text: str,
        item: Item,
        *,
        path: Path,
        charged_as: Item | None = None,
    ) -> Line:
        """A line whose quantity depends on use: the user's quantity of `item`, or unknown."""
        given = self.usage.get(item.key)
        usage = given if given is None or isinstance(given, Usage) else Usage(given)
        quantity = None if usage is None else usage.monthly(self.node_count)
        note = None if usage is None else usage.description(self.node_count)
        charged = charged_as or item
        return self.line(component, text, quantity, charged, path=path, note=note, by_use=True)

    def instances(
        self,
        text: str,
        count: Decimal | int,
        instance_type: str,
        kind: PriceKind,
        *,
        path: Path,
        quote: Quote | None = None,
        unit: str = "instance-hour",
        **details: Unpack[Details],
    ) -> Line:
        """A line of instances, per hour, at the price of the book or of `quote`."""
        if quote is None:
            quote = self.book.instance(instance_type, self.place, kind)
            quote = self.discounted(quote, HYPERPOD if self.on_hyperpod else EC2)
        return self._line(
            COMPUTE,
            text,
            count,
            unit,
            quote,
            path=path,
            per="hour",
            rate=instance_entry(instance_type, kind, self.place),
            **details,
        )

    def discounted(self, quote: Quote, service: str) -> Quote:
        """The price less the user's discount on the service; the user's rates have none."""
        discount = self.terms.discount(service)
        known = quote.known
        if discount is None or known is None or quote.origin == "user":
            return quote
        words = (
            f"list price {known.value.usd.normalize():f} USD less "
            f"{discount.percent.normalize():f} % (your discount: {discount.source}, "
            f"{discount.date})"
        )
        price = Price(known.value.usd * discount.factor, known.value.unit)
        note = "; ".join(part for part in (known.note, words) if part)
        return Quote(Known(price, known.source, known.date, note, derived=True), quote.origin)

    def _line(
        self,
        component: str,
        text: str,
        quantity: Decimal | int | None,
        unit: str,
        quote: Quote,
        *,
        path: Path,
        per: Per,
        rate: str,
        note: str | None = None,
        group: str | None = None,
        releasable: bool = False,
        by_use: bool = False,
        indication: Indication | None = None,
    ) -> Line:
        fact = quote.fact
        notes = [note] if note else []
        reasons = [DEPENDS_ON_USE] if quantity is None and note is None else []
        price = fact.value if isinstance(fact, Known) else None
        if isinstance(fact, Known):
            if fact.note:
                notes.append(fact.note)
            if fact.value.unit != unit:
                # A price in another unit does not apply to this quantity.
                reasons.append(
                    f"the price is per {fact.value.unit}, and the quantity is in {unit}"
                )
                price = None
        else:
            reasons.append(fact.reason)
        known = fact if isinstance(fact, Known) and price is not None else None
        origin: Origin | None = quote.origin if known is not None else None
        day = as_of(known.date) if known is not None else None
        return Line(
            component=component,
            item=text,
            quantity=None if quantity is None else Decimal(quantity),
            unit=unit,
            per=per,
            unit_price_usd=None if price is None else price.usd,
            source=known.source if known else None,
            date=known.date if known else None,
            path=path_text(path),
            note="; ".join(notes) or None,
            reason="; ".join(reasons) or None,
            rate=rate if price is None else None,
            stale=known is not None and not quote.agreed and is_stale(known.date, self.today),
            user_rate=origin == "user",
            origin=origin,
            age_days=(self.today - day).days if day is not None else None,
            group=group,
            by_use=by_use,
            releasable=releasable,
            indication=indication if price is None else None,
        )


def _quoted(text: str) -> str:
    return f'"{text}"' if any(c in text for c in ",:{}[]\"'#&*!|>%@`") else text
