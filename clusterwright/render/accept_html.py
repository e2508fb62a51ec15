"""The report of `clusterwright accept` as one HTML document: a picture of nodes and checks."""

from __future__ import annotations

from html import escape
from typing import Final

from clusterwright.operate.acceptance_results import AcceptReport
from clusterwright.render.accept import accept_text
from clusterwright.render.html_elements import folded, lines, listing, paragraph, section, text

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_SYMBOLS: Final = {
    "pass": "✓",
    "fail": "✗",
    "hung": "⧗",
    "unknown": "?",
    "skipped": "·",
    "waived": "w",
}
_CSS: Final = """
:root { color-scheme: light dark; --page: #ffffff; --ink: #1c2733; --line: #d4dae0;
  --pass: #d5ead9; --fail: #f3c6c1; --unknown: #f4e3b5; --none: #eceff2; }
@media (prefers-color-scheme: dark) { :root { --page: #14191f; --ink: #e4e9ee; --line: #36414c;
  --pass: #1f4a2b; --fail: #6d231b; --unknown: #5b4a14; --none: #232a31; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 90rem; padding: 2rem 1rem;
  background: var(--page); color: var(--ink); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; }
th { text-align: left; font-weight: 600; white-space: nowrap; padding: .2rem .5rem; }
thead th { vertical-align: bottom; } thead span { writing-mode: vertical-rl; }
td { border: 1px solid var(--line); text-align: center; min-width: 1.6rem; }
td.why { border: 0; text-align: left; padding-left: .6rem; white-space: nowrap; }
.pass, .accepted, .waived { background: var(--pass); }
.fail, .hung, .rejected { background: var(--fail); }
.unknown { background: var(--unknown); } .skipped { background: var(--none); }
pre { overflow-x: auto; }
"""


def accept_html(report: AcceptReport) -> str:
    """A complete document without scripts; the same report gives the same bytes."""
    title = f"Acceptance of {report.environment}, level {report.level}"
    parts = [
        f"<h1>{text(title)}</h1>",
        paragraph(f"run {report.run}: {report.status}" if report.run else report.status),
        listing([f"{part.what}: {part.reason}" for part in report.unknown]),
        section("Nodes and checks", _picture(report)),
        section(
            "Suspects",
            listing([f"{s.kind} {', '.join(s.names)}: {s.evidence}" for s in report.suspects]),
        ),
        folded("As text", lines(accept_text(report).splitlines())),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def _picture(report: AcceptReport) -> str:
    """A row for each node, a column for each check; a cell's title has figure and reason."""
    checks = list(dict.fromkeys(check.id for node in report.nodes for check in node.checks))
    if not report.nodes:
        return ""
    head = "".join(f'<th scope="col"><span>{text(check)}</span></th>' for check in checks)
    rows = []
    for node in report.nodes:
        found = {check.id: check for check in node.checks}
        cells = ""
        for check in checks:
            one = found.get(check)
            if one is None:
                cells += "<td></td>"
                continue
            words = str(one.verdict)
            if one.value is not None:
                words += f", {one.value:.4g} {one.unit or ''}".rstrip()
            if one.floor is not None:
                words += f", floor {one.floor:.4g}"
            words += f": {one.reason}" if one.reason else ""
            cells += (
                f'<td class="{one.verdict}" title="{escape(words)}">{_SYMBOLS[one.verdict]}</td>'
            )
        rows.append(
            f'<tr><th scope="row" class="{node.verdict}">{text(node.name)}</th>{cells}'
            f'<td class="why">{text(node.reason)}</td></tr>'
        )
    legend = ", ".join(f"{symbol} {verdict}" for verdict, symbol in _SYMBOLS.items())
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr><th></th>{head}<th></th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{paragraph(legend)}"
    )
