"""Prices by precedence: the user's, AWS's now, then the newer of remembered and catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from clusterwright.catalog import Catalog, Fact, Known, Price, PriceKind, Unknown
from clusterwright.catalog.dates import as_of
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
    id); `purchases` are training plans of the spec; `remembered` are prices of an earlier reading.
    """

    instances: Mapping[tuple[str, str, str], Known[Price]] = field(default_factory=dict)
    services: Mapping[tuple[str, str, str], Known[Price]] = field(default_factory=dict)
    hints: Mapping[tuple[str, str, str], Known[Price]] = field(default_factory=dict)
    spot: Mapping[tuple[str, str], str] = field(default_factory=dict)
    purchases: tuple[Prepaid, ...] = ()
    refusals: tuple[LiveRefusal, ...] = ()
    calls: int = 0
    remembered: LivePrices | None = None

    @property
    def count(self) -> int:
        """Number of prices and offers that AWS stated."""
        return len(self.instances) + len(self.services) + len(self.hints)


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
        return self._first(fact, "instances", (instance_type, kind, where))

    def hint(self, instance_type: str, place: str, kind: PriceKind) -> Quote:
        """The price of a current offer, which is not on the bill."""
        fact = self.catalog.instance_price(instance_type, place, kind)
        where = self.catalog.local_zone(place) or place
        return self._first(fact, "hints", (instance_type, kind, where))

    def service(self, service: str, item: str, region: str) -> Quote:
        """Price of an item of a service in a region."""
        fact = self.catalog.service_price(service, item, region)
        return self._first(fact, "services", (service, item, region))

    def _first(
        self,
        fact: Fact[Price],
        table: Literal["instances", "services", "hints"],
        key: tuple[str, str, str],
    ) -> Quote:
        if isinstance(fact, Known) and fact.source.startswith(USER_RATE):
            return Quote(fact, "user")
        live = getattr(self.live, table).get(key)
        if live is not None:
            return Quote(live, "live")
        earlier = getattr(self.live.remembered or LivePrices(), table).get(key)
        if earlier is not None and _is_newer(earlier, fact):
            return Quote(earlier, "remembered")
        return Quote(fact, None if isinstance(fact, Unknown) else "catalogue")


def _is_newer(earlier: Known[Price], fact: Fact[Price]) -> bool:
    """Whether a remembered price is at least as new as the catalogue's."""
    listed = as_of(fact.date) if isinstance(fact, Known) else None
    read = as_of(earlier.date)
    return listed is None or (read is not None and read >= listed)
