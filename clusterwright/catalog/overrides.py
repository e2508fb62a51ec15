"""Read the rates of a user from a parsed `configs/prices.yaml`.

The document is a list; each entry has `usd`, `unit`, `source`, `date` and either
`instance_type`, `region` and `kind` or `service`, `item` and `region`. A rate of the user's stands
in for the catalogue's, whatever its date.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final, get_args

from clusterwright.catalog.dates import is_impossible
from clusterwright.catalog.errors import PriceOverrideError, PriceProblem
from clusterwright.catalog.facts import Known
from clusterwright.catalog.model import Price, PriceKind

_COMMON: Final = ("region", "usd", "unit", "source", "date")
_INSTANCE: Final = ("instance_type", "kind")
_SERVICE: Final = ("service", "item")
# Larger amounts are rejected as mistakes.
_LARGEST_USD: Final = Decimal(10) ** 9


@dataclass(frozen=True)
class PriceOverrides:
    """Rates by (type, kind, region) and by (service, item, region)."""

    instances: Mapping[tuple[str, str, str], Known[Price]] = field(default_factory=dict)
    services: Mapping[tuple[str, str, str], Known[Price]] = field(default_factory=dict)


def read_overrides(data: object) -> PriceOverrides:
    """Read the rates of a parsed document.

    Parameters
    ----------
    data:
        A list of mappings, or `None` for an empty file.

    Raises
    ------
    PriceOverrideError
        All errors, each with the path of the entry and key.
    """
    if data is None:
        return PriceOverrides()
    if not isinstance(data, list):
        raise PriceOverrideError((PriceProblem("must be a list of rates", ()),))
    problems: list[PriceProblem] = []
    instances: dict[tuple[str, str, str], Known[Price]] = {}
    services: dict[tuple[str, str, str], Known[Price]] = {}
    for index, entry in enumerate(data):
        found = _check(entry, index)
        problems += found
        if found:
            continue
        rate = Known(
            Price(Decimal(str(entry["usd"])), entry["unit"]),
            f"your rate: {entry['source']}",
            str(entry["date"]),
        )
        is_instance = "instance_type" in entry
        target = instances if is_instance else services
        parts = ("instance_type", "kind") if is_instance else _SERVICE
        key = (entry[parts[0]], entry[parts[1]], entry["region"])
        if key in target:
            problems.append(PriceProblem(f"duplicate rate for {' '.join(key)}", (index,)))
        target[key] = rate
    if problems:
        raise PriceOverrideError(tuple(problems))
    return PriceOverrides(instances, services)


def _check(entry: object, index: int) -> list[PriceProblem]:
    if not isinstance(entry, Mapping):
        return [PriceProblem("must be a mapping", (index,))]
    has_instance, has_service = "instance_type" in entry, "service" in entry
    if has_instance == has_service:
        return [PriceProblem("must have instance_type and kind, or service and item", (index,))]
    wanted = (*_COMMON, *(_INSTANCE if has_instance else _SERVICE))
    problems = [PriceProblem(f"{key} is missing", (index,)) for key in wanted if key not in entry]
    problems += [
        PriceProblem(f"unknown key; known: {', '.join(wanted)}", (index, str(key)))
        for key in entry
        if key not in wanted
    ]
    for key in wanted:
        if key in entry and key not in ("usd", "date") and not _is_word(entry[key]):
            problems.append(PriceProblem("must be text", (index, key)))
    if "usd" in entry and not _is_amount(entry["usd"]):
        problems.append(PriceProblem("must be an amount of 0 or more", (index, "usd")))
    elif "usd" in entry and Decimal(str(entry["usd"])) > _LARGEST_USD:
        problems.append(PriceProblem(f"must be at most {_LARGEST_USD:,} USD", (index, "usd")))
    if "date" in entry and not str(entry["date"]).strip():
        problems.append(PriceProblem("must not be empty", (index, "date")))
    elif "date" in entry and is_impossible(str(entry["date"])):
        problems.append(PriceProblem("is not a valid date", (index, "date")))
    kinds = get_args(PriceKind)
    if has_instance and _is_word(entry.get("kind")) and entry["kind"] not in kinds:
        problems.append(PriceProblem(f"must be one of {', '.join(kinds)}", (index, "kind")))
    return problems


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_amount(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return False
    return amount.is_finite() and amount >= 0
