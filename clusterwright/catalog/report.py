"""The catalogue as lists of facts: by name, or by age of the data sets."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, get_args

from clusterwright.catalog.catalog import Catalog
from clusterwright.catalog.dates import as_of, is_stale
from clusterwright.catalog.facts import Fact, Known, Unknown
from clusterwright.catalog.model import (
    Accelerator,
    InstanceType,
    Interface,
    LocalNvme,
    Price,
    PriceKind,
    QuotaUse,
    UltraServer,
)
from clusterwright.platforms.registry import PLATFORMS

# Kinds in price lists; the others are only in a user's prices.
_SHOWN_KINDS: Final = (
    "ec2-on-demand",
    "hyperpod-on-demand",
    "capacity-block",
    "training-plan-offer",
    "ec2-spot",
)


@dataclass(frozen=True)
class Line:
    """One fact with its name; `fact` has source, date and reason."""

    name: str
    fact: Fact[Any]

    @property
    def words(self) -> str:
        """The value as text, or `unknown`."""
        return in_words(self.fact.value) if isinstance(self.fact, Known) else "unknown"


@dataclass(frozen=True)
class Section:
    """A titled group of facts."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Subject:
    """All facts on one name."""

    name: str
    kind: str
    sections: tuple[Section, ...]


@dataclass
class Age:
    """The age of one data set."""

    data_set: str
    values: int = 0
    unknown: int = 0
    undated: int = 0
    stale: int = 0
    """Older than 90 days, or without a date."""

    derived: int = 0
    oldest: str | None = None
    newest: str | None = None
    _oldest_day: dt.date | None = field(default=None, repr=False)
    _newest_day: dt.date | None = field(default=None, repr=False)

    def count(self, fact: Fact[Any], today: dt.date) -> None:
        if isinstance(fact, Unknown):
            self.unknown += 1
            return
        self.values += 1
        self.derived += fact.derived
        self.stale += is_stale(fact.date, today)
        day = as_of(fact.date)
        if day is None:
            self.undated += 1
            return
        if self._oldest_day is None or day < self._oldest_day:
            self._oldest_day, self.oldest = day, fact.date
        if self._newest_day is None or day > self._newest_day:
            self._newest_day, self.newest = day, fact.date


def subject(catalog: Catalog, name: str, region: str | None = None) -> Subject | None:
    """The facts on an instance type, an accelerator or an UltraServer; `None` without any.

    Parameters
    ----------
    name:
        `p5.48xlarge` (also with `ml.`), `H100`, `u-p6e-gb200x72`.
    region:
        Limits places and prices to this region; by default those of all regions.
    """
    instance = catalog.instance(name.removeprefix("ml."))
    if instance is not None:
        return _instance(catalog, instance, region)
    accelerator = catalog.accelerator(name)
    if accelerator is not None:
        return Subject(name, "accelerator", (_accelerator(accelerator),))
    ultraserver = catalog.ultraservers.get(name)
    if ultraserver is not None:
        sections = [Section("ultraserver", _fields(ultraserver))]
        prices = _prices(catalog, name, region)
        return Subject(name, "ultraserver", (*sections, Section("prices", prices)))
    return None


def ages(catalog: Catalog, today: dt.date) -> tuple[Age, ...]:
    """Every data set's counts and dates."""
    found: dict[str, Age] = {}
    for data_set, fact in all_facts(catalog):
        found.setdefault(data_set, Age(data_set)).count(fact, today)
    return tuple(found.values())


def all_facts(catalog: Catalog) -> Iterator[tuple[str, Fact[Any]]]:
    """(data set, fact) of all facts in the data files, without derived ones."""
    yield from _instance_facts(catalog)
    yield from _place_facts(catalog)
    yield from _price_facts(catalog)
    yield from _quota_facts(catalog)
    yield from _hardware_facts(catalog)
    for tier in catalog.lustre.tiers:
        yield "lustre", Known(tier.step_gib, tier.source, tier.date)
        yield "lustre", tier.network_baseline_mbps_per_tib
    for key in catalog.limit_units:
        yield "limits", catalog.limit(key)


