"""A deletion plan as text and Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from clusterwright.render.markdown import escaped
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.review.deletion_results import DeletionPlan, Remaining

_WIDTH = 100
KINDS = {
    "retained": "retained by the templates",
    "snapshot": "snapshots",
    "service": "created by services or by programs on the cluster",
    "existing": "used by the spec, of no stack",
    "capacity": "capacity",
    "shared": "shared by the account",
}
"""Titles of what remains, in the order of the output."""


def deletion_text(plan: DeletionPlan, style: Style = PLAIN) -> str:
    """The result, what prevents the deletion, the commands, what is lost, and what remains."""
    blocks = [
        [
            style.paint("bold", printable(f"deletion of {plan.environment} ({plan.file})")),
            f"{style.paint(_meaning(plan), _result(plan))}",
            *_wrapped(_headline(plan)),
        ],
        _section(style, "What stops `cdk destroy --all`", _blockers(plan)),
        _section(style, "Commands, in this order", _steps(plan)),
        _section(style, "Lost for ever", _lost(plan)),
    ]
    for kind, title in KINDS.items():
        entries = [entry for entry in plan.remaining if entry.kind == kind]
        blocks.append(_section(style, f"Remains: {title}", _remaining(entries)))
    unknown = [f"{entry.what}: {entry.reason}" for entry in plan.unknown]
    blocks.append(_section(style, "Unknown", [p for u in unknown for p in _wrapped(u, "  ")]))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def deletion_markdown(plan: DeletionPlan) -> str:
    """The same as tables."""
    lines = [f"### Deletion of {escaped(plan.environment)}: {_result(plan)}", ""]
    lines += [escaped(_headline(plan)), ""]
    lines += _table(
        "What stops `cdk destroy --all`",
        ("Where", "Why", "What to do"),
        ((b.where, b.message, b.hint) for b in plan.blockers),
    )
    lines += _table(
        "Commands, in this order",
        ("#", "Command", "Why"),
        ((str(n), s.command, s.why) for n, s in enumerate(plan.steps, 1)),
    )
    lines += _table(
        "Lost for ever",
        ("Resource", "Holds", "Copy"),
        ((entry.where, entry.what, entry.copy or "none") for entry in plan.lost),
    )
    lines += _table(
        "What remains",
        ("Kind", "What", "Name", "USD a month", "Why", "Delete it with"),
        (
            (KINDS[r.kind], r.what, _named(r), _cost(r), _why(r), r.delete or "")
            for kind in KINDS
            for r in plan.remaining
            if r.kind == kind
        ),
    )
    lines += _table(
        "Unknown", ("What", "Why"), ((entry.what, entry.reason) for entry in plan.unknown)
    )
    return "\n".join(lines).rstrip("\n") + "\n"


def _meaning(plan: DeletionPlan) -> str:
    return {0: "pass", 1: "error", 2: "unknown"}[plan.exit_code]


def _result(plan: DeletionPlan) -> str:
    if plan.blockers:
        return "`cdk destroy --all` would stop"
    return "`cdk destroy --all` would end; something is unknown" if plan.unknown else "no obstacle"


def _headline(plan: DeletionPlan) -> str:
    kept = [entry for entry in plan.remaining if entry.kind in ("retained", "snapshot")]
    unknown = plan.unknown_costs
    more = f", plus {unknown} entries with unknown costs" if unknown else ""
    read = "" if plan.read_account else "; the account was not read"
    return (
        f"{len(plan.stacks)} stacks; {len(plan.lost)} resources lost with what they hold, "
        f"{len(kept)} retained; afterwards {plan.monthly_usd:,.2f} USD a month{more}{read}"
    )


def _blockers(plan: DeletionPlan) -> list[str]:
    lines = []
    for blocker in plan.blockers:
        lines += _wrapped(blocker.message, "  ")
        lines += _wrapped(f"  hint: {blocker.hint}", "    ")
    return lines


def _steps(plan: DeletionPlan) -> list[str]:
    lines = []
    for number, step in enumerate(plan.steps, 1):
        lines.append(printable(f"{number}. {step.command}"))
        lines += _wrapped(f"   {step.why}", "   ")
    return lines


def _lost(plan: DeletionPlan) -> list[str]:
    lines = []
    for entry in plan.lost:
        copy = f"; copy: {entry.copy}" if entry.copy else ""
        lines += _wrapped(f"{entry.where} ({entry.type}): {entry.what}{copy}", "  ")
    return lines


def _remaining(entries: Sequence[Remaining]) -> list[str]:
    lines = []
    for entry in entries:
        cost = _cost(entry)
        priced = f", {cost} USD a month" if cost not in ("", "0") else ""
        lines += _wrapped(f"{_named(entry)}: {entry.what}{priced}; {_why(entry)}", "  ")
        if entry.delete is not None:
            lines.append(printable(f"  delete: {entry.delete}"))
    return lines


def _named(entry: Remaining) -> str:
    return f"{entry.name} ({entry.id})" if entry.id else entry.name


def _why(entry: Remaining) -> str:
    possible = "" if entry.certain else "if it exists: "
    blocks = f"; until then {entry.blocks} cannot be deleted" if entry.blocks else ""
    return f"{possible}{entry.why}{blocks}"


def _cost(entry: Remaining) -> str:
    if entry.free:
        return "0"
    return "unknown" if entry.monthly_usd is None else f"{entry.monthly_usd:,.2f}"


def _table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    cells = [f"| {' | '.join(escaped(cell) for cell in row)} |" for row in rows]
    if not cells:
        return
    yield from (f"**{title}**", "", f"| {' | '.join(header)} |", "|---" * len(header) + "|")
    yield from (*cells, "")


def _section(style: Style, title: str, lines: Sequence[str]) -> list[str]:
    return [style.paint("bold", title), *(f"  {line}" for line in lines)] if lines else []


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        printable(text),
        _WIDTH - 2,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
