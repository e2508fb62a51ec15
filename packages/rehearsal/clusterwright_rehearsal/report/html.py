"""The verdict as one printable HTML file without scripts and external resources.

All external text (names, messages, logs) is escaped, and a content security policy forbids scripts
and requests.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

from clusterwright.render.source import printable
from clusterwright_rehearsal.report import timeline_svg
from clusterwright_rehearsal.report.timeline import STATES
from clusterwright_rehearsal.verdict import STATUS_WORDS, Promise, StepResult, Verdict

CSS: Final = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
"""How the report looks: on a light screen, on a dark one, and on paper."""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_SYMBOLS: Final = {"broken": "✗", "unknown": "?", "held": "✓"}
"""The most urgent status first."""
_RESULTS: Final = {
    0: ("held", "Every promise passed"),
    1: ("broken", "Promises failed"),
    2: ("unknown", "No promise failed, but some could not be checked"),
}
_MARKS: Final = (
    ("F", "failed"),
    ("L", "lost"),
    ("N", "a new instance"),
    ("B", "rebooted"),
    ("D", "deleted"),
)


def verdict_html(verdict: Verdict) -> str:
    """The HTML document; the same verdict produces the same bytes."""
    sections = [
        _head(verdict),
        _promises(verdict),
        _failures(verdict),
        _timeline(verdict),
        _nodes(verdict),
        _steps(verdict),
        _list("Skipped", [f"{s.what}: {s.reason}" for s in verdict.skipped]),
        _list("Not covered by any promise", list(verdict.not_covered)),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Rehearsal of {_safe(verdict.config)}</title>\n<style>\n{CSS}</style>\n"
        f"</head>\n<body>\n<main>\n{''.join(sections)}</main>\n</body>\n</html>\n"
    )


def _head(verdict: Verdict) -> str:
    kind, words = _RESULTS[verdict.exit_code]
    if not verdict.promises:
        kind, words = "unknown", "No promise was checked"
    counts = ", ".join(f"{verdict.count(s)} {word}" for s, word in STATUS_WORDS.items())
    seconds = sum(phase.seconds for phase in verdict.phases)
    facts = [
        ("Cluster", verdict.cluster),
        ("Slurm", f"{verdict.slurm or 'not running'}, Debian {verdict.suite}"),
        ("Nodes", f"{len(verdict.nodes)}"),
        ("Time", f"{seconds:.0f} s in total"),
    ]
    listed = "".join(f"<div><dt>{_safe(a)}</dt><dd>{_safe(b)}</dd></div>" for a, b in facts)
    notes = "".join(f"<li>{_safe(note)}</li>" for note in verdict.notes)
    return (
        f"<header>\n<h1>Rehearsal of {_safe(verdict.config)}</h1>\n"
        f'<p class="result {kind}"><span class="sign" aria-hidden="true">{_SYMBOLS[kind]}</span> '
        f"<strong>{words}.</strong> Promises: {counts}.</p>\n<dl>{listed}</dl>\n"
        + (f'<ul class="notes">{notes}</ul>\n' if notes else "")
        + "</header>\n"
    )


def _promises(verdict: Verdict) -> str:
    groups: dict[str, list[Promise]] = {}
    for promise in verdict.promises:
        groups.setdefault(promise.scenario, []).append(promise)
    bodies = "".join(
        f'<tbody>\n<tr class="scenario"><th colspan="4" scope="rowgroup">{_safe(name)}</th></tr>\n'
        + "".join(_promise(promise) for promise in promises)
        + "</tbody>\n"
        for name, promises in sorted(groups.items(), key=lambda group: _urgency(group[1]))
    )
    return _section(
        "Verdict",
        _table(
            ("Status", "Promise", "Seconds", "Observed"),
            bodies,
            "Promises by scenario, those with failed promises first",
            figures=(2,),
            kind=" promises",
        ),
    )


def _urgency(promises: Sequence[Promise]) -> int:
    """Scenarios with broken promises come first, then unknown ones; otherwise in their order."""
    return min(tuple(_SYMBOLS).index(promise.status) for promise in promises)


def _promise(promise: Promise) -> str:
    name = promise.id.removeprefix(f"{promise.scenario}.")
    seconds = "" if promise.seconds is None else f"{promise.seconds:.1f}"
    return (
        f'<tr class="{promise.status}"><td class="status">'
        f'<span class="sign" aria-hidden="true">{_SYMBOLS[promise.status]}</span> '
        f"{STATUS_WORDS[promise.status]}"
        f'</td><th scope="row"><span class="id">{_safe(name)}</span> {_safe(promise.text)}</th>'
        f'<td class="figure">{seconds}</td><td>{_lines(promise.reason or "")}</td></tr>\n'
    )


def _failures(verdict: Verdict) -> str:
    if not verdict.failure_logs:
        return ""
    parts = [
        f"<h3>The end of the log of {_safe(node)}</h3>\n"
        f'<pre tabindex="0" role="region" aria-label="log of {_safe(node)}">{_block(text)}</pre>\n'
        for node, text in verdict.failure_logs
    ]
    return _section("Logs of what failed", "".join(parts))


def _timeline(verdict: Verdict) -> str:
    drawn = timeline_svg.whole(verdict)
    if not drawn:
        return ""
    keys = "".join(
        f'<li><span class="key {state}"></span>{_safe(words)}</li>'
        for state, words in STATES.items()
    )
    marks = "".join(
        f'<li><span class="letter">{letter}</span>{words}</li>' for letter, words in _MARKS
    )
    more = timeline_svg.left_out(verdict)
    closer = timeline_svg.coming_up(verdict)
    return _section(
        "Timeline",
        f'<ul class="legend">{keys}{marks}</ul>\n<figure>{drawn}</figure>\n'
        + (
            "<h3>From CreateCluster to Running</h3>\n"
            "<p>Inside the lifecycle script, its steps; a bar's name and seconds show where the "
            f"pointer rests on it, and are in the tables below.</p>\n<figure>{closer}</figure>\n"
            if closer
            else ""
        )
        + (f"<p>{more} more nodes are listed only in the tables.</p>\n" if more else ""),
    )


def _nodes(verdict: Verdict) -> str:
    if not verdict.nodes:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{_safe(n.name)}</th><td>{_safe(n.host)}</td>'
        f"<td>{_safe(n.role or '')}</td><td>{_safe(n.instance_type)}</td>"
        f"<td>{_safe(n.instance_id)}</td><td>{_safe(n.address)}</td><td>{_safe(n.status)}</td>"
        f'<td class="figure">{"" if n.seconds is None else f"{n.seconds:.1f}"}</td></tr>\n'
        for n in verdict.nodes
    )
    head = ("Node", "Host", "Role", "Type", "Instance", "Address", "Last", "Seconds")
    caption = "The nodes at the end; seconds from creation to Running, or to failure"
    return _section("Nodes", _table(head, f"<tbody>\n{rows}</tbody>\n", caption, figures=(7,)))


def _steps(verdict: Verdict) -> str:
    by_step: dict[str, list[StepResult]] = {}
    for step in verdict.steps:
        by_step.setdefault(step.step, []).append(step)
    if not by_step:
        return ""
    rows = "".join(_step_row(name, steps) for name, steps in by_step.items())
    head = ("Step", "Nodes", "Ended as", "Median", "Slowest", "Slowest node")
    caption = "Steps of each node's first run of the node program; seconds"
    summary = _table(head, f"<tbody>\n{rows}</tbody>\n", caption, figures=(1, 3, 4))
    nodes = list(dict.fromkeys(step.node for step in verdict.steps))
    found = {(step.node, step.step): step for step in verdict.steps}
    each = "".join(
        f'<tr><th scope="row">{_safe(name)}</th>'
        + "".join(_cell(found.get((node, name))) for node in nodes)
        + "</tr>\n"
        for name in by_step
    )
    whole = _table(
        ("Step", *nodes), f"<tbody>\n{each}</tbody>\n", "Every step on every node", figures=()
    )
    return _section(
        "Steps",
        f"{summary}<details>\n<summary>Every step on every node</summary>\n{whole}</details>\n",
    )


def _step_row(name: str, steps: Sequence[StepResult]) -> str:
    ended: dict[str, int] = {}
    for step in steps:
        ended[step.status] = ended.get(step.status, 0) + 1
    slowest = max(steps, key=lambda step: step.seconds)
    errors = "".join(
        f"<br>{_safe(step.node)}: {_lines(step.error)}" for step in steps if step.error
    )
    words = ", ".join(f"{count} {_safe(status)}" for status, count in ended.items())
    kind = ' class="broken"' if "failed" in ended else ""
    return (
        f'<tr{kind}><th scope="row">{_safe(name)}</th><td class="figure">{len(steps)}</td>'
        f"<td>{words}{errors}</td>"
        f'<td class="figure">{statistics.median(s.seconds for s in steps):.2f}</td>'
        f'<td class="figure">{slowest.seconds:.2f}</td>'
        f"<td>{_safe(slowest.node) if slowest.seconds >= 0.005 else ''}</td></tr>\n"
    )


def _cell(step: StepResult | None) -> str:
    return "<td></td>" if step is None else f"<td>{_safe(step.status)} {step.seconds:.2f}</td>"


def _list(title: str, entries: Sequence[str]) -> str:
    if not entries:
        return ""
    items = "".join(f"<li>{_lines(entry)}</li>\n" for entry in entries)
    return _section(title, f"<ul>\n{items}</ul>\n")


def _section(title: str, content: str) -> str:
    name = title.lower().replace(" ", "-")
    return (
        f'<section aria-labelledby="{name}">\n<h2 id="{name}">{title}</h2>\n{content}</section>\n'
    )


def _table(
    head: Sequence[str], bodies: str, caption: str, *, figures: Sequence[int], kind: str = ""
) -> str:
    kinds = [' class="figure"' if number in figures else "" for number in range(len(head))]
    cells = "".join(
        f'<th scope="col"{own}>{_safe(text)}</th>' for own, text in zip(kinds, head, strict=True)
    )
    # A wide table scrolls, also with the keyboard.
    return (
        f'<div class="wide{kind}" tabindex="0" role="region" aria-label="{_safe(caption)}">\n'
        f"<table>\n"
        f"<caption>{_safe(caption)}</caption>\n<thead><tr>{cells}</tr></thead>\n{bodies}</table>\n"
        "</div>\n"
    )


def _lines(text: str) -> str:
    return "<br>".join(_safe(line) for line in text.splitlines())


def _block(text: str) -> str:
    return "\n".join(_safe(line) for line in text.splitlines())


def _safe(text: str) -> str:
    return escape(printable(text))
