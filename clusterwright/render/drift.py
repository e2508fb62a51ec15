"""The report of `clusterwright drift` as text."""

from __future__ import annotations

import json
from typing import Any

from clusterwright.operate.results import DriftReport
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import counted

_LONGEST = 200


def drift_text(report: DriftReport, style: Style = PLAIN) -> str:
    """Differences by kind, then what was not compared, then one line of counts."""
    lines: list[str] = []
    for difference in report.differences:
        label = style.paint("warning", f"{difference.kind}:")
        between = ":" if difference.path.startswith("/") else "."
        where = between.join(part for part in (difference.resource, difference.path) if part)
        lines += [
            f"{label} {printable(where)}",
            f"  deployed  {_value(difference.deployed)}",
            f"  file      {_value(difference.file)}",
        ]
    if lines:
        lines.append("")
    for part in report.not_compared:
        label = style.paint("unknown", "not compared:")
        lines.append(f"{label} {printable(part.what)}: {printable(part.reason)}")
        if part.hint:
            lines.append(style.paint("hint", f"  hint: {printable(part.hint)}"))
    if report.not_compared:
        lines.append("")
    number = len(report.not_compared)
    lines.append(
        f"{report.environment}: {counted(len(report.differences), 'difference')}, "
        f"{counted(len(report.stacks), 'stack')} compared, "
        f"{number} {'entry' if number == 1 else 'entries'} not compared"
    )
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if value is None:
        return "(none)"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return printable(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")
