"""How the report looks: on a light screen, on a dark one, and on paper."""

from __future__ import annotations

from typing import Final

CSS: Final = """\
:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1c2127; --soft: #56606b; --line: #c9d0d7; --shade: #f3f5f7;
  --held: #1a6b35; --broken: #b3211c; --unknown: #7a4b00;
  --held-back: #e7f4ea; --broken-back: #fdeae8; --unknown-back: #fdf1dc;
  --boot: #9fb3c8; --platform: #5c84b1; --script: #d9a441; --running: #8cc49b;
  --failed: #d9534f; --lost: #6b6f75; --step-a: #f0cd85; --step-b: #c98f25;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181c; --ink: #e6eaee; --soft: #a4afba; --line: #3a434c; --shade: #1d2329;
    --held: #7fd497; --broken: #ff938c; --unknown: #f0bd62;
    --held-back: #17301f; --broken-back: #3b1a19; --unknown-back: #33270f;
    --boot: #64788c; --platform: #3f6ea3; --script: #8f6716; --running: #2f6b42;
    --failed: #a5322d; --lost: #4c5259; --step-a: #7d5c1c; --step-b: #a67820;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.25rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .4rem; overflow-wrap: anywhere; }
.result { padding: .6rem .9rem; border-left: .35rem solid; border-radius: .2rem;
  margin: 0 0 1rem; }
.result.held { color: var(--held); background: var(--held-back); }
.result.broken { color: var(--broken); background: var(--broken-back); }
.result.unknown { color: var(--unknown); background: var(--unknown-back); }
.sign { font-weight: 700; }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 0; }
dt { color: var(--soft); font-size: .85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.notes { padding-left: 1.2rem; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .35rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; font-weight: 400;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; min-width: 4.5rem; }
thead th { color: var(--soft); font-size: .85rem; border-bottom: 2px solid var(--line); }
.promises table { table-layout: fixed; min-width: 44rem; }
.promises thead th:nth-child(1) { width: 6.5rem; }
.promises thead th:nth-child(2) { width: 55%; }
.promises thead th:nth-child(3) { width: 5.5rem; }
.scenario th { font-weight: 600; padding-top: .9rem; }
.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.figure, td.figure { padding-right: 1.2rem; }
.status { white-space: nowrap; font-weight: 600; }
tr.held .status { color: var(--held); }
tr.broken .status { color: var(--broken); }
tr.unknown .status { color: var(--unknown); }
tr.broken > * { background: var(--broken-back); }
tr.unknown > * { background: var(--unknown-back); }
.id { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .88em;
  color: var(--soft); margin-right: .4rem; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: .2rem;
  padding: .7rem; overflow-x: auto;
  font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; margin: 0; }
figure { margin: 0 0 1rem; overflow-x: auto; }
svg { display: block; width: 100%; min-width: 44rem; height: auto; }
svg text { font-size: 11px; fill: var(--ink); font-family: inherit; }
svg .tick, svg .figure { fill: var(--soft); }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .boot { fill: var(--boot); } svg .platform { fill: var(--platform); }
svg .script { fill: var(--script); } svg .running { fill: var(--running); }
svg .state.failed { fill: var(--failed); } svg .state.lost { fill: var(--lost); }
svg .phase { fill: var(--boot); } svg .phase.held { fill: var(--running); }
svg .phase.broken { fill: var(--failed); } svg .phase.unknown { fill: var(--script); }
svg .step { fill: var(--step-a); stroke: var(--step-b); stroke-width: .6; }
svg .step.failed { fill: var(--failed); stroke: var(--broken); }
svg .mark circle { fill: var(--page); stroke: var(--ink); stroke-width: 1.4; }
svg .mark text { font-size: 9px; font-weight: 700; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.2rem; list-style: none; padding: 0;
  margin: 0 0 .6rem; font-size: .88rem; }
.key { display: inline-block; width: 1.1rem; height: .8rem; margin-right: .4rem;
  vertical-align: -.05rem; border: 1px solid var(--line); }
.key.boot { background: var(--boot); } .key.platform { background: var(--platform); }
.key.script { background: var(--script); } .key.running { background: var(--running); }
.key.failed { background: var(--failed); } .key.lost { background: var(--lost); }
.letter { display: inline-block; width: 1.1rem; height: 1.1rem; line-height: 1rem;
  margin-right: .4rem; text-align: center; font-size: .7rem; font-weight: 700;
  border: 1px solid; border-radius: 50%; }
details { margin-top: 1rem; }
summary { cursor: pointer; }
:focus-visible { outline: 2px solid var(--platform); outline-offset: 2px; }
@media print {
  :root {
    color-scheme: light;
    --page: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --shade: #f5f5f5;
    --held: #1a6b35; --broken: #b3211c; --unknown: #7a4b00;
    --held-back: #ffffff; --broken-back: #fdeae8; --unknown-back: #fdf1dc;
    --boot: #9fb3c8; --platform: #5c84b1; --script: #d9a441; --running: #8cc49b;
    --failed: #d9534f; --lost: #6b6f75; --step-a: #f0cd85; --step-b: #c98f25;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  table { font-size: 8pt; }
  th, td { min-width: 0; overflow-wrap: break-word; padding-right: .5rem; }
  tr, figure, .result { break-inside: avoid; }
  thead, caption, tbody tr:first-child { break-after: avoid; }
  h2, h3 { break-after: avoid; }
  .promises table { min-width: 0; }
  .wide, figure, pre { overflow: visible; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  svg { min-width: 0; }
}
"""
