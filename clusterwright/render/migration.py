"""The report of a migration as text or Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clusterwright.cost.headline import headline
from clusterwright.migration.results import Costs, MigrationReport, Note
from clusterwright.render.markdown import code
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import markdown_table

SECTIONS = (
    ("decisions", "Assumptions: change them where they do not apply"),
    ("open", "Decisions required: the new spec does not pass yet"),
    ("unknown", "Unknown"),
    ("lost", "Lost"),
    ("gained", "Gained"),
    ("moves", "Data to move and sizes to review"),
    ("in_place", "Replacing the old cluster: the order of steps"),
)


def migration_text(report: MigrationReport, style: Style = PLAIN) -> str:
    """The report for a terminal."""
    found = report.migration
    lines = [style.paint("bold", f"{report.file}: {found.source} → {found.target}"), ""]
    titles = dict(SECTIONS)
    for key, notes in _sections(report):
        if not notes:
            continue
        lines.append(style.paint("bold", titles[key]))
        for note in notes:
            where = f"{note.path}: " if note.path and not note.what.startswith(note.path) else ""
            lines.append(f"  - {where}{note.what}")
            if note.do:
                lines.append(style.paint("hint", f"    → {note.do}"))
        lines.append("")
    lines.append(style.paint("bold", "Cost"))
    lines += [f"  {line}" for line in _cost_lines(report.costs)]
    if report.written is None:
        lines += ["", style.paint("hint", "--write FILE writes the new spec")]
    return "\n".join(lines) + "\n"


def migration_markdown(report: MigrationReport) -> str:
    """The report for a pull request."""
    found = report.migration
    lines = [f"## {code(report.file)}: {found.source} to {found.target}", ""]
    titles = dict(SECTIONS)
    for key, notes in _sections(report):
        if not notes:
            continue
        rows = [[n.path or "–", n.what, n.do or "–"] for n in notes]
        lines += [f"### {titles[key]}", ""]
        lines += [*markdown_table(["Key", "What", "Do"], rows, ["left", "left", "left"]), ""]
    lines += ["### Cost", "", *(f"- {line}" for line in _cost_lines(report.costs)), ""]
    return "\n".join(lines)


def _sections(report: MigrationReport) -> Iterator[tuple[str, Sequence[Note]]]:
    found = report.migration
    notes: dict[str, Sequence[Note]] = {
        "decisions": found.decisions,
        "open": report.open_points,
        "unknown": report.unknown,
        "lost": found.lost,
        "gained": found.gained,
        "moves": found.moves,
        "in_place": found.in_place,
    }
    for key, _ in SECTIONS:
        yield key, notes[key]


def _cost_lines(costs: Costs) -> Iterator[str]:
    for word, bill in (("before", costs.before), ("after", costs.after)):
        if bill is None:
            yield f"{word}: unknown until the new spec loads"
            continue
        found = headline(bill)
        yield f"{word} ({bill.platform}): {found.cost}"
        for more in (found.scenario, found.basis, found.known_parts, found.not_counted):
            if more is not None:
                yield f"{word}, {more}"
