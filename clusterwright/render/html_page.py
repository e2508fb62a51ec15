"""The page of an HTML report: one document without scripts or external resources."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clusterwright.render.html_elements import text

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_CSS: Final = (
    """
:root { color-scheme: light dark; --page: #ffffff; --ink: #1c2733; --quiet: #56626e;
  --line: #d4dae0; --card: #f4f6f8; --accent: #1b5e8c; --mark: #e6f0f8;
  --c0: #1b4f72; --c1: #2e86c1; --c2: #85c1e9; --c3: #b9770e; --c4: #f5b041; --c5: #7d6608;
  --c6: #8a8f94; --c7: #c3c9ce; --bad: #c0392b; }
@media (prefers-color-scheme: dark) { :root { --page: #14191f; --ink: #e4e9ee; --quiet: #a3afba;
  --line: #36414c; --card: #1d242c; --accent: #7cc0f0; --mark: #1f3346;
  --c0: #5dade2; --c1: #3498db; --c2: #1f618d; --c3: #f0b25a; --c4: #b9770e; --c5: #c9b458;
  --c6: #a5adb5; --c7: #6b747c; --bad: #ec7063; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: 2rem 1rem;
  background: var(--page); color: var(--ink); }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .6rem; padding-top: .6rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; } .quiet { color: var(--quiet); }
.facts { display: grid; gap: .8rem; margin: 1.2rem 0; padding: 0;
  grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); }
.facts div { background: var(--card); border-radius: .5rem; padding: .8rem 1rem; }
.facts dt { color: var(--quiet); font-size: .85rem; }
.facts dd { margin: 0; font-size: 1.3rem; font-weight: 600; overflow-wrap: anywhere; }
.facts dd small { display: block; color: var(--quiet); font-size: .85rem; font-weight: 400; }
.scroll { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; min-width: 100%; font-size: .92rem; }
th { text-align: left; color: var(--quiet); font-weight: 600; vertical-align: bottom; }
th, td { padding: .4rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.whole { white-space: nowrap; }
.marked td { background: var(--mark); font-weight: 600; }
li { margin: .25rem 0; overflow-wrap: anywhere; } ul, ol { padding-left: 1.4rem; }
figure { margin: 1.4rem 0; padding: 1rem; overflow-x: auto; background: var(--card);
  border-radius: .5rem; }
figcaption { font-weight: 600; margin-bottom: .6rem; }
svg { display: block; width: 100%; min-width: 40rem; max-width: 48rem; height: auto; }
svg text { font-size: 13px; fill: var(--ink); } svg .grid { stroke: var(--line); }
svg .rule { stroke: var(--ink); stroke-dasharray: 3 2; }
"""
    + "".join(
        f"svg .f{i} {{ fill: var(--c{i}); }} svg .s{i} {{ stroke: var(--c{i}); fill: none; }}\n"
        for i in range(8)
    )
    + """
svg .bad { fill: var(--bad); } svg .open { fill: var(--card); stroke: var(--c1); }
pre { background: var(--card); padding: .8rem; border-radius: .5rem; font-size: .85rem;
  white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: 1rem 0; border: 1px solid var(--line); border-radius: .5rem;
  padding: .6rem 1rem; }
summary { cursor: pointer; font-weight: 600; color: var(--accent); }
@media print { body { max-width: none; padding: 0; } figure, tr { break-inside: avoid; } }
"""
)


def document(title: str, parts: Iterable[str]) -> str:
    """A complete document; `title` is plain text, `parts` are elements."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def facts(rows: Iterable[tuple[str, str, str]]) -> str:
    """Cards of (name, value, note)."""
    items = "".join(
        f"<div><dt>{text(one)}</dt><dd>{text(value)}<small>{text(note)}</small></dd></div>"
        for one, value, note in rows
    )
    return f'<dl class="facts">{items}</dl>'
