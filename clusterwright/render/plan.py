"""The estimate of a plan as text and Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from clusterwright.render.plan_summary import wrapped
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import Align, columns, counted, markdown_cell, markdown_table
from clusterwright.sizing.plan_types import Candidate, Explained, Plan, Quantiles

_TORNADO_SHOWN = 3
_GIB = 2**30


def estimate_text(plan: Plan, style: Style = PLAIN) -> list[str]:
    """Title and estimate of a plan as lines."""
    return [*_painted(style, wrapped(title_of(plan), indent="")), "", *_estimate_lines(plan)]


def detail_lines(plan: Plan) -> list[str]:
    """What `--details` adds about the chosen layout: memory by part, notes, days without EFA."""
    chosen = plan.chosen
    lines = [f"memory: {_memory(chosen)}"]
    return [*lines, *chosen.notes, *_without_efa(chosen)]


def explain_lines(plan: Plan, style: Style = PLAIN) -> list[str]:
    """Every formula with its numbers, and every assumption with its reason."""
    lines = ["", style.paint("bold", "how it was computed"), *_explained(plan.explained)]
    lines += ["", style.paint("bold", "assumptions (P10, P50, P90)")]
    for a in plan.assumptions:
        values = ", ".join(f"{v:.4g}" for v in (a.values.p10, a.values.p50, a.values.p90))
        lines += [f"  {a.text}: {values} {a.unit}".rstrip(), f"      {a.reason} [{a.source}]"]
    return lines


def _painted(style: Style, lines: Sequence[str]) -> list[str]:
    return [style.paint("bold", line) for line in lines]


def plan_markdown(plan: Plan, *, explain: bool = False) -> str:
    """The same for a pull request."""
    e = plan.estimate
    lines = [f"### {markdown_cell(title_of(plan))}", ""]
    rows = estimate_rows(plan)
    aligns: tuple[Align, ...] = ("left", "right", "right", "right")
    lines += markdown_table(("", "P10", "P50", "P90"), rows, aligns)
    chosen = plan.chosen
    assert chosen.layout is not None
    lines += [
        "",
        f"- {counted(e.accelerators, 'accelerator')} on {counted(e.nodes, 'node')}: "
        f"{markdown_cell(chosen.layout.text)}",
        f"- memory: {markdown_cell(_memory(chosen))}",
    ]
    lines += [f"- {markdown_cell(note)}" for note in (*chosen.notes, *_without_efa(chosen))]
    title, others = others_of(plan)
    if others:
        lines += ["", f"<details><summary>{title.capitalize()}</summary>", ""]
        header = ("", "days at P50", "EFA off", "")
        lines += markdown_table(header, others, ("left", "right", "left", "left"))
        lines += ["", "</details>"]
    lines += ["", "<details><summary>Uncertainties and assumptions</summary>", ""]
    lines += [
        f"- {markdown_cell(s.text)}: {s.days_low:,.1f} to {s.days_high:,.1f} days"
        for s in plan.tornado[:_TORNADO_SHOWN]
    ]
    lines += [f"- {markdown_cell(warning)}" for warning in plan.warnings]
    if explain:
        rows = [
            (r.what, f"{r.formula} {r.numbers}".strip(), _value(r), r.source)
            for r in plan.explained
        ]
        header = ("what", "formula", "value", "source")
        lines += ["", *markdown_table(header, rows, ("left", "left", "right", "left"))]
    lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def title_of(plan: Plan) -> str:
    """One line: the model, the tokens, and what they run on."""
    c = plan.chosen
    where = c.hardware.instance_type or c.hardware.accelerator
    many = f"{c.nodes:,} x {where}" if c.hardware.instance_type else f"{c.accelerators:,} {where}"
    return (
        f"{plan.shape.name}, {_si(plan.tokens)} tokens, {plan.kind}, {plan.precision} on {many} "
        f"({counted(c.accelerators, 'accelerator')})"
    )


def _table(plan: Plan) -> list[tuple[str, Quantiles, str]]:
    e = plan.estimate
    precision = plan.precision.upper()
    dollars = [] if e.usd is None else [("dollars of compute", e.usd, ",.0f")]
    return [
        ("days", e.days, ",.1f" if e.days.p10 >= 0.1 else ".2g"),
        *dollars,
        ("accelerator-hours", e.accelerator_hours, ",.0f"),
        (f"in-run MFU (dense {precision}, {_peak(plan):,g} TFLOPS)", e.in_run_mfu, ".1%"),
        ("goodput", e.goodput, ".1%"),
        ("whole-run MFU", e.whole_run_mfu, ".1%"),
    ]


def estimate_rows(plan: Plan) -> list[tuple[str, str, str, str]]:
    """Name, P10, P50 and P90 of what is estimated, as people read them."""
    return [(name, *_cells(q, pattern)) for name, q, pattern in _table(plan)]


def _estimate_lines(plan: Plan) -> list[str]:
    rows: list[Sequence[str]] = [("", "P10", "P50", "P90"), *estimate_rows(plan)]
    lines = columns(rows, ("left", "right", "right", "right"))
    e = plan.estimate
    if e.usd is None:
        why = f"dollars unknown: {e.usd_unknown or 'no rate is known'}"
        lines += wrapped(why, indent="")
    return lines


def _cells(quantiles: Quantiles, pattern: str) -> tuple[str, str, str]:
    return (
        format(quantiles.p10, pattern),
        format(quantiles.p50, pattern),
        format(quantiles.p90, pattern),
    )


def _memory(candidate: Candidate) -> str:
    memory = candidate.memory
    assert memory is not None
    parts = sorted(memory.parts.items(), key=lambda item: -item[1])
    named = ", ".join(f"{name} {value / _GIB:.1f}" for name, value in parts if value > 0.05 * _GIB)
    return f"{memory.total_gib:.1f} of {memory.limit_gib:g} GiB ({memory.used_share:.0%}): {named}"


def _short(days: float) -> str:
    return f"{days:,.1f} d" if days >= 0.1 else f"{days:.2g} d"


def others_of(plan: Plan) -> tuple[str, list[tuple[str, str, str, str]]]:
    """What the other candidates are, and for each: itself, days, those without EFA, why not."""
    others = [c for c in plan.candidates if not c.chosen]
    several = any(c.hardware.name != plan.chosen.hardware.name for c in others)
    rows = [_other(c) for c in others if c.infeasible is None]
    reasons: dict[str, list[str]] = {}
    for one in others:
        if one.infeasible is not None:
            name = one.hardware.name
            reasons.setdefault(one.infeasible.replace(name, "it"), []).append(name)
    rows += [
        (names[0] if len(names) == 1 else f"{len(names)} types", "-", "", _why(names, reason))
        for reason, names in reasons.items()
    ]
    return "other types" if several else "other layouts", rows


def _why(names: Sequence[str], reason: str) -> str:
    return reason if len(names) == 1 else f"{reason} ({', '.join(names)})"


def _other(candidate: Candidate) -> tuple[str, str, str, str]:
    assert candidate.layout is not None
    assert candidate.days is not None
    note = candidate.notes[-1] if candidate.notes else ""
    if candidate.unknown_offering is not None and candidate.unknown_offering not in note:
        note = f"{note}; {candidate.unknown_offering}"
    where = ""
    if candidate.accelerator_hours is not None:
        where = f"{candidate.nodes:,} x {candidate.hardware.name}: "
    return (
        where + candidate.layout.text,
        _short(candidate.days.p50),
        "; ".join(_without_efa(candidate)),
        note,
    )


def _without_efa(candidate: Candidate) -> tuple[str, ...]:
    """`EFA off: 120 d, 3,000,000 USD`, at P50; nothing for one node."""
    off = candidate.efa_off
    if off is None:
        return ()
    if off.days is None or off.reason is not None:
        return (f"EFA off: {off.reason}",)
    dollars = "dollars unknown" if off.usd is None else f"{off.usd.p50:,.0f} USD"
    return (f"EFA off: {_short(off.days.p50)}, {dollars}",)


def _explained(rows: Sequence[Explained]) -> list[str]:
    lines = []
    for row in rows:
        formula = " = ".join(part for part in (row.formula, row.numbers) if part)
        lines.append(f"  {row.what}: {_value(row)}")
        lines += [
            f"      {text}" for text in (formula, f"[{row.source}]") if text not in {"", "[]"}
        ]
    return lines


def _value(row: Explained) -> str:
    value = row.value if isinstance(row.value, str) else f"{row.value:,.4g}"
    return f"{value} {row.unit}".strip()


def _peak(plan: Plan) -> float:
    step = plan.chosen.step
    assert step is not None
    return step.peak_tflops


def _si(value: float) -> str:
    for scale, suffix in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if value >= scale:
            return f"{value / scale:.3g}{suffix}"
    return f"{value:.3g}"
