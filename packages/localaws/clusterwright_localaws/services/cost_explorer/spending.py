"""The world's spending per day, and Cost Explorer's filters and groups."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.worlds.model import moment_of

DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class Spent:
    """One entry of one day (UTC)."""

    day: dt.date
    usd: Decimal
    quantity: Decimal
    dimensions: Mapping[str, str]
    tags: Mapping[str, str]


def spending(runtime: Runtime, account: str, start: dt.date, end: dt.date) -> Iterator[Spent]:
    """Return the spending that an account sees, from `start` until before `end`.

    Costs without an account belong to the account of the caller. The world's account sees the
    costs of all accounts, as an organisation's management account does.
    """
    now, world = runtime.clock.now(), runtime.world
    for seed in world.costs:
        owner = seed.account or account
        if account not in (owner, world.account):
            continue
        dimensions = {
            "SERVICE": seed.service,
            "LINKED_ACCOUNT": owner,
            "REGION": seed.region or world.region,
            "USAGE_TYPE": seed.usage_type,
            "OPERATION": seed.operation,
            "INSTANCE_TYPE": seed.instance_type,
            "RECORD_TYPE": seed.record_type,
        }
        first = max(start, moment_of(seed.start, now).date())
        last = min(end, moment_of(seed.end, now).date())
        day = first
        while day < last:
            yield Spent(day, seed.usd_per_day, seed.usage_quantity_per_day, dimensions, seed.tags)
            day += DAY


def matcher(expression: Mapping[str, Any] | None) -> Callable[[Spent], bool]:
    """Return the filter of a request.

    Raises
    ------
    AwsError
        ValidationException: not exactly one of Or, And, Not, Dimensions, Tags, CostCategories.
    """
    if not expression:
        return lambda _: True
    if len(expression) != 1:
        raise AwsError(
            "ValidationException", "Expression has more than one roots. Only one root is allowed."
        )
    ((name, inner),) = expression.items()
    if name in ("And", "Or"):
        parts = [matcher(part) for part in inner]
        if len(parts) < 2:
            raise AwsError(
                "ValidationException", f"The {name} expression needs two expressions or more."
            )
        combine = all if name == "And" else any
        return lambda spent: combine(part(spent) for part in parts)
    if name == "Not":
        part = matcher(inner)
        return lambda spent: not part(spent)
    if name in ("Dimensions", "Tags") and not inner.get("Key"):
        raise AwsError("ValidationException", f"The {name} expression needs a Key.")
    if name == "Dimensions":
        key = str(inner["Key"])
        return _values(inner, lambda spent: spent.dimensions.get(key))
    if name == "Tags":
        tag = str(inner["Key"])
        return _values(inner, lambda spent: spent.tags.get(tag))
    # No cost category exists here, so no cost is in one.
    return _values(inner, lambda _: None)


def group_key(spent: Spent, groups: list[Mapping[str, str]]) -> tuple[str, ...]:
    """Return the keys of an entry's group: `Amazon FSx`, `team$ml`."""
    keys = []
    for group in groups:
        name, kind = group.get("Key", ""), group.get("Type", "DIMENSION")
        if kind == "TAG":
            keys.append(f"{name}${spent.tags.get(name, '')}")
        elif kind == "COST_CATEGORY":
            keys.append(f"{name}$")
        else:
            keys.append(spent.dimensions.get(name, f"No {name.title()}"))
    return tuple(keys)


def _values(
    requested: Mapping[str, Any], read: Callable[[Spent], str | None]
) -> Callable[[Spent], bool]:
    values = [str(value) for value in requested.get("Values") or ()]
    options = set(requested.get("MatchOptions") or ["EQUALS"])
    folded = "CASE_INSENSITIVE" in options

    def passes(spent: Spent) -> bool:
        found = read(spent)
        if "ABSENT" in options:
            return found is None
        if found is None:
            # An empty value selects entries without the tag.
            return "" in values
        has = found.lower() if folded else found
        for value in values:
            against = value.lower() if folded else value
            if (
                ("STARTS_WITH" in options and has.startswith(against))
                or ("ENDS_WITH" in options and has.endswith(against))
                or ("CONTAINS" in options and against in has)
                or (not options & {"STARTS_WITH", "ENDS_WITH", "CONTAINS"} and has == against)
            ):
                return True
        return False

    return passes
