"""Prices by precedence: the user's, then those of AWS's APIs, then the catalogue's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from clusterwright.catalog import Catalog, Fact, Known, Price, PriceKind, Unknown
from clusterwright.cost.bill import Origin, Prepaid

USER_RATE: Final = "your rate: "
"""Prefix of the source of a user's rate in the catalogue (catalog.overrides)."""

KIND_OF_CAPACITY: Final[Mapping[str, tuple[PriceKind, PriceKind]]] = {
    "on-demand": ("ec2-on-demand", "hyperpod-on-demand"),
    # An EC2 reservation costs as much as its instances, whether they run or not.
    "reservation": ("ec2-on-demand", "hyperpod-on-demand"),
    "spot": ("ec2-spot", "hyperpod-spot"),
    "capacity-block": ("capacity-block-paid", "capacity-block-paid"),
    "training-plan": ("training-plan", "training-plan"),
}
"""The kind of price of each kind of capacity: on EC2, on HyperPod."""


@dataclass(frozen=True)
class LiveRefusal:
    """A refused request to AWS, with a hint and the missing IAM action."""

    message: str
    hint: str
    iam_action: str


@dataclass(frozen=True)
class LivePrices:
    """Current prices of AWS's APIs.

    `instances` by (type, kind of price, region or local zone), `services` by (service, item,
    region), with the names of the catalogue; `hints` are prices of current offers, by (type, kind
    of price, region), which are not on the bill. `spot` describes the price history by (type, zone
    id); `purchases` are training plans of the spec.
    """

    instances: Mapping[tuple[str, str, str], Known[Price]] = field(default_factory=dict)
    services: Mapping[tuple[str, str, str], Known[Price]] = field(default_factory=dict)
    hints: Mapping[tuple[str, str, str], Known[Price]] = field(default_factory=dict)
    spot: Mapping[tuple[str, str], str] = field(default_factory=dict)
    purchases: tuple[Prepaid, ...] = ()
    refusals: tuple[LiveRefusal, ...] = ()
    calls: int = 0


@dataclass(frozen=True)
class Quote:
    """A price with its origin, or the reason why it is unknown.

    `agreed` prices were paid or are fixed by agreement, so they do not become stale.
    """

    fact: Fact[Price]
    origin: Origin | None
    agreed: bool = False

    @property
    def known(self) -> Known[Price] | None:
        return self.fact if isinstance(self.fact, Known) else None


@dataclass(frozen=True)
class PriceBook:
    """Every price, by precedence; never of another region or kind."""

    catalog: Catalog
    live: LivePrices = field(default_factory=LivePrices)

    def instance(self, instance_type: str, place: str, kind: PriceKind) -> Quote:
        """Price per instance-hour in a region or local zone (by name or id)."""
        fact = self.catalog.instance_price(instance_type, place, kind)
        where = self.catalog.local_zone(place) or place
        return _first(fact, self.live.instances.get((instance_type, kind, where)))

    def hint(self, instance_type: str, place: str, kind: PriceKind) -> Quote:
        """The price of a current offer, which is not on the bill."""
        fact = self.catalog.instance_price(instance_type, place, kind)
        where = self.catalog.local_zone(place) or place
        return _first(fact, self.live.hints.get((instance_type, kind, where)))

    def service(self, service: str, item: str, region: str) -> Quote:
        """Price of an item of a service in a region."""
        fact = self.catalog.service_price(service, item, region)
        return _first(fact, self.live.services.get((service, item, region)))


def _first(fact: Fact[Price], live: Known[Price] | None) -> Quote:
    if isinstance(fact, Known) and fact.source.startswith(USER_RATE):
        return Quote(fact, "user")
    if live is not None:
        return Quote(live, "live")
    if isinstance(fact, Unknown):
        return Quote(fact, None)
    return Quote(fact, "catalogue")
