"""A node's history over weeks: a node that fails again and again is replaced, not rebooted.

The controller keeps one record per node name and instance id, in one file. A new instance under
an old name starts with an empty history. Everything except `load` and `save` is pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import records

FILE = "lemons.json"
"""In the folder of the acceptance program, on the controller."""
KEPT_DAYS = 56
KEPT_EVENTS_PER_NODE = 200
KEPT_NODES = 5000
_DAY = 86_400.0
_LATEST = 253_402_300_799.0
"""9999-12-31T23:59:59Z, the last time with a year of four digits."""

FAULTS = ("xid", "rejected", "drained", "node_fail", "hung")
"""Kinds of events that count against a node."""
OTHER = ("rebooted", "replaced", "accepted", "resumed")

REBOOTS_IN_7_DAYS = 1
"""A fault after this many reboots in 7 days is answered with a replacement."""
FAULTS_IN_28_DAYS = 3
"""Our rule for a lemon: this many separate days with faults, without one large fault."""


@dataclass(frozen=True)
class Happening:
    """`time` in seconds since 1970; `kind` of FAULTS or OTHER; `detail` for people."""

    time: float
    kind: str
    detail: str = ""


@dataclass(frozen=True)
class Advice:
    """`action` is reboot or replace; `is_lemon` with the reason for people."""

    action: str
    is_lemon: bool
    reason: str


Book = Mapping[tuple[str, str], Sequence[Happening]]
"""Histories by node name and instance id."""


def add(book: Book, node: str, instance_id: str, happening: Happening) -> Book:
    """The book with one more event, pruned to `KEPT_DAYS` and to its largest sizes.

    Raises
    ------
    ValueError
        The kind is not known.
    """
    if happening.kind not in FAULTS + OTHER:
        raise ValueError(f"unknown kind of event: {happening.kind}")
    fresh = {key: list(found) for key, found in book.items()}
    fresh.setdefault((node, instance_id), []).append(happening)
    return pruned(fresh, happening.time)


def pruned(book: Book, now: float) -> Book:
    kept = {}
    for key, found in book.items():
        recent = sorted(
            (event for event in found if now - event.time <= KEPT_DAYS * _DAY),
            key=lambda event: event.time,
        )[-KEPT_EVENTS_PER_NODE:]
        if recent:
            kept[key] = recent
    newest = sorted(kept, key=lambda key: kept[key][-1].time)[-KEPT_NODES:]
    return {key: kept[key] for key in sorted(newest)}


def advise(book: Book, node: str, instance_id: str, now: float, wanted: str = "reboot") -> Advice:
    """The action for a node with a new fault, where `wanted` is the verdict of the fault alone."""
    found = book.get((node, instance_id), ())
    days = sorted(
        {
            int(event.time // _DAY)
            for event in found
            if event.kind in FAULTS and now - event.time <= 28 * _DAY
        }
    )
    is_lemon = len(days) >= FAULTS_IN_28_DAYS
    reboots = [
        event for event in found if event.kind == "rebooted" and now - event.time <= 7 * _DAY
    ]
    if wanted == "replace":
        return Advice("replace", is_lemon, "the fault needs another instance")
    if len(reboots) >= REBOOTS_IN_7_DAYS:
        count = "1 reboot" if len(reboots) == 1 else f"{len(reboots)} reboots"
        return Advice("replace", is_lemon, f"{count} in 7 days did not help")
    if is_lemon:
        return Advice("replace", True, f"faults on {len(days)} days of the last 28")
    return Advice(wanted, False, "no earlier fault that matters")


def load(path: Path) -> Book:
    """The book in a file; empty without one. Entries that cannot be read are left out."""
    return from_json(records.read(path))


def from_json(content: Mapping[str, Any]) -> Book:
    """The book that `to_json` wrote. Entries that cannot be read are left out."""
    book: dict[tuple[str, str], list[Happening]] = {}
    rows = content.get("nodes")
    for row in rows if isinstance(rows, list) else []:
        try:
            events = [
                Happening(_moment(one["time"]), str(one["kind"]), str(one["detail"]))
                for one in row["events"]
            ]
            book[(str(row["node"]), str(row["instance_id"]))] = events
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
    return book


def _moment(value: Any) -> float:
    """A time that `times.stamp` can write. Raises TypeError, ValueError or OverflowError."""
    found = float(value)
    if not 0.0 <= found <= _LATEST:
        raise ValueError(value)
    return found


def save(path: Path, book: Book) -> None:
    """Replace the file. Raises OSError if the disk is full or read-only."""
    records.write(path, to_json(book))


def to_json(book: Book) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "nodes": [
            {
                "node": node,
                "instance_id": instance,
                "events": [
                    {"time": event.time, "kind": event.kind, "detail": event.detail}
                    for event in found
                ],
            }
            for (node, instance), found in sorted(book.items())
        ],
    }


def history(book: Book, node: str, instance_id: Optional[str] = None) -> list[Happening]:
    """The events of a node, of one instance or of all that had its name, oldest first."""
    found = [
        event
        for (name, instance), events in book.items()
        if name == node and instance_id in (None, instance)
        for event in events
    ]
    return sorted(found, key=lambda event: event.time)
