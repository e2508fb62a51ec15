"""A review as text."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from clusterwright.cost.headline import change_headline, change_sentence
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import Align, columns
from clusterwright.review.results import (
    AccessChange,
    Cause,
    GateResult,
    QuotaDelta,
    ResourceChange,
    Review,
    ServiceRule,
    SpecChange,
)

_WIDTH = 100
_SHOWN = 40
"""Entries of one section of the text; JSON has all of them."""

NODES = {
    "none": "nodes are not affected",
    "at-once": "running nodes are affected and keep running",
    "later": "nodes that are configured or restarted later",
    "new": "nodes that are added or replaced later",
    "rolling": "all nodes are replaced, some at a time",
    "ended": "all nodes end, with the jobs on them",
    "interrupted": "jobs may wait",
    "unknown": "the effect on nodes is unknown",
}
"""The effect on nodes of an update in place."""

VERDICTS = {
    "pass": "every gate passes",
    "fail": "must not be merged",
    "unknown": "something is unknown",
}


SUMMARY = {
    "happens": "What happens",
    "lost": "What is lost",
    "survives": "What survives",
    "costs": "What it costs",
    "instead": "What to do instead",
}
"""Titles of the five sentences."""


def review_text(review: Review, style: Style = PLAIN) -> str:
    """The verdict with its reasons, then everything that changes."""
    head = f"{review.environment} ({review.file}) against {review.base}"
    blocks = [[style.paint("bold", printable(head)), _verdict(review, style)]]
    blocks += [_summary_text(review, style)]
    blocks += [_gate_text(gate, style) for gate in review.gates if gate.status != "pass"]
    blocks += [_section(style, "Notes", [printable(note) for note in review.notes])]
    blocks += [_section(style, "Spec", [_change_text(c) for c in review.changes])]
    if review.resources_known:
        blocks.append(_resources_text(review, style))
    blocks += [_section(style, "Plan -> spec", [_change_text(c) for c in review.plan])]
    blocks += [_nodes_text(review, style)]
    blocks += [_section(style, "Updates in place", _service_rules(review.service_rules))]
    blocks += [_scripts_text(review, style)]
    blocks += [_section(style, "Wider IAM access", _access(review.access))]
    blocks += [_section(style, "Wider network access", _access(review.wider_network))]
    blocks += [_section(style, "Cost", cost_lines(review))]
    blocks += [_quotas_text(review.quotas, style)]
    blocks += [_findings_text(review, style)]
    blocks += [_section(style, "Drift", [_change_text(c) for c in review.drift])]
    blocks += [_section(style, "Not checked for drift", unchecked_lines(review))]
    unknown = [
        f"{entry.what}: {entry.reason}" + (f" (hint: {entry.hint})" if entry.hint else "")
        for entry in review.unknown
    ]
    blocks += [_section(style, "Unknown", [printable(line) for line in unknown])]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def unchecked_lines(review: Review) -> list[str]:
    """Number of resources by type whose drift nothing checked."""
    counts = Counter(resource.type for resource in review.drift_unchecked)
    return [f"{count} {kind}" for kind, count in sorted(counts.items())]


def cost_lines(review: Review) -> list[str]:
    """The cost before and after in a few lines of plain text."""
    cost = review.cost
    if cost is None:
        return []
    first = change_headline(cost)
    known = "known parts: " if first else ""
    lines = [change_sentence(cost), *first[1:]]
    if first:
        before, after = cost.before.total, cost.after.total
        lines.append(
            f"{known}{cost.monthly_usd:+,.2f} USD a month: {before.monthly_usd:,.2f} before, "
            f"{after.monthly_usd:,.2f} after"
        )
    lines.append(f"{known}{cost.hourly_usd:+,.2f} USD an hour")
    run = cost.run_usd
    if run is not None:
        lines.append(f"{known}{run:+,.2f} USD a run")
    if cost.unknown_changes:
        lines.append("`clusterwright cost` lists the lines without a price or a quantity")
    return lines


def shown_value(value: Any, length: int = 120) -> str:
    """A value of a spec on one line, truncated."""
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(printable(text[: 2 * length]).split())
    return text if len(text) <= length else f"{text[: length - 1]}…"


def number(value: float) -> str:
    """A number with thousands separators, without decimals where it is whole."""
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.2f}"


def effect_words(change: ResourceChange) -> str:
    """The effect on a resource in one or two words."""
    if change.action == "create":
        return "create"
    if change.action == "leave":
        return "leaves the app"
    if change.effect == "none":
        return "settings"
    return f"{change.effect}?" if change.certainty == "possible" and change.ends else change.effect


def losses(change: ResourceChange) -> str:
    """What is lost with a resource, in capitals."""
    found = []
    if change.data_loss:
        found.append("DATA LOSS")
    if change.job_loss:
        found.append("JOBS END")
    if change.protection_loss:
        found.append("PROTECTION REMOVED")
    return ", ".join(found)


def in_order(resources: Iterable[ResourceChange]) -> list[ResourceChange]:
    """Resources by severity of their change."""
    ranks = {"delete": 0, "replace": 1, "restart": 2, "update": 3, "none": 5}

    def rank(change: ResourceChange) -> tuple[int, int, str]:
        lost = not (change.data_loss or change.job_loss or change.protection_loss)
        place = 4 if change.action == "create" else ranks[change.effect]
        return (int(lost and place > 1), place, change.name)

    return sorted(resources, key=rank)


def _verdict(review: Review, style: Style) -> str:
    meaning = {"pass": "pass", "fail": "error", "unknown": "unknown"}[review.verdict]
    text = VERDICTS[review.verdict]
    if review.changes_nothing and review.verdict == "pass":
        text = "nothing changes"
    return f"{style.paint(meaning, f'verdict: {review.verdict}')}: {text}"


def _gate_text(gate: GateResult, style: Style) -> list[str]:
    meaning = {"fail": "error", "unknown": "unknown", "allowed": "dim"}.get(gate.status, "pass")
    head = style.paint(meaning, f"{gate.status}[{gate.gate}]:")
    lines = _wrapped(f"{head} {printable(gate.message)}", indent="  ")
    if gate.hint:
        lines += _wrapped(
            f"  {style.paint('hint', 'hint:')} {printable(gate.hint)}", indent="    "
        )
    return lines


def _summary_text(review: Review, style: Style) -> list[str]:
    width = max(map(len, SUMMARY.values())) + 2
    lines = []
    for key, title in SUMMARY.items():
        if review.summary is None:
            break
        text = printable(getattr(review.summary, key))
        first, *rest = _wrapped(f"{title + ':':<{width}}{text}", indent=" " * width)
        lines += [style.paint("bold", first[:width]) + first[width:], *rest]
    return lines


def _resources_text(review: Review, style: Style) -> list[str]:
    """The resources under their causes; consequences without a loss are only counted."""
    lines: list[str] = []
    shown = hidden = 0
    alone = (Cause((change,)) for change in in_order(review.resources))
    for cause in review.causes or alone:
        severe = [c for c in cause.consequences if losses(c) or (c.ends and c.holds)]
        for indent, change in [*(("", c) for c in cause.own), *(("  ", c) for c in severe)]:
            if shown == _SHOWN:
                hidden += 1
                continue
            shown += 1
            lines += [f"{indent}{line}" for line in _resource_lines(change, style)]
        rest = [change for change in cause.consequences if change not in severe]
        if rest and not hidden:
            lines += _wrapped(f"  consequences: {_counted(rest)}", indent="    ")
    if hidden:
        lines.append(f"... and {hidden} more")
    return _section(style, "Resources", lines)


def _resource_lines(change: ResourceChange, style: Style) -> list[str]:
    lost = losses(change)
    mark = f"  {style.paint('error', lost)}" if lost else ""
    named = printable(f"{change.name}  {change.type}")
    lines = [f"{effect_words(change):<14} {named}{mark}"]
    if change.action != "create":
        for reason in change.reasons[:3]:
            lines += _wrapped(f"  {printable(reason)}", indent="    ")
    return lines


def _counted(changes: Sequence[ResourceChange]) -> str:
    """Effects and types with their number, such as `replace 2 AWS::EC2::Subnet`."""
    counts = Counter((effect_words(change), change.type) for change in in_order(changes))
    return ", ".join(f"{effect} {count} {kind}" for (effect, kind), count in counts.items())


def _nodes_text(review: Review, style: Style) -> list[str]:
    jobs = {"die": "JOBS END", "wait": "waits for jobs", "none": ""}
    rows = [
        [change.group, f"{change.before} -> {change.after}", jobs[change.jobs], change.message]
        for change in review.nodes
    ]
    lines = columns(rows, ("left", "left", "left", "left")) if rows else []
    return _section(style, "Nodes", [printable(line) for line in lines])


def _scripts_text(review: Review, style: Style) -> list[str]:
    scripts = review.scripts
    if scripts is None:
        return []
    lines = [
        f"{mark} {name}"
        for mark, names in (("+", scripts.added), ("-", scripts.removed), ("~", scripts.changed))
        for name in names
    ]
    if not lines:
        lines = ["the scripts are the same; the node configuration (cluster.json) changes"]
    lines = _more(lines[:_SHOWN], len(lines), _SHOWN)
    return _section(
        style, "Lifecycle scripts", [*map(printable, lines), *_wrapped(printable(scripts.when))]
    )


def _quotas_text(quotas: Sequence[QuotaDelta], style: Style) -> list[str]:
    rows = [
        [q.label, number(q.before), "->", number(q.after), q.unit, _limit(q), q.code or "no code"]
        for q in quotas
    ]
    aligns: tuple[Align, ...] = ("left", "right", "left", "right", "left", "left", "left")
    lines = columns(rows, aligns) if rows else []
    return _section(style, "Quotas", [printable(line) for line in lines])


def _limit(quota: QuotaDelta) -> str:
    return "limit unknown" if quota.limit is None else f"limit {number(quota.limit)}"


def _findings_text(review: Review, style: Style) -> list[str]:
    found = review.findings
    lines = [f"new {f.severity}[{f.rule}] {f.path}: {f.message}" for f in found.new]
    lines += [f"fixed [{f.rule}] {f.path}: {f.message}" for f in found.fixed]
    lines += [
        f"waived [{w.finding.rule}] {w.finding.path}: {w.reason} (until {w.expires})"
        for w in found.waived
    ]
    if found.standing:
        lines.append(f"{len(found.standing)} unchanged: see `clusterwright check`")
    rules = sorted({entry.rule for entry in found.unanswered})
    if rules:
        lines.append(f"unknown: {', '.join(rules)}")
    wrapped = [part for line in lines for part in _wrapped(printable(line), indent="    ")]
    return _section(style, "Findings", wrapped)


def _access(changes: Sequence[AccessChange]) -> list[str]:
    lines = [f"{c.stack}/{c.where}: {shown_value(c.message, 300)}" for c in changes[:_SHOWN]]
    return [
        part
        for line in _more(lines, len(changes), _SHOWN)
        for part in _wrapped(printable(line), indent="    ")
    ]


def _service_rules(rules: Sequence[ServiceRule]) -> list[str]:
    lines = [service_rule_text(rule) for rule in rules[:_SHOWN]]
    return [
        part
        for line in _more(lines, len(rules), _SHOWN)
        for part in _wrapped(printable(line), indent="    ")
    ]


def service_rule_text(rule: ServiceRule) -> str:
    """What a service does with an update in place, and whose nodes it concerns."""
    users = f" ({', '.join(rule.users)})" if rule.users else ""
    return f"{rule.where}: {rule.property}: {NODES[rule.nodes]}{users}: {rule.message}"


def _change_text(change: SpecChange) -> str:
    path = printable(change.path)
    return f"{path}: {shown_value(change.before)} -> {shown_value(change.after)}"


def _section(style: Style, title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    return [style.paint("bold", title), *(f"  {line}" for line in lines)]


def _more(lines: list[str], count: int, shown: int) -> list[str]:
    return [*lines, f"... and {count - shown} more"] if count > shown else lines


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
