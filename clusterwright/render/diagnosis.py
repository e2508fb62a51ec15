"""A diagnosis as text: each cause first, its evidence, then the next commands."""

from __future__ import annotations

from clusterwright.diagnosis.model import Diagnosis, Evidence, Finding
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style

EVIDENCE_SHOWN = 4
RESOURCES_SHOWN = 8
LONGEST_TEXT = 240


def diagnosis_text(diagnosis: Diagnosis, style: Style = PLAIN) -> str:
    """The findings, what could not be read, and what was read, for a terminal."""
    lines: list[str] = []
    for finding in diagnosis.findings:
        lines += [*_finding(finding, style), ""]
    for entry in diagnosis.unknown:
        lines.append(f"{style.paint('unknown', 'unknown:')} {printable(f'{entry.what}')}")
        lines.append(f"  {printable(entry.reason)}")
        if entry.hint:
            lines.append(f"  {style.paint('hint', 'hint:')} {printable(entry.hint)}")
    if diagnosis.unknown:
        lines.append("")
    if diagnosis.read:
        lines.append(style.paint("bold", "read"))
        lines += [f"  {printable(entry)}" for entry in diagnosis.read]
        lines.append("")
    lines.append(summary(diagnosis))
    return "\n".join(lines) + "\n"


def summary(diagnosis: Diagnosis) -> str:
    """The result in a sentence."""
    information = sum(finding.severity == "info" for finding in diagnosis.findings)
    count, unread = len(diagnosis.findings) - information, len(diagnosis.unknown)
    found = f"{count} finding{'' if count == 1 else 's'}" if count else "no failure found"
    parts = [found]
    parts += [f"{information} for information"] if information else []
    parts += [f"{unread} could not be read"] if unread else []
    return "; ".join(parts)


def _finding(finding: Finding, style: Style) -> list[str]:
    word = "info" if finding.severity == "info" else finding.confidence
    label = style.paint(finding.severity, f"{word}:")
    lines = [f"{label} {printable(finding.cause)}"]
    if finding.resources:
        shown = ", ".join(finding.resources[:RESOURCES_SHOWN])
        more = len(finding.resources) - RESOURCES_SHOWN
        lines.append(f"  on {printable(shown)}{f' and {more} more' if more > 0 else ''}")
    lines += [f"  {_evidence(item, style)}" for item in finding.evidence[:EVIDENCE_SHOWN]]
    more = len(finding.evidence) - EVIDENCE_SHOWN
    if more > 0:
        lines.append(f"  and {more} more (--format json has them)")
    lines += [f"  {style.paint('hint', 'next:')} {printable(command)}" for command in finding.next]
    return lines


def _evidence(item: Evidence, style: Style) -> str:
    when = f"{item.time:%Y-%m-%d %H:%M:%S} " if item.time is not None else ""
    text = " ".join(item.text.split())
    text = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."
    where = style.paint("dim", printable(f"{when}{item.source} ({item.id})"))
    return f"{where}: {printable(text)}"
