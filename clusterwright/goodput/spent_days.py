"""The days of `report cost` beside those of Cost Explorer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.goodput.results import Day, SpentDay

CHANGING_DAYS: Final = 2
"""Figures of the last one or two days may change (AWS documentation, "Analyzing your costs with
AWS Cost Explorer")."""
WHOLE: Final = 24 - 1e-6
NOT_YET: Final = "not in Cost Explorer yet"
MAY_CHANGE: Final = "may still change"
NOTHING: Final = "no cost has the tag"


@dataclass(frozen=True)
class DaySpending:
    """USD with the cluster's tag on a day: of instances, and of all services."""

    instances_usd: float
    cluster_usd: float
    estimated: bool


def beside(
    days: Sequence[Day], spent: Mapping[dt.date, DaySpending], today: dt.date
) -> tuple[SpentDay, ...]:
    """Each day of the report with what Cost Explorer has for it.

    `spent` has the days before `today` (UTC) with any cost. Days without cost are 0, except the
    last ones, which Cost Explorer may not have completed. Only whole days with cost can be
    compared.
    """
    return tuple(_day(day, spent.get(day.date), today) for day in days)


def _day(day: Day, found: DaySpending | None, today: dt.date) -> SpentDay:
    age = (today - day.date).days
    if age <= 0 or (found is None and age <= CHANGING_DAYS):
        return SpentDay(
            day.date, day.usd, None, None, estimated=False, note=NOT_YET, comparable=False
        )
    notes = []
    if found is None:
        notes.append(NOTHING)
    elif age <= CHANGING_DAYS:
        notes.append(MAY_CHANGE)
    elif found.estimated:
        notes.append("estimated")
    whole = day.hours >= WHOLE
    if not whole:
        notes.append(f"ours is {day.hours:.1f} of 24 hours")
    return SpentDay(
        day.date,
        day.usd,
        found.instances_usd if found else 0.0,
        found.cluster_usd if found else 0.0,
        estimated=found is not None and found.estimated,
        note=", ".join(notes),
        comparable=whole and found is not None,
    )
