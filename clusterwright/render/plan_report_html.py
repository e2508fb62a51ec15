"""A plan report as one HTML file with charts, without scripts or external resources."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from clusterwright.render import charts
from clusterwright.render.plan import estimate_rows, others_of, title_of
from clusterwright.render.plan_report import sections
from clusterwright.render.source import printable
from clusterwright.sizing.report_types import PlanReport

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_CSS: Final = """
:root { color-scheme: light dark; --line: #8884; --card: #8881; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem;
  padding: 0 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin-top: 2.2rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; max-width: 100%; }
th, td { padding: .25rem .8rem; border-bottom: 1px solid var(--line); }
td + td, th + th { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 1.2rem 0; padding: 1rem; background: var(--card); border-radius: .5rem; }
figcaption { font-weight: 600; margin-bottom: .6rem; }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: currentColor; }
svg .grid { stroke: var(--line); }
pre { background: var(--card); padding: .8rem; border-radius: .5rem; font-size: 13px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; }
@media print { body { margin: 0; max-width: none; } figure { break-inside: avoid; } }
"""


def plan_report_html(report: PlanReport) -> str:
    """A complete document; the same report gives the same bytes."""
    title = printable(title_of(report.plan))
    drawn = [
        charts.front(report) or _no_front(report),
        charts.memory(report),
        charts.goodput(report),
        charts.tornado(report),
        charts.timeline(report),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{_estimate(report)}\n"
        + "\n".join(part for part in drawn if part)
        + "\n"
        + _others(report)
        + "\n".join(_section(name, rows) for name, rows in sections(report))
        + f"\n{_list('Assumptions and notes', report.plan.warnings)}"
        f"\n{_settings(report)}\n{_assumptions(report)}\n</body>\n</html>\n"
    )


def _estimate(report: PlanReport) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("", "P10", "P50", "P90"))
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in estimate_rows(report.plan)
    )
    why = ""
    if report.plan.estimate.usd is None:
        reason = report.plan.estimate.usd_unknown or "no rate is known"
        why = f"<p>Dollars are unknown: {escape(printable(reason))}.</p>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{why}"


def _others(report: PlanReport) -> str:
    title, rows = others_of(report.plan)
    if not rows:
        return ""
    head = "".join(f"<th>{name}</th>" for name in ("", "days at P50", "EFA off", ""))
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(printable(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return (
        f"<h2>{escape(title.capitalize())}</h2>\n<table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>\n"
    )


def _no_front(report: PlanReport) -> str:
    if report.charts is None:
        return ""
    return (
        "<p>No chart of days and dollars: fewer than two clusters have a known price in "
        f"{escape(printable(report.region or 'an unknown region'))}.</p>"
    )


def _section(name: str, rows: Sequence[str]) -> str:
    # Aligned with blanks, so each keeps its lines.
    text = "\n".join(escape(printable(row)) for row in rows)
    return f"<h2>{escape(name[:1].upper() + name[1:])}</h2>\n<pre>{text}</pre>"


def _settings(report: PlanReport) -> str:
    if report.launch is None:
        return ""
    words = " \\\n  ".join(report.launch.megatron)
    notes = _list("", report.launch.cautions)
    return f"<h2>Settings for Megatron-LM</h2>\n<pre>{escape(printable(words))}</pre>{notes}"


def _assumptions(report: PlanReport) -> str:
    rows = "".join(
        f"<tr><td>{escape(printable(one.text))}</td><td>{one.values.p10:.4g}</td>"
        f"<td>{one.values.p50:.4g}</td><td>{one.values.p90:.4g}</td>"
        f"<td>{escape(printable(one.unit))}</td></tr>"
        for one in report.plan.assumptions
    )
    head = "<th>assumption</th><th>P10</th><th>P50</th><th>P90</th><th>unit</th>"
    return (
        f"<h2>Assumptions</h2>\n<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _list(title: str, rows: Sequence[str]) -> str:
    if not rows:
        return ""
    items = "".join(f"<li>{escape(printable(row))}</li>" for row in rows)
    heading = f"<h2>{escape(title)}</h2>\n" if title else ""
    return f"{heading}<ul>{items}</ul>"
