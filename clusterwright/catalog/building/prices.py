"""Prices: the newest source of each price, by region.

A Capacity Block page often names its regions in words ("US regions"). Words that the documented
list of regions decides are resolved; words that nothing decides ("unspecified", "low region")
make the price of every region unknown if they are newer and say another amount.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any, Final

from clusterwright.catalog.building import inputs
from clusterwright.catalog.dates import as_of

_US: Final = frozenset({"US", "US (high)", "US regions"})
_ALL: Final = frozenset({"all listed", "all listed regions", "as listed"})


def prices(records: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The document of prices: rows of known ones, and reasons for unknown ones."""
    dates = {row["id"]: row["date"] for row in inputs.rows("sources.csv")}
    known: dict[tuple[str, str, str], dict[str, str]] = {}
    unresolved: list[dict[str, str]] = []
    for row in inputs.rows("instance_prices.csv"):
        places = _places(row, records)
        if not places:
            unresolved.append(row)
        for place in places:
            key = (row["instance"], row["kind"], place)
            _keep_newest(known, key, row, dates)
    unknowns = [
        [row["instance"], row["kind"], row["place"], row["reason"]]
        for row in inputs.rows("price_unknowns.csv")
    ]
    unknowns += _contradicted(known, unresolved, dates)
    return {
        "schema_version": 1,
        "instance_prices": [
            [name, kind, place, row["usd"], row["unit"], row["source"], *_note(row, place)]
            for (name, kind, place), row in sorted(known.items())
        ],
        "unknown_instance_prices": sorted(unknowns),
        "service_prices": _services(dates),
    }


def _places(row: Mapping[str, str], records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The regions and local zones of a row; empty if it does not name them."""
    words = row["place"]
    if row["kind"] != "capacity-block":
        return words.split(";")
    sold = records.get(row["instance"], {}).get("capacity_block_places", {}).get("value", [])
    commercial_us = [
        p for p in sold if p.startswith(("us-east-", "us-west-")) and p.count("-") == 2
    ]
    if words in _US:
        return commercial_us
    if words in _ALL:
        return list(sold)
    found = []
    for part in words.split(";"):
        if part == "us-east regions":
            found += [p for p in commercial_us if p.startswith("us-east-")]
        elif "-" in part and part.count("-") >= 2 and " " not in part:
            found.append(part)
        else:
            return []
    return found


def _note(row: Mapping[str, str], place: str) -> list[str]:
    """Remarks: resolved names of places, divided amounts."""
    if row["kind"] == "training-plan-offer":
        return ["an offer of one instance for 24 h, its total divided by 24"]
    if place not in row["place"].split(";"):
        return [f'the page says "{row["place"]}"; its regions are those of the documentation']
    return []


def _keep_newest(
    known: dict[tuple[str, str, str], dict[str, str]],
    key: tuple[str, str, str],
    row: dict[str, str],
    dates: Mapping[str, str],
) -> None:
    """Store the row unless the key has one of a newer source.

    Raises
    ------
    SystemExit
        Two rows of one day state different amounts: neither is the newer.
    """
    before = known.setdefault(key, row)
    if _newer(row, before, dates):
        known[key] = row
    elif before["usd"] != row["usd"] and _day(before, dates) == _day(row, dates):
        raise SystemExit(
            f"{' '.join(key)}: {before['source']} states {before['usd']} and {row['source']}"
            f" states {row['usd']} on the same day; remove one row or correct a date"
        )


def _newer(row: Mapping[str, str], other: Mapping[str, str], dates: Mapping[str, str]) -> bool:
    return _day(row, dates) > _day(other, dates)


def _day(row: Mapping[str, str], dates: Mapping[str, str]) -> dt.date:
    return as_of(dates[row["source"]]) or dt.date.min


def _contradicted(
    known: dict[tuple[str, str, str], dict[str, str]],
    unresolved: Iterable[dict[str, str]],
    dates: Mapping[str, str],
) -> list[list[str]]:
    """Remove prices that a newer amount without a region contradicts, with the reason."""
    doubts: dict[str, list[dict[str, str]]] = {}
    for row in unresolved:
        doubts.setdefault(row["instance"], []).append(row)
    reasons = []
    for name, rows in sorted(doubts.items()):
        last = max(_day(row, dates) for row in rows)
        newest = [row for row in rows if _day(row, dates) == last]
        said = "; ".join(
            f'{row["usd"]} USD per {row["unit"]} for "{row["place"]}", which names no region'
            for row in newest
        )
        said = f"{dates[newest[0]['source']]}: {said}"
        keys = [key for key in known if key[0] == name and key[1] == "capacity-block"]
        if all(_day(known[key], dates) <= last for key in keys):
            reasons.append([name, "capacity-block", "*", said])
        for key in keys:
            row = known[key]
            if any(_newer(other, row, dates) and other["usd"] != row["usd"] for other in rows):
                del known[key]
                before = f"the last amount for {key[2]} is {row['usd']} of {dates[row['source']]}"
                reasons.append([name, "capacity-block", key[2], f"{said}; {before}"])
    return reasons


def _services(dates: Mapping[str, str]) -> list[list[str]]:
    known: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in inputs.rows("service_prices.csv"):
        key = (row["service"], row["item"], row["place"])
        _keep_newest(known, key, row, dates)
    return [
        [service, item, place, row["usd"], row["unit"], row["source"]]
        for (service, item, place), row in sorted(known.items())
    ]
