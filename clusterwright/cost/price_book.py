"""Where a price comes from: the user first, then AWS's APIs, then the dated catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from clusterwright.catalog import Catalog, Fact, Known, Price, PriceKind, Unknown
from clusterwright.cost.bill import Origin, Prepaid

USER_RATE: Final = "your rate: "
"""How the catalogue begins the source of a rate of the user's (catalog.overrides)."""

KIND_OF_CAPACITY: Final[Mapping[str, tuple[PriceKind, PriceKind]]] = {
    "on-demand": ("ec2-on-demand", "hyperpod-on-demand"),
    # A reservation of EC2 costs what the instance costs, whether it runs or not.
    "reservation": ("ec2-on-demand", "hyperpod-on-demand"),
    "spot": ("ec2-spot", "hyperpod-spot"),
    "capacity-block": ("capacity-block-paid", "capacity-block-paid"),
    "training-plan": ("training-plan", "training-plan"),
}
"""The kind of price that a kind of capacity pays: on EC2, on HyperPod."""


@dataclass(frozen=True)
class LiveRefusal:
    """A question that AWS did not answer, in words, and what would let it."""

    message: str
    hint: str
    iam_action: str


@dataclass(frozen=True)
class LivePrices:
    """What AWS's APIs said.

    `instances` by (type, kind of price, region or local zone), `services` by (service, item,
    region), as the catalogue names them; `hints` are prices of what could be bought today, by
    (type, kind of price, region), which are nobody's bill. `spot` says, by (type, zone id), what
    the history shows, in words; `purchases` are training plans that the spec names.
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
    """A price or why there is none, and who states it.

    `agreed` prices hold for as long as was agreed on, or were paid already: they do not grow old.
    """

    fact: Fact[Price]
    origin: Origin | None
    agreed: bool = False

    @property
    def known(self) -> Known[Price] | None:
        return self.fact if isinstance(self.fact, Known) else None


@dataclass(frozen=True)
class PriceBook:
    """Every price, by precedence. Nothing is ever taken from another region or kind."""

    catalog: Catalog
    live: LivePrices = field(default_factory=LivePrices)

    def instance(self, instance_type: str, place: str, kind: PriceKind) -> Quote:
        """Per instance-hour, in a region or local zone (by name or id)."""
        fact = self.catalog.instance_price(instance_type, place, kind)
        where = self.catalog.local_zone(place) or place
        return _first(fact, self.live.instances.get((instance_type, kind, where)))

    def hint(self, instance_type: str, place: str, kind: PriceKind) -> Quote:
        """What could be bought today: a price of no bill."""
        fact = self.catalog.instance_price(instance_type, place, kind)
        where = self.catalog.local_zone(place) or place
        return _first(fact, self.live.hints.get((instance_type, kind, where)))

    def service(self, service: str, item: str, region: str) -> Quote:
        """Of a service's item in one region."""
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
