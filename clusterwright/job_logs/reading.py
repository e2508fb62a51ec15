"""Reads a log: recognises the framework and returns its events."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Final

from clusterwright.job_logs import (
    failure_lines,
    hf_trainer,
    log_text,
    megatron,
    mllog,
    nemo,
    plan_line,
    torchtitan,
)
from clusterwright.job_logs.events import UNKNOWN, Event, JobLog, Settings
from clusterwright.job_logs.values import duration, time_of_day

FRAMEWORKS: Final[tuple[ModuleType, ...]] = (megatron, nemo, torchtitan, hf_trainer, mllog)
"""One module per form, each with NAME, WORDS, `events(line)` and `settings(line, known)`. A line
without any of the WORDS has nothing for the module."""


def read_log(text: str, before: Settings | None = None) -> JobLog:
    """The events of a log file's text; of any text, without an error.

    The framework is the one with the most step lines; lines of others are left out. Where several
    processes write the same step, the lines of the process with the most are taken.

    Parameters
    ----------
    before:
        What the beginning of the same file says, if the text is a later part of it.
    """
    found: dict[str, list[Event]] = {module.NAME: [] for module in FRAMEWORKS}
    known = {module.NAME: before or Settings() for module in FRAMEWORKS}
    planned = before or Settings()
    failures: list[Event] = []
    lines = 0
    stamps = _Stamps()
    for line in log_text.lines_of(text):
        lines = line.number
        if line.time is not None:
            stamps.add(line.number, line.time)
        content = line.text
        for module in FRAMEWORKS:
            if any(word in content for word in module.WORDS):
                name = module.NAME
                known[name] = module.settings(line, known[name])
                found[name] += (_checked(e, line.rank) for e in module.events(line))
        if plan_line.WORD in content:
            planned = plan_line.settings(line, planned)
        if any(word in content for word in failure_lines.WORDS):
            failures += (replace(e, rank=line.rank) for e in failure_lines.events(line))
    found[hf_trainer.NAME] = hf_trainer.training_bars(
        found[hf_trainer.NAME], known[hf_trainer.NAME]
    )
    found[mllog.NAME] = mllog.with_steps(found[mllog.NAME], known[mllog.NAME])
    name = _framework(found)
    events = sorted([*_of_one_rank(found.get(name, [])), *failures], key=lambda e: e.line)
    events = list(stamps.with_neighbours(events))
    times = [*stamps.times, *(e.time for e in events if e.time is not None)]
    return JobLog(
        name,
        tuple(events),
        _settings(name, known, planned),
        lines,
        min(times, default=None),
        max(times, default=None),
    )


def _checked(event: Event, rank: int | None) -> Event:
    """The event with its rank, and without times and durations that damaged text can have."""
    return replace(
        event,
        rank=rank,
        time=time_of_day(event.time),
        seconds=duration(event.seconds),
    )


class _Stamps:
    """Time stamps of lines; compact, as a log may have millions."""

    def __init__(self) -> None:
        self.lines = array("q")
        self.times = array("d")

    def add(self, line: int, time: float) -> None:
        self.lines.append(line)
        self.times.append(time)

    def with_neighbours(self, events: Sequence[Event]) -> Iterator[Event]:
        """The events with `since` and `after_silence`."""
        at, last = 0, None
        for event in events:
            since, begins, longest = None, None, -1.0
            while at < len(self.lines) and self.lines[at] <= event.line:
                time = self.times[at]
                if self.lines[at] < event.line:
                    since = time
                if last is not None and time - last > longest:
                    longest, begins = time - last, time
                last = time
                at += 1
            if since is None and begins is None:
                yield event
            else:
                yield replace(event, since=since, after_silence=begins)


def _framework(found: dict[str, list[Event]]) -> str:
    """The framework with the most step lines, else with the most events, else unknown."""
    steps = {
        name: sum(e.kind == "step" and e.step is not None for e in events)
        for name, events in found.items()
    }
    best = max(steps, key=lambda name: (steps[name], len(found[name])))
    return best if found[best] else UNKNOWN


def _settings(name: str, known: dict[str, Settings], planned: Settings) -> Settings:
    """The framework's settings, completed with those of MLPerf's lines in the same log, and what
    the job's plan counts.
    """
    own, other = known.get(name, Settings()), known[mllog.NAME]
    missing = {key: value for key, value in vars(other).items() if vars(own)[key] is None}
    return replace(
        replace(own, **missing),
        flops_per_token=planned.flops_per_token,
        peak_flops=planned.peak_flops,
        accelerators=planned.accelerators,
    )


def _of_one_rank(events: list[Event]) -> list[Event]:
    """Without the steps of all ranks but one, and without its repetitions of other events."""
    ranks = Counter(e.rank for e in events if e.kind == "step" and e.step is not None)
    if len(ranks) > 1:
        most = max(ranks.values())
        chosen = min(
            (r for r, n in ranks.items() if n == most), key=lambda r: -1 if r is None else r
        )
        events = [e for e in events if e.kind != "step" or e.rank == chosen]
    kept: list[Event] = []
    seen: dict[tuple[str, int | None, bool], int | None] = {}
    for event in events:
        if event.kind == "step":
            seen = {}
        else:
            what = (event.kind, event.step, event.seconds is None)
            if seen.setdefault(what, event.rank) != event.rank:
                continue
        kept.append(event)
    return kept
