"""Lines of a log without colours and prefixes, and their time stamps.

Prefixes: `srun --label` (`3: `), torchrun and torchtitan (`[rank3]:`), TorchX (`[default3]:`,
`name/0 `), mpirun (`[1,3]<stdout>:`), Docker Compose (`name | `), Ray and SkyPilot
(`(name, pid=4112) `), and a time stamp in front of the line (`kubectl logs --timestamps`, `ts`).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from clusterwright_metrics.job_logs.values import time_of_day

MAXIMUM_LINE: Final = 20_000
"""Characters of a line that are read."""

_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_BREAK: Final = re.compile(r"\r\n|\r|\n")
_PREFIXES: Final = (
    re.compile(r"\s{0,8}(?P<rank>\d{1,6}):\s"),
    re.compile(r"\s{0,4}\[(?:rank|default)?(?P<rank>\d{1,6})\]:"),
    re.compile(r"\s{0,4}\[\d{1,6},(?P<rank>\d{1,6})\]<std(?:out|err)>:\s?"),
    re.compile(r"\s{0,4}\([\w.-]{1,80}, pid=\d{1,9}(?:, ip=[\w.:-]{1,60})?\)\s"),
    re.compile(r"[\w.-]{1,80}/\d{1,6}\s"),
    re.compile(r"[\w.-]{1,80}\s{1,20}\|\s"),
    re.compile(
        r"\[?(?P<stamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
        r"(?:Z|[+-]\d\d:?\d\d)?)\]?\s(?=[\[(\w/])"
    ),
)
_STAMP: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?"
)
_STAMP_WITHIN: Final = 160


class Line(NamedTuple):
    """One line: its number from 1, rank, time stamp, text without prefixes.

    `whole` is False for a last line that does not end: its last value may be cut.
    """

    number: int
    rank: int | None
    time: float | None
    text: str
    whole: bool


def lines_of(text: str) -> Iterator[Line]:
    """The lines of a log. A carriage return, with which progress bars redraw, ends a line too."""
    number, at = 1, 0
    while at < len(text):
        found = _BREAK.search(text, at)
        end = found.start() if found else len(text)
        yield _line(number, text[at : min(end, at + MAXIMUM_LINE)], whole=found is not None)
        if found is None:
            return
        number += found.group() != "\r"
        at = found.end()


def stamp(text: str) -> float | None:
    """The first time stamp of a text, as seconds since 1970; None without a valid one."""
    found = _STAMP.search(text)
    if found is None:
        return None
    fraction, zone = found.groups()[6:]
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    try:
        moment = dt.datetime(year, month, day, hour, minute, second, tzinfo=dt.timezone.utc)
    except ValueError:
        return None
    seconds = moment.timestamp() + (float(f"0.{fraction}") if fraction else 0.0)
    if zone and zone != "Z":
        hours, minutes = int(zone[1:3]), int(zone[-2:])
        offset = hours * 3600 + minutes * 60
        seconds += -offset if zone[0] == "+" else offset
    return time_of_day(seconds)


def _line(number: int, raw: str, *, whole: bool) -> Line:
    text = _ANSI.sub("", raw) if "\x1b" in raw else raw
    rank: int | None = None
    time: float | None = None
    for _ in range(6):
        for prefix in _PREFIXES:
            found = prefix.match(text)
            if found is None:
                continue
            groups = found.groupdict()
            if groups.get("stamp"):
                time = stamp(groups["stamp"]) if time is None else time
            if groups.get("rank"):
                rank = int(groups["rank"])
            text = text[found.end() :]
            break
        else:
            break
    own = stamp(text[:_STAMP_WITHIN])
    return Line(number, rank, own if own is not None else time, text, whole)
