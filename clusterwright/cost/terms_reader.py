"""Read the agreements of prices.yaml: discounts, Savings Plans, purchases, support plan."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.cost.bill import Prepaid
from clusterwright.cost.terms import Discount, SavingsPlan, SupportPlan, SupportTier, Terms

LARGEST_USD: Final = Decimal(10) ** 12
"""Larger amounts are rejected as mistakes."""

KEYS: Final = ("discounts", "savings_plans", "purchases")
SUPPORT: Final = "support"


@dataclass(frozen=True)
class _Key:
    """A key of an entry: the check of its value, and the message if it fails."""

    is_valid: Callable[[Any], bool]
    message: str
    required: bool = True


def amount(value: Any) -> Decimal | None:
    """A finite amount from a number or text; None if invalid."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        return None
    try:
        found = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_usd(value: Any) -> bool:
    found = amount(value)
    return found is not None and 0 <= found <= LARGEST_USD


def _is_positive(value: Any) -> bool:
    found = amount(value)
    return found is not None and 0 < found <= LARGEST_USD


def _is_percent(value: Any) -> bool:
    found = amount(value)
    return found is not None and 0 < found <= 100


def _is_day(value: Any) -> bool:
    try:
        dt.date.fromisoformat(str(value))
    except ValueError:
        return False
    return True


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 100_000


_WORD = _Key(_is_word, "expected text")
_DAY = _Key(_is_day, "expected a date, such as 2026-11-01")
_USD = _Key(_is_usd, f"expected an amount from 0 to {LARGEST_USD:,} USD")
_COVERS: Final = ("ec2-on-demand", "hyperpod-on-demand")

_ENTRIES: Final[dict[str, dict[str, _Key]]] = {
    "discounts": {
        "service": _WORD,
        "percent": _Key(_is_percent, "expected a percentage above 0 and up to 100"),
        "source": _WORD,
        "date": _DAY,
    },
    "savings_plans": {
        "instance_type": _WORD,
        "covers": _Key(lambda value: value in _COVERS, f"expected one of {', '.join(_COVERS)}"),
        "region": _WORD,
        "usd": _USD,
        "commitment_usd_per_hour": _Key(_is_positive, "expected an amount above 0 USD", False),
        "source": _WORD,
        "date": _DAY,
    },
    "purchases": {
        "id": _Key(
            lambda value: isinstance(value, str) and value.startswith(("arn:", "cr-")),
            "expected the ARN of a training plan or the id of a capacity block (cr-...)",
        ),
        "instances": _Key(_is_count, "expected a number of instances"),
        "hours": _Key(_is_positive, "expected the number of hours that were bought"),
        "upfront_usd": _USD,
        "start": _Key(_is_day, _DAY.message, False),
        "end": _Key(_is_day, _DAY.message, False),
        "source": _WORD,
        "date": _DAY,
    },
}


_SUPPORT_KEYS: Final[dict[str, _Key]] = {
    "tiers": _Key(
        lambda value: isinstance(value, list) and bool(value), "expected a list of tiers"
    ),
    "minimum_usd": _Key(_is_usd, _USD.message, False),
    "other_monthly_usd": _Key(_is_usd, _USD.message, False),
    "source": _WORD,
    "date": _DAY,
}
_TIER_KEYS: Final[dict[str, _Key]] = {
    "percent": _Key(lambda value: value == 0 or _is_percent(value), "expected a percentage"),
    "up_to_usd": _Key(_is_positive, "expected an amount above 0 USD", False),
}


def read_terms(data: Mapping[str, Any]) -> tuple[Terms, list[Problem]]:
    """The agreements of a parsed prices.yaml, and all errors."""
    problems: list[Problem] = []
    good: dict[str, list[Mapping[str, Any]]] = {key: [] for key in KEYS}
    for key in KEYS:
        given = data.get(key)
        if given is None:
            continue
        if not isinstance(given, list):
            problems.append(Problem(f"`{key}` must be a list of entries", (key,)))
            continue
        for index, entry in enumerate(given):
            wrong = list(_problems(entry, (key, index), _ENTRIES[key]))
            problems += wrong
            if not wrong:
                good[key].append(entry)
    problems += _duplicates(data)
    support, wrong = _support(data.get(SUPPORT))
    problems += wrong
    return Terms(
        tuple(_discount(entry) for entry in good["discounts"]),
        tuple(_savings_plan(entry) for entry in good["savings_plans"]),
        tuple(_purchase(entry) for entry in good["purchases"]),
        support,
    ), problems


