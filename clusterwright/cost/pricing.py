"""Turns a quantity and a price of the catalogue into a line, known or not, never left out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from clusterwright.catalog import Catalog, Fact, Known, Price, PriceKind
from clusterwright.catalog.dates import is_stale
from clusterwright.cost.bill import Line, Per
from clusterwright.spec.models import Cluster
from clusterwright.spec.problems import Path, path_text

USER_RATE: Final = "your rate: "
"""How the catalogue begins the source of a rate of the user's (catalog.overrides)."""

DEPENDS_ON_USE = "the quantity depends on use"


@dataclass(frozen=True)
class Item:
    """Something that a service charges for; names and unit are those of the price files."""

    service: str
    name: str
    unit: str

    @property
    def key(self) -> str:
        """How a user's prices name its monthly quantity."""
        return f"{self.service}/{self.name}"


@dataclass(frozen=True)
class Pricing:
    """Everything that the components share: spec, prices, the day, quantities that a user states.

    `usage` maps `service/item` to a quantity per month in the item's unit.
    """

    cluster: Cluster
    catalog: Catalog
    today: dt.date
    usage: Mapping[str, Decimal]

    @property
    def region(self) -> str:
        return self.cluster.region

    def line(
        self,
        component: str,
        text: str,
        quantity: Decimal | int | None,
        item: Item,
        *,
        path: Path,
        per: Per = "month",
        note: str | None = None,
    ) -> Line:
        """A line of a service's item."""
        fact = self.catalog.service_price(item.service, item.name, self.region)
        rate = (
            f"{{service: {item.service}, item: {_quoted(item.name)}, region: {self.region}, "
            f"usd: ..., unit: {_quoted(item.unit)}, source: ..., date: ...}}"
        )
        return self._line(
            component, text, quantity, item.unit, fact, path=path, per=per, note=note, rate=rate
        )

    def used(self, component: str, text: str, item: Item, *, path: Path) -> Line:
        """A line whose quantity depends on use: the user's figure, or none."""
        quantity = self.usage.get(item.key)
        note = None if quantity is None else "your figure of use"
        return self.line(component, text, quantity, item, path=path, note=note)

    def instances(
        self,
        text: str,
        count: int,
        instance_type: str,
        kind: PriceKind,
        *,
        path: Path,
        note: str | None = None,
    ) -> Line:
        """A line of instances, per hour."""
        unit = "instance-hour"
        place = self.cluster.network.availability_zone_id
        region = place if self.catalog.local_zone(place) else self.region
        fact = self.catalog.instance_price(instance_type, region, kind)
        rate = (
            f"{{instance_type: {instance_type}, kind: {kind}, region: {region}, "
            f"usd: ..., unit: {unit}, source: ..., date: ...}}"
        )
        return self._line(
            "compute", text, count, unit, fact, path=path, per="hour", note=note, rate=rate
        )

    def _line(
        self,
        component: str,
        text: str,
        quantity: Decimal | int | None,
        unit: str,
        fact: Fact[Price],
        *,
        path: Path,
        per: Per,
        note: str | None,
        rate: str,
    ) -> Line:
        notes = [note] if note else []
        reasons = [DEPENDS_ON_USE] if quantity is None and note is None else []
        price = fact.value if isinstance(fact, Known) else None
        if isinstance(fact, Known):
            if fact.note:
                notes.append(fact.note)
            if fact.value.unit != unit:
                # A rate in another unit must not be multiplied with this quantity.
                reasons.append(f"the price is per {fact.value.unit}, this is counted in {unit}")
                price = None
        else:
            reasons.append(fact.reason)
        known = fact if isinstance(fact, Known) and price is not None else None
        user_rate = known is not None and known.source.startswith(USER_RATE)
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
            stale=known is not None and not user_rate and is_stale(known.date, self.today),
            user_rate=user_rate,
        )


def _quoted(text: str) -> str:
    return f'"{text}"' if any(c in text for c in ",:{}[]\"'#&*!|>%@`") else text
