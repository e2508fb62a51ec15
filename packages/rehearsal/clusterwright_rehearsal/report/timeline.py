"""The states of each node over time, from the events of a rehearsal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from clusterwright_rehearsal.verdict import Verdict

State = Literal["boot", "platform", "script", "running", "failed", "lost"]

STATES: Final[Mapping[State, str]] = {
    "boot": "the machine starts",
    "platform": "HyperPod sets up",
    "script": "lifecycle script",
    "running": "Running",
    "failed": "failed",
    "lost": "lost",
}

# The state of a node after an event, until the next event.
_BEGINS: Final[Mapping[str, State]] = {
    "created": "boot",
    "replaced": "boot",
    "reboot": "boot",
    "booted": "platform",
    "platform": "script",
    "running": "running",
    "failed": "failed",
    "lost": "lost",
}
_ENDS: Final = "deleted"


@dataclass(frozen=True)
class Span:
    """A node in one state; seconds since the epoch."""

    state: State
    start: float
    end: float


@dataclass(frozen=True)
class Mark:
    """An event of a node."""

    event: str
    at: float
    text: str | None


@dataclass(frozen=True)
class Lane:
    """One node from its creation to the end."""

    node: str
    created: float
    came_up: float | None
    """When it was first running or failed; None if neither."""
    spans: tuple[Span, ...]
    marks: tuple[Mark, ...]


def lanes(verdict: Verdict) -> list[Lane]:
    """Nodes in the order of their creation; invalid events are ignored."""
    by_node: dict[str, list[Mapping[str, Any]]] = {}
    for event in verdict.timeline:
        if isinstance(event.get("time"), int | float) and event.get("node"):
            by_node.setdefault(str(event["node"]), []).append(event)
    end = ended(verdict)
    found = [_lane(node, events, end) for node, events in by_node.items()]
    return sorted(found, key=lambda lane: (lane.created, _natural(lane.node)))


def began(verdict: Verdict) -> float | None:
    """The time of the first event or phase."""
    return min(_moments(verdict), default=None)


def ended(verdict: Verdict) -> float:
    """The time of the last event or phase; 0 without any."""
    return max(_moments(verdict), default=0.0)


def _moments(verdict: Verdict) -> Iterable[float]:
    for event in verdict.timeline:
        if isinstance(event.get("time"), int | float):
            yield float(event["time"])
    for phase in verdict.phases:
        if phase.started is not None:
            yield phase.started
            yield phase.started + phase.seconds


def _lane(node: str, events: Sequence[Mapping[str, Any]], end: float) -> Lane:
    ordered = sorted(events, key=lambda event: float(event["time"]))
    spans: list[Span] = []
    marks: list[Mark] = []
    state: State | None = None
    since = 0.0
    for event in ordered:
        at, name = float(event["time"]), str(event.get("event"))
        following = _BEGINS.get(name)
        if following is None and name != _ENDS:
            continue
        if name in ("failed", "lost", "replaced", "reboot", _ENDS):
            text = event.get("text")
            marks.append(Mark(name, at, None if text is None else str(text)))
        if state is not None and at > since:
            spans.append(Span(state, since, at))
        state, since = following, at
    if state is not None and end > since:
        spans.append(Span(state, since, end))
    came_up = (float(e["time"]) for e in ordered if e.get("event") in ("running", "failed"))
    first = float(ordered[0]["time"])
    return Lane(node, first, next(came_up, None), tuple(spans), tuple(marks))


def _natural(name: str) -> tuple[str, int]:
    """`workers-10` after `workers-9`."""
    group, _, number = name.rpartition("-")
    return (group, int(number)) if number.isascii() and number.isdigit() else (name, 0)
