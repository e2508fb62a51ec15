"""The catalogue: typed access to the data files, which are read on demand."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from clusterwright.catalog import interfaces, quota_use, spelling
from clusterwright.catalog.facts import Fact, Known, Unknown
from clusterwright.catalog.lustre import LustreFacts
from clusterwright.catalog.model import (
    Accelerator,
    InstanceType,
    Interface,
    LocalNvme,
    Price,
    PriceKind,
    Quota,
    QuotaUse,
    UltraServer,
)
from clusterwright.catalog.overrides import PriceOverrides
from clusterwright.catalog.store import Store

_ENUM_FIELDS: Final = ("hyperpod", "training_plan")
_RECORD_KEYS: Final = ("source", "in_api")
_PRECISION: Final = "precision:"


class Catalog:
    """Dated facts about instances, places, prices, quotas and limits.

    Everything that no source states, or that sources contradict, is `Unknown` with the reason;
    nothing is estimated, and no other region's price stands in for a missing one.
    """

    def __init__(self, store: Store, overrides: PriceOverrides | None = None) -> None:
        self.store = store
        self._overrides = overrides or PriceOverrides()
        self._instances: dict[str, InstanceType] = {}

    @property
    def overrides(self) -> PriceOverrides:
        """The user's own rates."""
        return self._overrides

    def without_overrides(self) -> Catalog:
        """The catalogue without the user's rates."""
        return Catalog(self.store)

    # -- names ------------------------------------------------------------------------------

    @functools.cached_property
    def instance_names(self) -> frozenset[str]:
        """Every EC2 instance type, including documented ones that EC2's enumeration lacks."""
        names = self.store.document("names")
        return frozenset(names["instance_types"]) | frozenset(self._records)

    @functools.cached_property
    def hyperpod_names(self) -> frozenset[str]:
        """Types of HyperPod's ClusterInstanceType, without `ml.`."""
        return frozenset(self.store.document("names")["hyperpod"])

    @functools.cached_property
    def training_plan_names(self) -> frozenset[str]:
        """Types of SageMaker's ReservedCapacityInstanceType, without `ml.`."""
        return frozenset(self.store.document("names")["training_plan"])

    @functools.cached_property
    def described_names(self) -> frozenset[str]:
        """Instance types with facts."""
        return frozenset(self._records)

    def suggest_instance(self, name: str) -> list[str]:
        """Similar type names, best first."""
        return spelling.nearest(name.removeprefix("ml."), self.instance_names)

    # -- instances --------------------------------------------------------------------------

    def instance(self, name: str) -> InstanceType | None:
        """The facts of a type (EC2's name, no `ml.`); `None` for a type without facts.

        A type may exist (`instance_names`) without being described.
        """
        if name not in self._records:
            return None
        if name not in self._instances:
            self._instances[name] = self._read_instance(name)
        return self._instances[name]

    def accelerator(self, name: str) -> Accelerator | None:
        """The facts of an accelerator by its key: `H100`, `A100-80GB`, `Trn2`."""
        written = self.store.document("accelerators")["accelerators"].get(name)
        if written is None:
            return None
        facts = {key: self.store.fact(value) for key, value in written.items()}
        precisions = tuple(
            (key.removeprefix(_PRECISION), facts.pop(key))
            for key in list(facts)
            if key.startswith(_PRECISION)
        )
        facts["mig_profiles"] = _as_tuple(facts["mig_profiles"])
        return Accelerator(name=name, precisions=precisions, **facts)

    @functools.cached_property
    def accelerator_names(self) -> tuple[str, ...]:
        """Every key of `accelerator`."""
        return tuple(self.store.document("accelerators")["accelerators"])

    def accelerator_of(self, instance_type: str) -> Accelerator | None:
        """The accelerator of an instance type; `None` if it has none or it is unknown."""
        instance = self.instance(instance_type)
        if instance is None or isinstance(instance.accelerator, Unknown):
            return None
        return self.accelerator(instance.accelerator.value)

    def supports_precision(self, accelerator: str, precision: str) -> Fact[bool]:
        """Whether an accelerator's matrix units support a number format.

        `precision` is fp32, tf32, bf16, fp16, fp8, mxfp8 or nvfp4.
        """
        found = self.accelerator(accelerator)
        if found is None:
            return Unknown(f"no facts on an accelerator {accelerator}")
        return dict(found.precisions).get(
            precision, Unknown(f"no facts on a precision {precision}")
        )

    def mig_profiles(self, accelerator: str) -> Fact[tuple[str, ...]]:
        """The MIG profiles of an accelerator; empty if it does not support MIG."""
        found = self.accelerator(accelerator)
        if found is None:
            return Unknown(f"no facts on an accelerator {accelerator}")
        return found.mig_profiles

    @functools.cached_property
    def ultraservers(self) -> Mapping[str, UltraServer]:
        """UltraServers by name."""
        found = {}
        for name, written in self.store.document("ultraservers")["ultraservers"].items():
            facts = {key: self.store.fact(value) for key, value in written.items()}
            facts["places"] = _as_tuple(facts["places"])
            found[name] = UltraServer(name=name, **facts)
        return found

    # -- places -----------------------------------------------------------------------------

    @functools.cached_property
    def regions(self) -> frozenset[str]:
        """Regions whose zones are known."""
        return frozenset(self.store.document("zones")["regions"])

    def zone_ids(self, region: str) -> frozenset[str]:
        """Zone ids of a region, and its local zones by name and, if known, by id.

        Empty for a region that is not in `regions`.
        """
        zones = self.store.document("zones")
        found = set(zones["regions"].get(region, {"zones": ()})["zones"])
        for local in zones["local_zones"]:
            if local["region"] == region:
                found |= {local["zone"], local["zone_id"]} - {None}
        return frozenset(found)

    def local_zone(self, zone: str) -> str | None:
        """The name of a local zone, given its name or its id; `None` for any other zone."""
        for local in self.store.document("zones")["local_zones"]:
            if zone in (local["zone"], local["zone_id"]):
                return str(local["zone"])
        return None

    def offering(self, instance_type: str, region: str) -> Fact[frozenset[str]]:
        """Zone ids of a region that offer a type; local zones by name and id.

        An empty set is an answer: EC2 listed the region's offerings and the type was not there.
        """
        document = self.store.document("offerings")
        zones: set[str] = set()
        source: str | None = None
        note = ""
        listed = document["regions"].get(region)
        record = self._records.get(instance_type)
        # If EC2's list of types lacks it, its absence from the offerings is no evidence.
        if listed is not None and record is not None and record.get("in_api", True):
            source = listed["source"]
            zones |= set(listed["offers"].get(instance_type, ()))
        for name, zone, local_source in document["local_offers"]:
            ids = self.zone_ids(region)
            if name == instance_type and zone in ids:
                zones |= {z for z in ids if self.local_zone(z) == zone}
                note = f"{zone}: {self.store.source(local_source)[0]}"
                source = source or local_source
        if source is None:
            return Unknown(f"no source states the zones of {region} that offer {instance_type}")
        return Known(frozenset(zones), *self.store.source(source), note)

    # -- prices -----------------------------------------------------------------------------

    def instance_price(self, instance_type: str, region: str, kind: PriceKind) -> Fact[Price]:
        """Per instance-hour (or UltraServer-hour), in one region or local zone.

        A local zone has its own prices; give its name or id as `region` to ask for them.
        """
        place = self.local_zone(region) or region
        mine = self._overrides.instances.get((instance_type, kind, place))
        if mine is not None:
            return mine
        if kind.endswith("-spot"):
            return Unknown("spot prices change by the minute and are not in the catalogue")
        row = self._instance_prices.get((instance_type, kind, place))
        if row is not None:
            usd, unit, source, *note = row
            title, date = self.store.source(source)
            return Known(Price(Decimal(usd), unit), title, date, "".join(note))
        for written_place in (place, "*"):
            reason = self._unknown_prices.get((instance_type, kind, written_place))
            if reason is not None:
                return Unknown(reason)
        return Unknown(f"no {kind} price of {instance_type} in {place} is in any source")

    @property
    def priced(self) -> frozenset[tuple[str, str, str]]:
        """Every (type, kind, place) with a price, including the user's."""
        return frozenset(self._instance_prices) | frozenset(self._overrides.instances)

    def service_price(self, service: str, item: str, region: str) -> Fact[Price]:
        """Price of an item of a service (`service_items`) in one region."""
        mine = self._overrides.services.get((service, item, region))
        if mine is not None:
            return mine
        row = self._service_prices.get((service, item, region))
        if row is not None:
            usd, unit, source = row
            return Known(Price(Decimal(usd), unit), *self.store.source(source))
        anywhere = self._service_prices.get((service, item, "unspecified"))
        if anywhere is not None:
            usd, unit, source = anywhere
            return Unknown(
                f"{usd} USD per {unit} is stated without a region ({self.store.source(source)[0]})"
            )
        return Unknown(f"no price of {service} {item} in {region} is in any source")

    def service_items(self, service: str) -> tuple[str, ...]:
        """Items of a service that have a price somewhere, sorted."""
        rows = {item for name, item, _ in self._service_prices if name == service}
        rows |= {item for name, item, _ in self._overrides.services if name == service}
        return tuple(sorted(rows))

    @functools.cached_property
    def services(self) -> tuple[str, ...]:
        """Services with priced items, sorted."""
        return tuple(sorted({name for name, _, _ in self._service_prices}))

    # -- quotas -----------------------------------------------------------------------------

    @functools.cached_property
    def quotas(self) -> tuple[Quota, ...]:
        """Every quota in the sources, with or without a code."""
        return tuple(self._read_quota(row) for row in self.store.document("quotas")["quotas"])

    def quota(self, service: str, code: str) -> Quota | None:
        """One quota by its code, such as ("sagemaker", "L-2CE978FC")."""
        return self._quotas_by_code.get((service, code))

    def quota_for(self, instance_type: str, use: QuotaUse) -> Fact[Quota]:
        """The quota for a use of a type.

        EC2's quotas count vCPUs of a whole family, SageMaker's count instances of one type.
        """
        return quota_use.find(instance_type, use, self.quotas)

    # -- nodes and limits ---------------------------------------------------------------------

    def addresses_per_node(self, instance_type: str, platform: str) -> Fact[int]:
        """Subnet addresses of one node, sourced or derived (`derived`) from its network cards."""
        for name, of_platform, written in self.store.document("network")["addresses"]:
            if of_platform == platform and name in (instance_type, "*"):
                return self.store.fact(written)
        instance = self.instance(instance_type)
        if instance is None:
            return Unknown(f"no facts on {instance_type}")
        return interfaces.derived_addresses(
            instance, platform, self.interface_layout(instance_type)
        )

    def interface_layout(self, instance_type: str) -> Fact[tuple[Interface, ...]]:
        """The network interfaces of a launch template for this type, with EFA if supported."""
        document = self.store.document("network")
        written = document["layouts"].get(instance_type)
        if written is not None:
            fact = self.store.fact(written)
            assert isinstance(fact, Known)
            layout = tuple(
                Interface(card, device, kind)
                for first, last, device, kind in fact.value
                for card in range(first, last + 1)
            )
            note = interfaces.LAYOUT_NOTE if layout[-1].card else ""
            return Known(layout, fact.source, fact.date, note)
        instance = self.instance(instance_type)
        if instance is None:
            return Unknown(f"no facts on {instance_type}")
        return interfaces.derived_layout(instance, self.store.source("parallelcluster"))

    @functools.cached_property
    def lustre(self) -> LustreFacts:
        """FSx for Lustre."""
        return LustreFacts(self.store)

    def limit(self, key: str) -> Fact[float]:
        """A service limit that is not a quota, such as `hyperpod.instances_per_group_max`."""
        written = self.store.document("limits")["limits"].get(key)
        if written is None:
            return Unknown(f"no limit {key} is in any source")
        return self.store.fact(written[1])

    @functools.cached_property
    def limit_units(self) -> Mapping[str, str]:
        """Every limit's key and unit."""
        return {key: unit for key, (unit, _) in self.store.document("limits")["limits"].items()}

    # -- reading ------------------------------------------------------------------------------

    @functools.cached_property
    def _records(self) -> Mapping[str, Mapping[str, Any]]:
        records: Mapping[str, Mapping[str, Any]] = self.store.document("instances")["instances"]
        return records

    def _read_instance(self, name: str) -> InstanceType:
        record = self._records[name]
        source = record["source"]
        facts: dict[str, Any] = {
            field: self.store.fact(written, source)
            for field, written in record.items()
            if field not in _RECORD_KEYS
        }
        names = self.store.document("names")
        where = self.store.source(names["source"])
        for field in _ENUM_FIELDS:
            facts[field] = Known(name in names[field], *where)
        disks = facts["local_nvme"]
        if isinstance(disks, Known):
            facts["local_nvme"] = Known(
                LocalNvme(*disks.value), disks.source, disks.date, disks.note, disks.derived
            )
        facts["capacity_block_places"] = _as_tuple(facts["capacity_block_places"])
        facts.setdefault("remark", None)
        return InstanceType(name=name, **facts)

    def _read_quota(self, row: list[Any]) -> Quota:
        service, code, name, unit, source, written = row
        title, date = self.store.source(source)
        default = self.store.fact(written)
        if not isinstance(default, Known) or not isinstance(default.value, dict):
            return Quota(service, code, name, unit, title, date, default)
        by_region = tuple(
            (region, Known(float(value), default.source, default.date))
            for region, value in default.value.items()
        )
        several = Unknown("differs by region: see default_in")
        return Quota(service, code, name, unit, title, date, several, by_region)

    @functools.cached_property
    def _quotas_by_code(self) -> Mapping[tuple[str, str], Quota]:
        return {(q.service, q.code): q for q in self.quotas if q.code is not None}

    @functools.cached_property
    def _instance_prices(self) -> Mapping[tuple[str, str, str], list[str]]:
        rows = self.store.document("prices")["instance_prices"]
        return {(name, kind, place): rest for name, kind, place, *rest in rows}

    @functools.cached_property
    def _unknown_prices(self) -> Mapping[tuple[str, str, str], str]:
        rows = self.store.document("prices")["unknown_instance_prices"]
        return {(name, kind, place): reason for name, kind, place, reason in rows}

    @functools.cached_property
    def _service_prices(self) -> Mapping[tuple[str, str, str], list[str]]:
        rows = self.store.document("prices")["service_prices"]
        return {(service, item, place): rest for service, item, place, *rest in rows}


def _as_tuple(fact: Fact[Any]) -> Fact[tuple[str, ...]]:
    if isinstance(fact, Unknown):
        return fact
    return Known(tuple(fact.value), fact.source, fact.date, fact.note, fact.derived)
