"""Findings and unknown parts of the operating commands as text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from clusterwright.operate.results import OperatingFinding, UnknownPart
from clusterwright.render.source import printable
from clusterwright.render.style import Style


def finding_lines(findings: Sequence[OperatingFinding], style: Style) -> Iterator[str]:
    """Each finding with its hint."""
    for finding in findings:
        label = style.paint(finding.severity, f"{finding.severity}[{finding.code}]:")
        yield f"{label} {printable(finding.message)}"
        if finding.hint:
            yield style.paint("hint", f"  hint: {printable(finding.hint)}")


def unknown_lines(unknown: Sequence[UnknownPart], style: Style) -> Iterator[str]:
    """Each part that could not be read, with its hint."""
    for part in unknown:
        label = style.paint("unknown", "unknown:")
        yield f"{label} {printable(part.what)}: {printable(part.reason)}"
        if part.hint:
            yield style.paint("hint", f"  hint: {printable(part.hint)}")


def time_text(time: dt.datetime | None) -> str:
    """A time in UTC, to the minute; a dash without one."""
    return "–" if time is None else time.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M")


def number_text(number: int | None) -> str:
    """A number, or `unknown`."""
    return "unknown" if number is None else f"{number:,}"
