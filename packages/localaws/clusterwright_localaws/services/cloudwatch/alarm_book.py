"""Alarms that moto keeps, and their history, which it does not keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call

KEPT_ITEMS: Final = 10_000
"""Items of the history of all alarms of a region that are kept here; AWS keeps 30 days."""


@dataclass(frozen=True)
class Item:
    """One item of the history of an alarm."""

    alarm: str
    composite: bool
    when: datetime
    kind: str
    summary: str
    data: str


@dataclass
class AlarmBook:
    """What is known of the alarms of one account and region besides moto's state."""

    history: list[Item] = field(default_factory=list)
    deleted: set[str] = field(default_factory=set)
    held: dict[str, datetime] = field(default_factory=dict)
    """When SetAlarmState gave an alarm its state."""
    measured: set[str] = field(default_factory=set)
    """Alarms whose metrics had data at an evaluation."""

    def note(self, item: Item) -> None:
        self.history.append(item)
        del self.history[:-KEPT_ITEMS]


def book_of(call: Call) -> AlarmBook:
    return call.runtime.store("cloudwatch", call.account, call.region, AlarmBook)


def alarms_of(call: Call) -> dict[str, Any]:
    """Return moto's alarms by name, composite ones among them."""
    found: dict[str, Any] = moto_state.backend("cloudwatch", call.account, call.region).alarms
    return found
