"""Other prices in the same place that show what a line without a price may cost.

EC2's prices are not HyperPod's, and the offer of a day is not what a team pays. So an indication
is never part of the bill: it is in a scenario beside it, with the name of what it is. Prices of
other regions are never used.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from clusterwright.catalog import Known, Price, PriceKind
from clusterwright.cost.bill import Indication
from clusterwright.cost.price_book import PriceBook

if TYPE_CHECKING:
    from clusterwright.cost.line_builder import Item

_LISTED: Final[tuple[PriceKind, ...]] = ("ec2-on-demand", "capacity-block", "training-plan-offer")
_CANDIDATES: Final[Mapping[str, tuple[PriceKind, ...]]] = {
    "on-demand": _LISTED,
    "reservation": _LISTED,
    "spot": _LISTED,
    "training-plan": ("training-plan-offer", "capacity-block", "ec2-on-demand"),
    "capacity-block": ("capacity-block", "training-plan-offer", "ec2-on-demand"),
}
"""Kinds of prices by kind of capacity, the nearest one first."""

_BASIS: Final[Mapping[str, str]] = {
    "ec2-on-demand": "EC2's on-demand price",
    "capacity-block": "EC2's Capacity Block price",
    "training-plan-offer": "SageMaker's training plan offer",
}
_IS_NOT: Final[Mapping[str, str]] = {
    "spot": "not the Spot price",
    "training-plan": "not your plan's",
    "capacity-block": "not your block's",
}


def instance_indication(
    book: PriceBook, instance_type: str, place: str, capacity_kind: str, *, hyperpod: bool
) -> Indication | None:
    """The nearest other price of an instance-hour in a region or local zone; None without one."""
    for kind in _CANDIDATES[capacity_kind]:
        found = _price(book, instance_type, place, kind)
        if found is not None:
            listed = "not HyperPod's" if hyperpod else "not the on-demand price"
            basis = f"{_BASIS[kind]}, {_IS_NOT.get(capacity_kind, listed)}"
            return Indication(basis, found.value.usd, found.source, found.date)
    return None


def volume_indication(book: PriceBook, item: Item, region: str) -> Indication | None:
    """EC2's price of a volume, for HyperPod's volumes."""
    found = book.service(item.service, item.name, region).known
    if found is None or found.value.unit != item.unit:
        return None
    return Indication("EC2's gp3 price, not HyperPod's", found.value.usd, found.source, found.date)


def _price(
    book: PriceBook, instance_type: str, place: str, kind: PriceKind
) -> Known[Price] | None:
    quote = book.instance if kind == "ec2-on-demand" else book.hint
    found = quote(instance_type, place, kind).known
    if found is not None and found.value.unit == "instance-hour":
        return found
    return _share_of_ultraserver(book, instance_type, place) if kind == "capacity-block" else None


def _share_of_ultraserver(book: PriceBook, instance_type: str, place: str) -> Known[Price] | None:
    """The price of an UltraServer divided by its instances."""
    for name, server in book.catalog.ultraservers.items():
        kind, count = server.instance_type, server.instance_count
        if not isinstance(kind, Known) or not isinstance(count, Known):
            continue
        found = book.hint(name, place, "capacity-block").known
        if kind.value == instance_type and found is not None:
            price = Price(found.value.usd / Decimal(count.value), "instance-hour")
            source = f"{found.source}; {name} divided by its {count.value} instances"
            return Known(price, source, found.date, derived=True)
    return None