def _support(given: Any) -> tuple[SupportPlan | None, list[Problem]]:
    """The support plan: tiers in increasing order, the last without an upper limit."""
    if given is None:
        return None, []
    here: Path = (SUPPORT,)
    problems = list(_problems(given, here, _SUPPORT_KEYS))
    if problems:
        return None, problems
    tiers: list[SupportTier] = []
    for index, entry in enumerate(given["tiers"]):
        at: Path = (*here, "tiers", index)
        wrong = list(_problems(entry, at, _TIER_KEYS))
        problems += wrong
        if wrong:
            continue
        up_to = None if entry.get("up_to_usd") is None else _decimal(entry["up_to_usd"])
        before = tiers[-1].up_to_usd if tiers else Decimal(0)
        if before is None:
            problems.append(Problem("the previous tier has no upper limit", at))
        elif up_to is not None and up_to <= before:
            problems.append(Problem("tiers must increase", (*at, "up_to_usd")))
        tiers.append(SupportTier(_decimal(entry["percent"]), up_to))
    if not problems and tiers[-1].up_to_usd is not None:
        problems.append(Problem("the last tier must not have `up_to_usd`", (*here, "tiers")))
    if problems:
        return None, problems
    minimum, other = given.get("minimum_usd", 0), given.get("other_monthly_usd", 0)
    return SupportPlan(
        tuple(tiers), _decimal(minimum), _decimal(other), given["source"], str(given["date"])
    ), []


def _problems(entry: Any, here: Path, keys: Mapping[str, _Key]) -> Iterator[Problem]:
    if not isinstance(entry, Mapping):
        yield Problem("must be a mapping", here)
        return
    for key in entry:
        if key not in keys:
            yield Problem(
                f"unknown key `{key}`",
                (*here, str(key)),
                hint=did_you_mean(str(key), keys),
                on_key=True,
            )
    for name, key in keys.items():
        if name not in entry:
            if key.required:
                yield Problem(f"{name} is missing", here)
        elif not key.is_valid(entry[name]):
            yield Problem(key.message, (*here, name))
    start, end = entry.get("start"), entry.get("end")
    if start is not None and end is not None and _is_day(start) and _is_day(end):
        if str(end) < str(start):
            yield Problem("the end is before the start", (*here, "end"))
        elif "hours" in entry and _is_positive(entry["hours"]):
            days = (dt.date.fromisoformat(str(end)) - dt.date.fromisoformat(str(start))).days + 1
            hours = amount(entry["hours"])
            if hours is not None and hours > days * 24:
                yield Problem(
                    f"{hours.normalize():f} h exceed the time from {start} to {end}",
                    (*here, "hours"),
                )


def _duplicates(data: Mapping[str, Any]) -> Iterator[Problem]:
    for key, name in (("discounts", "service"), ("purchases", "id")):
        seen: set[str] = set()
        entries = data.get(key)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            value = entry.get(name) if isinstance(entry, Mapping) else None
            if isinstance(value, str):
                if value in seen:
                    yield Problem(f"duplicate entry for {value}", (key, index, name))
                seen.add(value)


def _decimal(value: Any) -> Decimal:
    found = amount(value)
    assert found is not None
    return found


def _discount(entry: Mapping[str, Any]) -> Discount:
    percent = _decimal(entry["percent"])
    return Discount(entry["service"], percent, entry["source"], str(entry["date"]))


def _savings_plan(entry: Mapping[str, Any]) -> SavingsPlan:
    committed = entry.get("commitment_usd_per_hour")
    return SavingsPlan(
        entry["instance_type"],
        entry["covers"],
        entry["region"],
        _decimal(entry["usd"]),
        None if committed is None else _decimal(committed),
        entry["source"],
        str(entry["date"]),
    )


def _purchase(entry: Mapping[str, Any]) -> Prepaid:
    return Prepaid(
        entry["id"],
        entry["instances"],
        _decimal(entry["hours"]),
        _decimal(entry["upfront_usd"]),
        None if entry.get("start") is None else str(entry["start"]),
        None if entry.get("end") is None else str(entry["end"]),
        f"your purchase: {entry['source']}",
        str(entry["date"]),
        "user",
    )
