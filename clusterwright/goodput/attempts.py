"""Starts of the program in the logs of a run, and the job of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median, mode
from typing import Final

from clusterwright.goodput.accounting import JobRecord
from clusterwright.job_logs import Event, JobLog

_ID: Final = re.compile(r"\d+")
_SLACK_S: Final = 60.0
"""Clocks of nodes and controller may differ; a job's last lines are written after its end."""
_ZONES: Final = tuple(
    sorted((minutes * 60 for minutes in range(-14 * 60, 15 * 60, 30)), key=lambda s: (abs(s), s))
)


@dataclass(frozen=True)
class NamedLog:
    """A log, and its path relative to the folder of the logs."""

    path: str
    log: JobLog

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numbers of the file's name, of which one may be the job's id."""
        return tuple(_ID.findall(self.path))


@dataclass
class Attempt:
    """One start of the program; times are seconds since 1970.

    Attributes
    ----------
    resumed_at:
        Steps done before the first one; None without a step and a load.
    at:
        Time of each event of `events`; None where unknown.
    relative:
        No time of day is known: times begin with 0.
    """

    path: str
    events: list[Event]
    first_time: float | None = None
    record: JobRecord | None = None
    resumed_at: int | None = None
    at: list[float | None] = field(default_factory=list)
    relative: bool = False

    @property
    def steps(self) -> list[Event]:
        """Events with a step number, each number once."""
        return [e for e in self.events if e.kind == "step" and e.step is not None]

    @property
    def last_step(self) -> int | None:
        """The last step in the log."""
        steps = self.steps
        return steps[-1].step if steps else None

    @property
    def times(self) -> list[float]:
        """Times of the events that have one."""
        return [t for t in self.at if t is not None]


def attempts_of(logs: Sequence[NamedLog], records: Sequence[JobRecord]) -> list[Attempt]:
    """The starts of the program in all files, in their order, with times and resumed steps."""
    starts = [record.start for record in records]
    found: list[Attempt] = []
    for named in _distinct(logs):
        zone = _zone(named.log, records)
        found += _split(named, zone, starts)
    for attempt in found:
        _set_times(attempt)
    found.sort(key=_begin)
    interval = _interval(found)
    for attempt in found:
        attempt.resumed_at = _resumed_at(attempt, interval)
    return found


def assign(attempts: Sequence[Attempt], records: Sequence[JobRecord]) -> list[Attempt]:
    """Give each attempt its record; returns those for which none could be found.

    By time, where the log has times. Otherwise by the job id in the file's name, or by order where
    there are as many attempts as records.
    """
    left: list[Attempt] = []
    for attempt in attempts:
        attempt.record = None if attempt.relative else _by_time(attempt, records)
        if attempt.record is None:
            left.append(attempt)
    taken = {id(a.record) for a in attempts if a.record is not None}
    free = [r for r in records if id(r) not in taken]
    for job_id in dict.fromkeys(r.job_id for r in free):
        own = [r for r in free if r.job_id == job_id]
        named = [a for a in left if a.relative and job_id in _ID.findall(a.path)]
        if len(own) == len(named):
            for attempt, record in zip(named, own, strict=True):
                attempt.record = record
    left = [a for a in left if a.record is None]
    taken = {id(a.record) for a in attempts if a.record is not None}
    free = [r for r in records if id(r) not in taken]
    if left and len(left) == len(free) and all(a.relative for a in left):
        for attempt, record in zip(left, free, strict=True):
            attempt.record = record
        return []
    return left


def step_median(attempts: Iterable[Attempt]) -> float | None:
    """Median seconds of a step without a save; None where no line says it."""
    found: list[float] = []
    stated: list[float] = []
    for attempt in attempts:
        last: tuple[int, float] | None = None
        saved = False
        for event, time in zip(attempt.events, attempt.at, strict=True):
            if event.kind in ("save_begin", "save_end"):
                saved = True
            if event.kind != "step" or event.step is None:
                continue
            if event.seconds is not None:
                stated.append(event.seconds)
            if time is not None:
                if last is not None and event.step > last[0] and not saved:
                    found.append((time - last[1]) / (event.step - last[0]))
                last, saved = (event.step, time), False
    positive = [seconds for seconds in found if seconds > 0]
    return median(positive) if positive else median(stated) if stated else None


def _distinct(logs: Sequence[NamedLog]) -> list[NamedLog]:
    """Logs with events, by time and name; of two with the same steps and times the longer."""
    used = [n for n in logs if any(e.kind != "error" for e in n.log.events)]
    used.sort(key=lambda n: (-len(n.log.steps), n.path))
    kept: list[NamedLog] = []
    for named in used:
        if not any(_same(named.log, other.log) for other in kept):
            kept.append(named)

    def order(named: NamedLog) -> tuple[float, tuple[int, ...], str]:
        time = named.log.first_time
        numbers = tuple(int(n) for n in named.numbers if len(n) < 18)
        return (float("inf") if time is None else time, numbers, named.path)

    return sorted(kept, key=order)


def _same(log: JobLog, other: JobLog) -> bool:
    """Whether most of the log's time is in the other's, and its steps are (another rank's log)."""
    begin, end = log.first_time, log.last_time
    if begin is None or end is None or other.first_time is None or other.last_time is None:
        return False
    common = min(end, other.last_time) - max(begin, other.first_time)
    if common < 0 or common < 0.5 * (end - begin):
        return False
    steps = {e.step for e in other.steps}
    return all(e.step in steps for e in log.steps)


def _zone(log: JobLog, records: Sequence[JobRecord]) -> float:
    """Seconds to add to stamps without a time zone, so that they lie within jobs."""
    times = [e.time for e in log.events if e.time is not None]
    if not times or not records:
        return 0.0
    edges = (times[0], times[-1])

    def within(offset: float) -> bool:
        return all(
            any(
                r.start - _SLACK_S <= t + offset <= (r.end or float("inf")) + _SLACK_S
                for r in records
            )
            for t in edges
        )

    return float(next((offset for offset in _ZONES if within(offset)), 0))


def _split(named: NamedLog, zone: float, starts: Sequence[float]) -> list[Attempt]:
    """A file's events by start of the program."""
    found: list[Attempt] = []
    current = Attempt(named.path, [])
    stepped = ended = False
    last_step: int | None = None
    last_time: float | None = None
    first = named.log.first_time
    current.first_time = None if first is None else first + zone
    for raw in named.log.events:
        event = _shifted(raw, zone)
        time = event.time
        begins = (stepped or ended) and (
            event.kind in ("start", "load", "train")
            or (event.kind == "step" and event.step is not None and event.step < (last_step or 0))
            or (
                time is not None
                and last_time is not None
                and bisect_right(starts, last_time) < bisect_right(starts, time)
            )
        )
        if begins:
            found.append(current)
            current = Attempt(named.path, [], first_time=_begins(event, last_time))
            stepped = ended = False
            last_step = last_time = None
        if event.kind == "step":
            if event.step is None or event.step == last_step:
                continue
            stepped, last_step = True, event.step
        ended = ended or event.kind == "end"
        last_time = time if time is not None else last_time
        current.events.append(event)
    return [*found, current] if current.events else found


def _shifted(event: Event, zone: float) -> Event:
    if not zone:
        return event
    shifted = {
        name: value + zone
        for name, value in vars(event).items()
        if name in ("time", "since", "after_silence") and value is not None
    }
    return replace(event, **shifted)


def _begins(event: Event, last_time: float | None) -> float | None:
    """When the program of its first event began: after the longest silence before it."""
    found = event.after_silence
    if found is not None and (last_time is None or found >= last_time):
        return found
    return event.time


def _set_times(attempt: Attempt) -> None:
    """The time of each event: its own stamp, or counted from the one before with step times.

    Events before the first known time are counted backwards from it. Without any known time they
    are counted from 0, and the attempt is `relative`.
    """
    known = attempt.first_time is not None
    now = attempt.first_time if attempt.first_time is not None else 0.0
    base: float | None = None
    previous: int | None = None
    for event in attempt.events:
        took: float | None = 0.0
        since = event.since if known and event.since is not None else now
        if previous is None:
            now = max(now, since)
        if event.kind == "step" and event.step is not None:
            many = 1 if previous is None else event.step - previous
            took = None if event.seconds is None else event.seconds * many
            previous = event.step
        time = event.time
        if event.elapsed is not None:
            base = now if base is None else base
            time = base + event.elapsed if time is None else time
        elif time is not None and not known:
            # The first known time: what came before ends there.
            shift = time - (now + (took or 0.0))
            attempt.at = [None if t is None else t + shift for t in attempt.at]
            known = True
        if time is None:
            time = None if took is None else max(now + took, since)
        if event.kind == "train":
            base = time
        now = now if time is None else time
        attempt.at.append(time)
    attempt.relative = not known


def _begin(attempt: Attempt) -> float:
    if attempt.relative or not attempt.times:
        return float("inf")
    return attempt.times[0]


def _interval(attempts: Iterable[Attempt]) -> int:
    """Steps between two step lines, as usual in these logs."""
    differences = [
        (two.step or 0) - (one.step or 0)
        for attempt in attempts
        for one, two in zip(attempt.steps, attempt.steps[1:], strict=False)
    ]
    return mode(differences) if differences else 1


def _resumed_at(attempt: Attempt, interval: int) -> int | None:
    steps = attempt.steps
    first = steps[0].step if steps else None
    for event in reversed(attempt.events):
        if event.kind not in ("load", "train") or event.step is None:
            continue
        if first is None or event.step < first:
            return event.step
    if first is None:
        return None
    return (first - 1) // interval * interval


def _by_time(attempt: Attempt, records: Sequence[JobRecord]) -> JobRecord | None:
    times = attempt.times
    if not times:
        return None
    middle = (times[0] + times[-1]) / 2
    for slack in (0.0, _SLACK_S):
        for record in records:
            end = float("inf") if record.end is None else record.end
            if record.start - slack <= middle <= end + slack:
                return record
    return None
