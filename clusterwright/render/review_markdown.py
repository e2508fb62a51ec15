"""A review as one comment of a pull request: the verdict first, details folded.

A hidden marker names the environment, so that a pipeline finds its comment and updates it. All
text from a spec, a commit or AWS is escaped: it cannot break the structure of the comment or
mention a user.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from clusterwright.render import markdown
from clusterwright.render.markdown import code
from clusterwright.render.review import (
    SUMMARY,
    VERDICTS,
    cost_lines,
    effect_words,
    in_order,
    losses,
    number,
    service_rule_text,
    shown_value,
    unchecked_lines,
)
from clusterwright.review.results import (
    AccessChange,
    GateResult,
    ResourceChange,
    Review,
    SpecChange,
)

MAXIMUM_CHARACTERS: Final = 65_535
"""GitHub refuses a longer comment."""

_SECTIONS_BYTES: Final = 62_000
"""Bytes of all sections; the rest is for headings and the last line."""

_SENTENCE: Final = 900
_CAUSES: Final = 8
"""Causes with a section of their own."""

_STATUS: Final = {"fail": "gates that fail", "unknown": "unknown", "allowed": "allowed"}
_ENTRY: Final = 600


def marker(environment: str) -> str:
    """The hidden line that identifies the comment of an environment."""
    name = re.sub(r"[^A-Za-z0-9-]", "", environment)
    return f"<!-- clusterwright-diff:{name} -->"


def review_markdown(review: Review) -> str:
    """The comment; at most 65,535 characters and bytes, whatever the size of the change."""
    lines = [marker(review.environment), "", _heading(review), "", *_summary(review), ""]
    for note in review.notes[:10]:
        lines += [f"> {plain(note)}", ""]
    sections = [(title, entries) for title, entries in _sections(review) if entries]
    room = _SECTIONS_BYTES - _size(lines)
    for index, (title, entries) in enumerate(sections):
        # Each section gets an equal share of the remaining bytes.
        share = room // (len(sections) - index)
        body = _fitted(entries, share)
        folded = [f"<details><summary>{title}</summary>", "", *body, "", "</details>", ""]
        lines += folded
        room -= _size(folded)
    text = "\n".join(lines).rstrip() + "\n"
    assert len(text.encode()) <= MAXIMUM_CHARACTERS
    return text


def plain(text: str, length: int = _ENTRY) -> str:
    """Text escaped for Markdown, HTML and the forge."""
    return markdown.plain(text, length)


def _heading(review: Review) -> str:
    signs = {"pass": "pass", "fail": "fail", "unknown": "unknown"}
    verdict = signs[review.verdict]
    return f"### {plain(review.environment)}: **{verdict}**, {VERDICTS[review.verdict]}"


def _summary(review: Review) -> list[str]:
    """What was compared, the gates that fail, and the five sentences."""
    against = [f"Against {plain(review.base)}"]
    if review.changes_nothing:
        against.append("nothing changes")
    for status in ("fail", "unknown", "allowed"):
        counts = Counter(gate.gate for gate in review.gates if gate.status == status)
        if counts:
            named = ", ".join(f"{kind} ({count})" for kind, count in counts.items())
            against.append(f"{_STATUS[status]}: {named}")
    lines = ["; ".join(against) + "."]
    if review.summary is not None:
        lines += [
            "",
            *(
                f"- **{title}**: {plain(getattr(review.summary, key), _SENTENCE)}"
                for key, title in SUMMARY.items()
            ),
        ]
    return lines


def _gate_lines(gates: Sequence[GateResult]) -> list[str]:
    lines = []
    order = {"fail": 0, "unknown": 1, "allowed": 2}
    for gate in sorted((g for g in gates if g.status in order), key=lambda g: order[g.status]):
        line = f"- **{gate.status}** ({gate.gate}): {plain(gate.message)}"
        if gate.hint:
            line += f"<br>{plain(gate.hint)}"
        lines.append(line)
    return lines


def _sections(review: Review) -> Iterable[tuple[str, list[str]]]:
    gates = _gate_lines(review.gates)
    yield f"Gates that fail, are unknown or allowed ({len(gates)})", gates
    yield from _resources(review)
    yield (
        f"Nodes ({len(review.nodes)})",
        _table(
            ("Group", "Before", "After", "Jobs", ""),
            (
                (code(n.group), str(n.before), str(n.after), n.jobs, plain(n.message))
                for n in review.nodes
            ),
        ),
    )
    yield (
        f"Updates in place ({len(review.service_rules)})",
        [f"- {plain(service_rule_text(rule))}" for rule in review.service_rules],
    )
    yield f"Spec ({len(review.changes)})", _changes(review.changes)
    yield f"Differences from the plan ({len(review.plan)})", _changes(review.plan)
    yield "Lifecycle scripts", _scripts(review)
    yield f"Wider IAM access ({len(review.access)})", _access(review.access)
    yield f"Wider network access ({len(review.wider_network)})", _access(review.wider_network)
    yield "Cost", _cost(review)
    yield (
        f"Quotas ({len(review.quotas)})",
        _table(
            ("Quota", "Code", "Before", "After", "Limit"),
            (
                (
                    plain(quota.label),
                    code(quota.code or "unknown"),
                    number(quota.before),
                    f"{number(quota.after)} {plain(quota.unit)}".rstrip(),
                    "unknown" if quota.limit is None else number(quota.limit),
                )
                for quota in review.quotas
            ),
        ),
    )
    yield from _findings(review)
    yield f"Drift ({len(review.drift)})", _changes(review.drift)
    yield (
        f"Not checked for drift ({len(review.drift_unchecked)})",
        [f"- {plain(line)}" for line in unchecked_lines(review)],
    )
    unknown = [
        f"- {plain(entry.what)}: {plain(entry.reason)}"
        + (f" ({plain(entry.hint)})" if entry.hint else "")
        for entry in review.unknown
    ]
    yield f"Unknown ({len(review.unknown)})", unknown


def _resources(review: Review) -> Iterable[tuple[str, list[str]]]:
    """A section for each cause with its consequences, and one for all other resources."""
    header = ("Effect", "Resource", "Type", "Why")
    folded = [cause for cause in review.causes if cause.consequences][:_CAUSES]
    for cause in folded:
        first = cause.own[0]
        title = (
            f"{effect_words(first)} {plain(first.name, 120)}, and with it "
            f"{len(cause.consequences)} more"
        )
        rows = [*cause.own, *in_order(cause.consequences)]
        yield title, _table(header, map(_resource_row, rows))
    done = {change.name for cause in folded for change in cause.resources}
    rest = [change for change in review.resources if change.name not in done]
    title = "Other resources" if folded else "Resources"
    yield f"{title} ({len(rest)})", _table(header, map(_resource_row, in_order(rest)))


def _findings(review: Review) -> Iterable[tuple[str, list[str]]]:
    found = review.findings
    yield (
        f"New findings ({len(found.new)})",
        [f"- **{f.severity}** {f.rule} {code(f.path)}: {plain(f.message)}" for f in found.new],
    )
    yield (
        f"Fixed findings ({len(found.fixed)})",
        [f"- {f.rule} {code(f.path)}: {plain(f.message)}" for f in found.fixed],
    )
    yield (
        f"Newly waived findings ({len(found.waived)})",
        [
            f"- {w.finding.rule} {code(w.finding.path)}: {plain(w.reason)}, until {w.expires}"
            for w in found.waived
        ],
    )
    yield (
        f"Unknown findings ({len(found.unanswered)})",
        [f"- {u.rule} {code(u.path)}: {plain(u.message)}" for u in found.unanswered],
    )
    yield (
        f"Unchanged findings ({len(found.standing)})",
        [f"- {f.severity} {f.rule} {code(f.path)}: {plain(f.message)}" for f in found.standing],
    )


def _resource_row(change: ResourceChange) -> Sequence[str]:
    effect = effect_words(change)
    lost = losses(change)
    why = "; ".join(plain(reason, 200) for reason in change.reasons[:3])
    return (
        f"**{effect}**" + (f" **{lost}**" if lost else ""),
        code(change.name),
        code(change.type),
        f"{why}. {plain(change.outcome)}" if change.outcome else why,
    )


def _changes(changes: Sequence[SpecChange]) -> list[str]:
    return _table(
        ("Path", "Before", "After"),
        ((code(c.path), code(shown_value(c.before)), code(shown_value(c.after))) for c in changes),
    )


def _scripts(review: Review) -> list[str]:
    scripts = review.scripts
    if scripts is None:
        return []
    lines = [f"{plain(scripts.when[:1].upper() + scripts.when[1:])}.", ""]
    for what, names in (
        ("added", scripts.added),
        ("removed", scripts.removed),
        ("changed", scripts.changed),
    ):
        lines += [f"- {what}: {code(name)}" for name in names]
    return lines


def _access(changes: Sequence[AccessChange]) -> list[str]:
    return [f"- {code(f'{c.stack}/{c.where}')}: {plain(c.message)}" for c in changes]


def _cost(review: Review) -> list[str]:
    cost = review.cost
    if cost is None:
        return []
    rows = (
        (
            plain(line.component),
            plain(line.item),
            _usd(line.before.monthly_usd if line.before else None, there=line.before is not None),
            _usd(line.after.monthly_usd if line.after else None, there=line.after is not None),
        )
        for line in cost.changed
    )
    table = _table(("", "", "USD/month before", "after"), rows)
    return [*(f"- {plain(line)}" for line in cost_lines(review)), "", *table]


def _usd(amount: object, *, there: bool) -> str:
    if not there:
        return ""
    return "unknown" if amount is None else f"{amount:,.2f}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    if not lines:
        return []
    return ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header), *lines]


def _fitted(lines: Sequence[str], room: int) -> list[str]:
    """The lines that fit, and the number of lines left out."""
    kept: list[str] = []
    used = 0
    for index, line in enumerate(lines):
        used += len(line.encode()) + 1
        if used > room - 60:
            return [*kept, "", f"... and {len(lines) - index} more: see `--format json`"]
        kept.append(line)
    return kept


def _size(lines: Iterable[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)
