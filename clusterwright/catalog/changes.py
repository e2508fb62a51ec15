"""Differences between two versions of the catalogue, by fact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

ChangeKind = Literal["added", "removed", "changed"]


@dataclass(frozen=True)
class Change:
    """An added, removed or changed fact; `None` without a value."""

    data_set: str
    fact: str
    kind: ChangeKind
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Changes:
    """All differences, and the number of facts with an unchanged value and a new date."""

    changes: tuple[Change, ...]
    confirmed: int


def compare(before: Mapping[str, dict[str, Any]], after: Mapping[str, dict[str, Any]]) -> Changes:
    """The differences between the documents of two catalogues."""
    old, new = flatten(before), flatten(after)
    found: list[Change] = []
    confirmed = 0
    for key in sorted(old.keys() | new.keys()):
        was, is_now = old.get(key), new.get(key)
        if was is not None and is_now is not None:
            if was[0] != is_now[0]:
                found.append(Change(*key, "changed", was[0], is_now[0]))
            elif was[1] != is_now[1]:
                confirmed += 1
        elif is_now is not None:
            found.append(Change(*key, "added", None, is_now[0]))
        elif was is not None:
            found.append(Change(*key, "removed", was[0], None))
    return Changes(tuple(found), confirmed)


def flatten(documents: Mapping[str, dict[str, Any]]) -> dict[tuple[str, str], tuple[str, str]]:
    """(data set, fact) to (value as text, source id) of the data that a refresh updates."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for name, record in documents["instances"]["instances"].items():
        for field, written in record.items():
            if field not in ("source", "in_api"):
                key = ("instances", f"{name} {field}")
                found[key] = (_words(written), _source(written, record["source"]))
    for region, listed in documents["zones"]["regions"].items():
        found["zones", region] = (" ".join(listed["zones"]), listed["source"])
    for local in documents["zones"]["local_zones"]:
        found["zones", local["zone"]] = (str(local["zone_id"]), local["source"])
    for region, listed in documents["offerings"]["regions"].items():
        for name, zones in listed["offers"].items():
            found["offerings", f"{name} {region}"] = (" ".join(zones), listed["source"])
    for name, kind, place, usd, unit, source, *_ in documents["prices"]["instance_prices"]:
        found["prices", f"{name} {kind} {place}"] = (f"{_amount(usd)} USD per {unit}", source)
    for name, kind, place, reason in documents["prices"]["unknown_instance_prices"]:
        found["prices", f"{name} {kind} {place}"] = (f"unknown: {reason}", "")
    for service, item, place, usd, unit, source in documents["prices"]["service_prices"]:
        found["prices", f"{service} {item} {place}"] = (f"{_amount(usd)} USD per {unit}", source)
    for service, code, name, _, source, written in documents["quotas"]["quotas"]:
        found["quotas", f"{service} {code or name}"] = (f"{_words(written)}, {name}", source)
    return found


def _amount(usd: str) -> str:
    """The amount without trailing zeros: the Price List writes 55.0400000000."""
    whole, _, rest = usd.partition(".")
    rest = rest.rstrip("0")
    return f"{whole}.{rest}" if rest else whole


def _words(written: Any) -> str:
    if isinstance(written, dict):
        if "unknown" in written:
            return f"unknown: {written['unknown']}"
        if "value" in written:
            return _words(written["value"])
        return " ".join(f"{key}={value}" for key, value in written.items())
    if isinstance(written, bool):
        return "yes" if written else "no"
    if isinstance(written, list):
        return " ".join(str(item) for item in written)
    return str(written)


def _source(written: Any, record_source: str) -> str:
    if isinstance(written, dict):
        return str(written.get("source", ""))
    return record_source
