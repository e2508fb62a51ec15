"""The report of `clusterwright report goodput` as text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from clusterwright.goodput.results import PARTS, Comparison, GoodputReport, Remark, Unknown
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns

_Form: TypeAlias = Callable[[float | None], str]

MEANINGS: Final = {
    "queue": "from submission to the job's start",
    "boot": "from the job's start to the program's first line",
    "start": "from the first line to the first step",
    "productive": "steps that the run kept",
    "repeated": "steps that were lost and done again",
    "checkpoint": "blocked by saving",
    "stalled": "above four steps longer than usual, unexplained",
    "down": "from the last step to the next submission",
}


def goodput_text(report: GoodputReport, style: Style = PLAIN) -> str:
    """Findings, the parts of the wall time, measures beside the plan, attempts."""
    head = f"{report.environment}: run {printable(report.run or 'without a name')}"
    lines = [style.paint("bold", f"{head}, {report.framework}{_period(report)}")]
    notes = [*remark_lines(report.findings, style), *unanswered_lines(report.unknown, style)]
    lines += ["", *notes] if notes else []
    if report.parts is not None and report.wall_s is not None:
        lines += ["", style.paint("bold", "Time"), *_indented(part_rows(report), "lrrl")]
    steps = report.steps
    lines += ["", f"steps: {steps.productive:,} productive, {steps.repeated:,} repeated"]
    lines += _checkpoint_lines(report)
    if report.measures.goodput is not None:
        lines += ["", style.paint("bold", "Measures")]
        lines += _indented(measure_rows(report), "lrrl")
    if len(report.attempts) > 1:
        lines += ["", style.paint("bold", "Attempts"), *_indented(attempt_rows(report), "llrrrr")]
    return "\n".join(lines) + "\n"


def _checkpoint_lines(report: GoodputReport) -> list[str]:
    found = report.checkpoints
    if found is None:
        return []
    if found.newest_step is None:
        return ["checkpoints: the folder has no complete one"]
    text = f"checkpoints: {found.count:,} in the folder, the newest of step {found.newest_step:,}"
    if found.unsaved_steps:
        text += f"; {found.unsaved_steps:,} steps since then would be lost"
    return [text]


def part_rows(report: GoodputReport) -> list[tuple[str, str, str, str]]:
    """Part, time, share of the wall time, meaning; the sum last."""
    assert report.parts is not None
    assert report.wall_s is not None
    rows = []
    for part in PARTS:
        seconds = report.parts[f"{part}_s"]
        share = seconds / report.wall_s if report.wall_s else 0.0
        rows.append((part, duration(seconds), f"{share:.1%}", MEANINGS[part]))
    return [*rows, ("wall time", duration(report.wall_s), "", "")]


def measure_rows(report: GoodputReport) -> list[tuple[str, str, str, str]]:
    """Measure, value, the plan's P10 to P90, verdict."""
    m, plan = report.measures, report.plan
    rows = [("", "run", "plan, P10 to P90" if plan else "", "")]
    measures: tuple[tuple[str, str, tuple[Comparison, _Form] | None], ...] = (
        ("goodput", _percent(m.goodput), (plan.goodput, _percent) if plan else None),
        ("ETTR (queue included)", _percent(m.ettr), None),
        ("MFU while training", _percent(m.mfu), (plan.mfu, _percent) if plan else None),
        ("MFU of the whole run", _percent(m.whole_run_mfu), None),
        ("seconds per step", _number(m.step_seconds), None),
        ("tokens/s while training", _number(m.tokens_per_second), None),
        (
            "tokens/s of the whole run",
            _number(m.whole_run_tokens_per_second),
            (plan.tokens_per_second, _number) if plan else None,
        ),
        ("USD", _number(m.usd), None),
        (
            "USD per 10^9 tokens",
            _number(m.usd_per_billion_tokens),
            (plan.usd_per_billion_tokens, _number) if plan else None,
        ),
    )
    for name, text, beside in measures:
        if beside is None:
            rows.append((name, text, "", ""))
            continue
        comparison, form = beside
        rows.append((name, text, _interval(comparison, form), comparison.verdict))
    return rows


def attempt_rows(report: GoodputReport) -> list[tuple[str, ...]]:
    """Each start of the program."""
    rows: list[tuple[str, ...]] = [("job", "state", "resumed at", "last step", "kept", "lost")]
    for one in report.attempts:
        rows.append(
            (
                printable(one.job_id or one.file or "–"),
                printable(one.state or "–"),
                _count(one.resumed_at),
                _count(one.last_step),
                f"{one.kept_steps:,}",
                f"{one.lost_steps:,}",
            )
        )
    return rows


def remark_lines(findings: Sequence[Remark], style: Style) -> Iterator[str]:
    """Each finding."""
    for one in findings:
        label = style.paint("warning", f"warning[{one.code}]:")
        yield f"{label} {printable(one.message)}"


def unanswered_lines(unknown: Sequence[Unknown], style: Style) -> Iterator[str]:
    """Each part without an answer, with its hint."""
    for one in unknown:
        label = style.paint("unknown", "unknown:")
        yield f"{label} {printable(one.what)}: {printable(one.reason)}"
        if one.hint:
            yield style.paint("hint", f"  hint: {printable(one.hint)}")


def duration(seconds: float) -> str:
    """`3 d 04:05:06`; tenths below a minute."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    days, rest = divmod(whole, 86_400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{days} d {clock}" if days else clock


def _period(report: GoodputReport) -> str:
    if report.wall_from is None or report.wall_to is None:
        return ""
    one, two = (
        dt.datetime.fromtimestamp(time, dt.UTC).strftime("%Y-%m-%d %H:%M")
        for time in (report.wall_from, report.wall_to)
    )
    return f", {one} to {two} UTC"


def _indented(rows: Sequence[Sequence[str]], aligns: str) -> list[str]:
    names = ["left" if one == "l" else "right" for one in aligns]
    return [f"  {line}" for line in columns(rows, names)]  # type: ignore[arg-type]


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1%}"


def _number(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _count(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _interval(comparison: Comparison, form: _Form) -> str:
    if comparison.p10 is None or comparison.p90 is None:
        return "unknown"
    return f"{form(comparison.p10)} to {form(comparison.p90)}"