def in_words(value: Any) -> str:
    """A value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Price):
        return f"{_amount(value.usd)} USD per {value.unit}"
    if isinstance(value, LocalNvme):
        return f"{value.count} x {value.size_gb} GB" if value.count else "none"
    if isinstance(value, (frozenset, set)):
        return ", ".join(sorted(value)) or "none"
    if isinstance(value, tuple):
        if value and isinstance(value[0], Interface):
            return _layout(value)
        return ", ".join(str(item) for item in value) or "none"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "none" if value in ("", None) else str(value)


def _instance(catalog: Catalog, instance: InstanceType, region: str | None) -> Subject:
    name = instance.name
    sections = [Section("instance", _fields(instance))]
    accelerator = catalog.accelerator_of(name)
    if accelerator is not None:
        sections.append(_accelerator(accelerator))
    addresses = [
        Line(f"addresses on {platform}", catalog.addresses_per_node(name, platform))
        for platform in PLATFORMS
    ]
    layout = Line("interfaces", catalog.interface_layout(name))
    sections.append(Section("network", (*addresses, layout)))
    sections.append(Section("quotas", _quotas(catalog, name)))
    sections.append(Section("zones that offer it", _offerings(catalog, name, region)))
    sections.append(Section("prices", _prices(catalog, name, region)))
    return Subject(name, "instance", tuple(sections))


def _accelerator(accelerator: Accelerator) -> Section:
    lines = [
        Line(entry.name, getattr(accelerator, entry.name))
        for entry in dataclasses.fields(accelerator)
        if entry.name not in ("name", "precisions")
    ]
    lines += [Line(f"precision {name}", fact) for name, fact in accelerator.precisions]
    return Section(f"accelerator {accelerator.name}", tuple(lines))


def _fields(record: InstanceType | UltraServer) -> tuple[Line, ...]:
    lines = []
    for entry in dataclasses.fields(record):
        fact = getattr(record, entry.name)
        if isinstance(fact, (Known, Unknown)):
            lines.append(Line(entry.name, fact))
    return tuple(lines)


def _quotas(catalog: Catalog, name: str) -> tuple[Line, ...]:
    lines = []
    for use in get_args(QuotaUse):
        found = catalog.quota_for(name, use)
        if isinstance(found, Unknown):
            lines.append(Line(use, found))
            continue
        quota = found.value
        code = quota.code or "code unknown"
        lines.append(
            Line(f"{use} quota", Known(f"{quota.name} ({code})", found.source, found.date))
        )
        lines.append(Line(f"{use} default, {quota.unit}", quota.default))
    return tuple(lines)


def _offerings(catalog: Catalog, name: str, region: str | None) -> tuple[Line, ...]:
    if region is not None:
        return (Line(region, catalog.offering(name, region)),)
    lines = []
    for each in sorted(catalog.regions):
        fact = catalog.offering(name, each)
        if isinstance(fact, Known) and fact.value:
            lines.append(Line(each, fact))
    return tuple(lines)


def _prices(catalog: Catalog, name: str, region: str | None) -> tuple[Line, ...]:
    mine = {kind for known, kind, _ in catalog.priced if known == name}
    kinds: list[PriceKind] = [k for k in get_args(PriceKind) if k in _SHOWN_KINDS or k in mine]
    places = {place for known, _, place in catalog.priced if known == name}
    lines = []
    for kind in kinds:
        if region is not None:
            lines.append(Line(f"{kind} {region}", catalog.instance_price(name, region, kind)))
            continue
        known = [
            Line(f"{kind} {p}", catalog.instance_price(name, p, kind)) for p in sorted(places)
        ]
        known = [line for line in known if isinstance(line.fact, Known)]
        lines += known or [Line(kind, catalog.instance_price(name, "any region", kind))]
    return tuple(lines)


def _amount(usd: Decimal) -> str:
    return f"{usd.normalize():f}"


def _layout(interfaces: tuple[Interface, ...]) -> str:
    """Runs of cards: `33: card 0 device 0 interface; card 0 device 1 efa-only; ...`."""
    runs: list[tuple[int, int, int, str]] = []
    for each in interfaces:
        if runs and runs[-1][1] == each.card - 1 and runs[-1][2:] == (each.device, each.kind):
            runs[-1] = (runs[-1][0], each.card, each.device, each.kind)
        else:
            runs.append((each.card, each.card, each.device, each.kind))
    parts = [
        f"card {first} device {device} {kind}"
        if first == last
        else f"cards {first}-{last} device {device} {kind}"
        for first, last, device, kind in runs
    ]
    return f"{len(interfaces)}: " + "; ".join(parts)


def _instance_facts(catalog: Catalog) -> Iterator[tuple[str, Fact[Any]]]:
    for name in sorted(catalog.described_names):
        instance = catalog.instance(name)
        assert instance is not None
        for line in _fields(instance):
            yield "instances", line.fact


def _place_facts(catalog: Catalog) -> Iterator[tuple[str, Fact[Any]]]:
    store = catalog.store
    offerings, zones = store.document("offerings"), store.document("zones")
    for listed in offerings["regions"].values():
        for _ in listed["offers"]:
            yield "offerings", Known(True, *store.source(listed["source"]))
    for _, zone, source in offerings["local_offers"]:
        yield "offerings", Known(zone, *store.source(source))
    for listed in zones["regions"].values():
        yield "zones", Known(True, *store.source(listed["source"]))
    for local in zones["local_zones"]:
        if local["zone_id"] is None:
            yield "zones", Unknown(local["note"])
        else:
            yield "zones", Known(local["zone_id"], *store.source(local["source"]))


def _price_facts(catalog: Catalog) -> Iterator[tuple[str, Fact[Any]]]:
    store = catalog.store
    prices = store.document("prices")
    for _, kind, _, usd, _, source, *_ in prices["instance_prices"]:
        yield f"prices {kind}", Known(usd, *store.source(source))
    for _, kind, _, reason in prices["unknown_instance_prices"]:
        yield f"prices {kind}", Unknown(reason)
    for _, _, place, usd, unit, source in prices["service_prices"]:
        if place == "unspecified":
            yield "prices services", Unknown(f"{usd} USD per {unit}, without a region")
        else:
            yield "prices services", Known(usd, *store.source(source))


def _quota_facts(catalog: Catalog) -> Iterator[tuple[str, Fact[Any]]]:
    for quota in catalog.quotas:
        if quota.code is None:
            yield "quota codes", Unknown("not found, or AWS has none")
        else:
            yield "quota codes", Known(quota.code, quota.source, quota.date)
        if quota.defaults_by_region:
            for _, default in quota.defaults_by_region:
                yield "quota defaults", default
        else:
            yield "quota defaults", quota.default


def _hardware_facts(catalog: Catalog) -> Iterator[tuple[str, Fact[Any]]]:
    for name in catalog.accelerator_names:
        accelerator = catalog.accelerator(name)
        assert accelerator is not None
        for line in _accelerator(accelerator).lines:
            yield "accelerators", line.fact
    for ultraserver in catalog.ultraservers.values():
        for line in _fields(ultraserver):
            yield "ultraservers", line.fact
    network = catalog.store.document("network")
    for _, _, written in network["addresses"]:
        yield "network", catalog.store.fact(written)
    for written in network["layouts"].values():
        yield "network", catalog.store.fact(written)
