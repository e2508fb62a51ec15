"""The report of `clusterwright topology` as text."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.operate.results import JobSpread, TopologyReport
from clusterwright.render.operating import (
    finding_lines,
    number_text,
    time_text,
    unknown_lines,
)
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns, counted

_SHOWN = 8


def topology_text(report: TopologyReport, style: Style = PLAIN) -> str:
    """Findings first, then the tree, nodes outside it, and the running jobs."""
    lines = [
        style.paint(
            "bold",
            f"{report.environment}: {report.platform}, account {report.account}, {report.region}, "
            f"{time_text(report.read_at)} UTC",
        )
    ]
    found = [
        *finding_lines(report.findings, style),
        *unknown_lines(report.unknown, style),
    ]
    lines += ["", *found] if found else []
    if report.network:
        lines += ["", style.paint("bold", "Network"), *_tree(report)]
    outside = [place.name for place in report.nodes if not place.path]
    if outside:
        lines += ["", f"without a known place: {_names(outside)}"]
    if report.plugin is not None:
        counts = {
            word: sum(place.agrees == word for place in report.nodes)
            for word in ("yes", "no", "unknown")
        }
        lines += [
            "",
            f"Slurm ({printable(report.plugin)}): {counts['yes']:,} nodes as AWS places them, "
            f"{counts['no']:,} differ, {counts['unknown']:,} unknown",
        ]
    if report.jobs:
        rows = [("job", "name", "user", "nodes", "leaves", "spines"), *map(_job, report.jobs)]
        lines += ["", style.paint("bold", "Running jobs")]
        lines += [f"  {line}" for line in columns(rows, ["left"] * 6)]
    return "\n".join(lines) + "\n"


def _tree(report: TopologyReport) -> Iterator[str]:
    deepest = {place.path[-1] for place in report.nodes if place.path}
    for switch in report.network:
        text = f"{'  ' * switch.layer}{printable(switch.id)}  {counted(len(switch.nodes), 'node')}"
        yield f"{text}: {_names(list(switch.nodes))}" if switch.id in deepest else text


def _names(names: list[str]) -> str:
    more = f", and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return printable(", ".join(names[:_SHOWN])) + more


def _job(job: JobSpread) -> tuple[str, ...]:
    return (
        printable(job.id),
        printable(job.name or "–"),
        printable(job.user or "–"),
        number_text(job.nodes),
        number_text(job.leaves),
        number_text(job.spines),
    )
