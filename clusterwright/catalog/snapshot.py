"""Responses of live APIs for one region, and their merge into the catalogue's documents.

A snapshot replaces what it answers and nothing else: facts that no API gives (accelerators,
capacity blocks, Lustre, corrections of wrong API values) and other regions stay as they are.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clusterwright.catalog.api_shapes import API_FIELDS, LEFT_OUT
from clusterwright.catalog.cells import cell, unknown

SCHEMA_VERSION: Final = 1
LIVE_PREFIX: Final = "live-"
PARTS: Final = ("instances", "prices", "quotas")
PRICE_KINDS: Final = ("ec2-on-demand", "hyperpod-on-demand")

# SageMaker has thousands of quotas; these are the ones that HyperPod and training plans use.
_SAGEMAKER_QUOTAS: Final = re.compile(
    r"ml\.\S+ for cluster (spot instance )?usage|.*in reserved capacity across training plans.*"
    r"|.*HyperPod.*|Number of training plans per Region"
)


@dataclass(frozen=True)
class Snapshot:
    """Answers of one region on one day.

    Attributes
    ----------
    endpoint:
        `AWS_ENDPOINT_URL` where it was set: the answers are then not AWS's, and say so.
    instances:
        Records of `api_shapes.instance_record`, without their source, by type.
    zones, local_zones:
        Ids of availability zones; ids of local zones by name.
    offers:
        Zone ids by type.
    prices:
        (type, kind) to USD per hour, `None` where the Price List has several amounts.
    quotas:
        (service, code, name, unit, value).
    parts:
        The refreshed parts, of `PARTS`; others stay unchanged.
    services:
        (service, item) to USD per unit and the unit, for items that have one amount in the Price
        List. Others keep the price on file: that none is found says nothing of the price.
    """

    region: str
    date: str
    endpoint: str | None
    instances: Mapping[str, Mapping[str, Any]]
    zones: tuple[str, ...]
    local_zones: Mapping[str, str]
    offers: Mapping[str, tuple[str, ...]]
    prices: Mapping[tuple[str, str], str | None]
    quotas: tuple[tuple[str, str, str, str, float | None], ...]
    parts: tuple[str, ...] = PARTS
    services: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def source(self, part: str) -> str:
        """The source id of a part: `types`, `offerings`, `prices`, `quotas`."""
        return f"{LIVE_PREFIX}{part}-{self.region}-{self.date}"

    def to_json(self) -> dict[str, Any]:
        """The document for `from_json`."""
        return {
            "schema_version": SCHEMA_VERSION,
            "region": self.region,
            "date": self.date,
            "endpoint": self.endpoint,
            "parts": list(self.parts),
            "instances": {name: dict(self.instances[name]) for name in sorted(self.instances)},
            "zones": sorted(self.zones),
            "local_zones": {name: self.local_zones[name] for name in sorted(self.local_zones)},
            "offers": {name: sorted(self.offers[name]) for name in sorted(self.offers)},
            "prices": [[name, kind, usd] for (name, kind), usd in sorted(self.prices.items())],
            "services": [[*key, *price] for key, price in sorted(self.services.items())],
            "quotas": [list(row) for row in sorted(self.quotas)],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Snapshot:
        """The snapshot of a document of `to_json`."""
        assert document["schema_version"] == SCHEMA_VERSION
        return cls(
            region=document["region"],
            date=document["date"],
            endpoint=document["endpoint"],
            instances=document["instances"],
            zones=tuple(document["zones"]),
            local_zones=document["local_zones"],
            offers={name: tuple(zones) for name, zones in document["offers"].items()},
            prices={(name, kind): usd for name, kind, usd in document["prices"]},
            quotas=tuple((s, c, n, u, v) for s, c, n, u, v in document["quotas"]),
            parts=tuple(document["parts"]),
            # Snapshots before 2026-11-23 have no prices of services.
            services={(s, i): (usd, u) for s, i, usd, u in document.get("services", ())},
        )


def keeps_quota(
    service: str, code: str, name: str, known: Iterable[tuple[str, str | None]]
) -> bool:
    """Whether a live quota is kept: it is in the catalogue already, or HyperPod uses it."""
    if (service, code) in set(known):
        return True
    return service == "sagemaker" and _SAGEMAKER_QUOTAS.fullmatch(name) is not None


def apply(documents: Mapping[str, dict[str, Any]], live: Snapshot) -> dict[str, dict[str, Any]]:
    """A copy of the documents, updated with a snapshot."""
    made = {name: copy.deepcopy(content) for name, content in documents.items()}
    where = f" at {live.endpoint}, which is not AWS" if live.endpoint else ""
    titles = {
        "types": "EC2 DescribeInstanceTypes",
        "offerings": "EC2 DescribeInstanceTypeOfferings and DescribeAvailabilityZones",
        "prices": "AWS Price List (Pricing GetProducts)",
        "quotas": "Service Quotas ListAWSDefaultServiceQuotas",
    }
    for part, title in titles.items():
        made["sources"]["sources"][live.source(part)] = [
            f"{title}, {live.region}{where}",
            live.date,
        ]
    records = made["instances"]["instances"]
    if "instances" in live.parts:
        _instances(records, live)
        _places(made["zones"], made["offerings"], live)
    if "prices" in live.parts:
        _prices(made["prices"], records, live)
        _service_prices(made["prices"], live)
    if "quotas" in live.parts:
        made["quotas"]["quotas"] = _quotas(made["quotas"]["quotas"], live)
    _drop_unused_sources(made)
    return made


def _instances(records: dict[str, dict[str, Any]], live: Snapshot) -> None:
    source = live.source("types")
    for name, answered in live.instances.items():
        record = records.get(name)
        if record is None:
            record = records[name] = _new_record()
        from_api = record.pop("in_api", True)
        before = record["source"]
        record["source"] = source
        for key in API_FIELDS:
            if answered[key] == LEFT_OUT:
                record[key] = _of_source(record[key], before)
            elif not (from_api and _is_correction(record[key], before)):
                record[key] = _rewritten(answered[key], source)
        if record["efa_interfaces"] == 0:
            record["efa_generation"] = "none"
    for name in sorted(records):
        records[name] = records.pop(name)


def _new_record() -> dict[str, Any]:
    nothing = unknown("new to the catalogue: no source was read")
    record: dict[str, Any] = {"source": "", "in_api": False}
    record |= dict.fromkeys(API_FIELDS, nothing)
    for key in (
        "accelerator",
        "nitro",
        "efa_generation",
        "scale_up_size",
        "scale_up_link_gbytes_per_s",
        "topology_layers",
        "on_demand",
        "capacity_block_places",
    ):
        record[key] = nothing
    return record


def _is_correction(written: Any, record_source: str) -> bool:
    """Whether a manual value replaces a wrong one of the API."""
    return isinstance(written, dict) and written.get("source", record_source) != record_source


def _of_source(written: Any, source: str) -> Any:
    """A kept value, with the source of its record."""
    return written if isinstance(written, dict) else cell(written, source)


def _rewritten(answered: Any, source: str) -> Any:
    if isinstance(answered, dict) and "source" in answered:
        return {**answered, "source": source}
    return answered


def _places(zones: dict[str, Any], offerings: dict[str, Any], live: Snapshot) -> None:
    source = live.source("offerings")
    zones["regions"][live.region] = {"source": source, "zones": sorted(live.zones)}
    zones["regions"] = {name: zones["regions"][name] for name in sorted(zones["regions"])}
    for local in zones["local_zones"]:
        if local["zone"] in live.local_zones:
            local["zone_id"] = live.local_zones[local["zone"]]
            local["source"] = source
    offers = {name: sorted(live.offers[name]) for name in sorted(live.offers)}
    offerings["regions"][live.region] = {"source": source, "offers": offers}
    offerings["regions"] = {
        name: offerings["regions"][name] for name in sorted(offerings["regions"])
    }


def _prices(prices: dict[str, Any], records: Mapping[str, Any], live: Snapshot) -> None:
    kinds, source = set(PRICE_KINDS), live.source("prices")

    def answered(row: list[str]) -> bool:
        return row[1] in kinds and row[2] == live.region and row[0] in records

    kept = [row for row in prices["instance_prices"] if not answered(row)]
    reasons = [row for row in prices["unknown_instance_prices"] if not answered(row)]
    gone = [row[:3] for row in prices["instance_prices"] if answered(row)]
    for (name, kind), usd in live.prices.items():
        if name not in records:
            continue
        if usd is None:
            reason = f"the Price List has several amounts for it ({live.date})"
            reasons.append([name, kind, live.region, reason])
        else:
            kept.append([name, kind, live.region, usd, "instance-hour", source])
    for name, kind, place in gone:
        if (name, kind) not in live.prices:
            reason = f"not in the Price List of {place} on {live.date}"
            reasons.append([name, kind, place, reason])
    prices["instance_prices"] = sorted(kept, key=lambda row: row[:3])
    prices["unknown_instance_prices"] = sorted(reasons)


def _service_prices(prices: dict[str, Any], live: Snapshot) -> None:
    source = live.source("prices")
    rows = {tuple(row[:3]): row for row in prices["service_prices"]}
    for (service, item), (usd, unit) in live.services.items():
        rows[service, item, live.region] = [service, item, live.region, usd, unit, source]
    prices["service_prices"] = [rows[key] for key in sorted(rows)]


def _quotas(rows: list[list[Any]], live: Snapshot) -> list[list[Any]]:
    source = live.source("quotas")
    by_code = {(row[0], row[1]): row for row in rows if row[1] is not None}
    nameless = {(row[0], row[2]): row for row in rows if row[1] is None}
    found = list(rows)
    for service, code, name, unit, value in live.quotas:
        default = unknown("AWS states no value") if value is None else cell(_number(value), source)
        row = by_code.get((service, code)) or nameless.get((service, name))
        if row is None:
            row = [service, code, name, _unit(unit), source, default]
            found.append(row)
        else:
            # The unit stays: AWS has "None" where the documentation has vCPU or instances.
            default = _of_region(row[5], default, live)
            row[:] = [service, code, name, row[3], source, default]
    return sorted(found, key=lambda row: (row[0], row[1] or "~", row[2]))


def _of_region(before: Any, answered: Any, live: Snapshot) -> Any:
    """The default, with those of other regions if it differs by region."""
    table = before.get("value")
    if not isinstance(table, dict) or "value" not in answered:
        return answered
    if table.get(live.region, table.get("*")) == answered["value"]:
        return before
    note = f"{live.region} as of {live.date}, other regions as before"
    return cell({**table, live.region: answered["value"]}, answered["source"], note)


def _unit(unit: str) -> str:
    return "count" if unit in ("None", "") else unit


def _number(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value


def _drop_unused_sources(documents: dict[str, dict[str, Any]]) -> None:
    """Sources of earlier snapshots without references."""
    used: set[str] = set()
    for name, content in documents.items():
        if name != "sources":
            _collect(content, used)
    sources = documents["sources"]["sources"]
    for key in [k for k in sources if k.startswith(LIVE_PREFIX) and k not in used]:
        del sources[key]


def _collect(value: Any, used: set[str]) -> None:
    if isinstance(value, str):
        if value.startswith(LIVE_PREFIX):
            used.add(value)
    elif isinstance(value, dict):
        for item in value.values():
            _collect(item, used)
    elif isinstance(value, list):
        for item in value:
            _collect(item, used)
