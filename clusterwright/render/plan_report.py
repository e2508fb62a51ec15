"""A plan report as text and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from clusterwright.cost.bill_extras import Exchange
from clusterwright.render.plan import (
    detail_lines,
    estimate_text,
    explain_lines,
    plan_markdown,
)
from clusterwright.render.plan_summary import cluster_lines, summary_sections, within_width
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns, counted, markdown_cell
from clusterwright.sizing.plan_types import Quantiles
from clusterwright.sizing.report_types import PlanReport

OFFERS_SHOWN: Final = 6
_MEASURED: Final = {
    "throughput": "tokens/s while training",
    "failures": "failures per node and day",
    "save": "seconds a checkpoint blocks",
    "restart": "minutes until training goes on",
}
_LAYOUT: Final = "chosen layout"
_MORE: Final = (
    "--details: memory, prices, storage, failures, quotas; --explain: formulas; --format html: "
    "a report"
)


def plan_report_text(
    report: PlanReport,
    style: Style = PLAIN,
    *,
    explain: bool = False,
    exchange: Exchange | None = None,
    details: bool = False,
    every: bool = False,
) -> str:
    """The plan on one screen of 100 columns; with `details` followed by every section.

    Parameters
    ----------
    explain:
        Also every formula with its numbers and sources.
    exchange:
        A second currency.
    details:
        Memory, prices, storage, failures, quotas and notes in full.
    every:
        Every option instead of five.
    """
    plan = report.plan
    lines = estimate_text(plan, style)
    lines += ["", *cluster_lines(report)]
    lines += summary_sections(report, style, every=every, shorten=not details)
    if details:
        found = [(_LAYOUT, detail_lines(plan)), *sections(report)]
    else:
        found = list(asked_sections(report))
    for title, rows in (*found, *_in_currency(report, exchange)):
        lines += ["", style.paint("bold", title), *within_width([f"  {row}" for row in rows])]
    if explain:
        lines += within_width([*explain_lines(plan, style), *_storage_explained(report, style)])
    if not details:
        lines += ["", style.paint("dim", _MORE)]
    return "\n".join(lines) + "\n"


def _storage_explained(report: PlanReport, style: Style) -> list[str]:
    if report.storage is None:
        return []
    lines = ["", style.paint("bold", "how storage was computed")]
    for row in report.storage.explained:
        value = row.value if isinstance(row.value, str) else f"{row.value:,.4g}"
        lines += [f"  {row.what}: {value} {row.unit}", f"      {row.formula} = {row.numbers}"]
        lines += [f"      [{row.source}]"]
    return lines


def plan_report_markdown(
    report: PlanReport, *, explain: bool = False, exchange: Exchange | None = None
) -> str:
    """The plan for a pull request, with the sections folded."""
    lines = [plan_markdown(report.plan, explain=explain).rstrip("\n")]
    for title, rows in (*sections(report), *_in_currency(report, exchange)):
        lines += ["", f"<details><summary>{title[:1].upper()}{title[1:]}</summary>", ""]
        lines += [f"- {markdown_cell(row)}" for row in rows]
        lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def sections(report: PlanReport) -> Iterator[tuple[str, list[str]]]:
    """Title and lines of every section that is not empty."""
    for title, rows in (
        ("cost, compute only", _money(report)),
        ("storage", _storage_lines(report)),
        ("failures", _failure_lines(report)),
        ("required quotas", _quota_lines(report)),
        ("platform", _advice_lines(report)),
    ):
        if rows:
            yield title, rows
    yield from asked_sections(report)


def asked_sections(report: PlanReport) -> Iterator[tuple[str, list[str]]]:
    """The sections that a flag or a budget asks for, and what is not answered."""
    for title, rows in (
        ("measured", _measured_lines(report)),
        ("ramp", _phase_lines(report)),
        ("smaller model, trained longer", _inference_lines(report)),
        ("buying instead of renting", _owned_lines(report)),
        ("what the budget affords", _level_lines(report)),
        ("not answered", list(report.unknown)),
    ):
        if rows:
            yield title, rows


def _in_currency(report: PlanReport, exchange: Exchange | None) -> list[tuple[str, list[str]]]:
    if exchange is None:
        return []
    usd, rate = report.plan.estimate.usd, float(exchange.rate)
    source = f"at {rate:g} {exchange.currency} per USD of {exchange.date}"
    if exchange.stale:
        source += f", {exchange.age_days} days old"
    if usd is None:
        return [(f"in {exchange.currency}", [f"unknown, like the dollars; {source}"])]
    values = ", ".join(f"{name.upper()} {value * rate:,.0f}" for name, value in vars(usd).items())
    return [(f"in {exchange.currency}", [f"compute: {values}; {source}"])]


def _money(report: PlanReport) -> list[str]:
    if report.region is None:
        return []
    rows: list[Sequence[str]] = []
    for offer in report.priced[:OFFERS_SHOWN]:
        usd, days = offer.usd, offer.candidate.days
        assert usd is not None
        assert days is not None
        rows.append(
            (
                f"{offer.nodes:,} x {offer.candidate.hardware.name}",
                offer.capacity_kind,
                f"{usd.p10:,.0f}",
                f"{usd.p50:,.0f}",
                f"{usd.p90:,.0f}",
                f"{days.p50:,.1f} d",
            )
        )
    lines = []
    if rows:
        head = ("nodes, including spares", "", "USD P10", "P50", "P90", "P50")
        aligned = columns([head, *rows], ("left", "left", "right", "right", "right", "right"))
        lines += [line.rstrip() for line in aligned]
    left_out = len(report.priced) - OFFERS_SHOWN
    if left_out > 0:
        lines.append(f"and {left_out} more expensive ones, in --format json")
    chosen = report.plan.chosen.hardware.name
    mine = [one for one in report.unpriced if one.candidate.hardware.name == chosen]
    first = {one.capacity_kind: one for one in reversed(mine)}
    for offer in reversed(first.values()):
        hint = f"; at a past offer {offer.hint_usd:,.0f} USD" if offer.hint_usd else ""
        lines.append(f"unknown: {chosen}, {offer.capacity_kind}: {offer.unknown}{hint}")
    others = {
        one.candidate.hardware.name
        for one in report.unpriced
        if one.capacity_kind == "on-demand" and one.candidate.hardware.name != chosen
    }
    if others:
        lines.append(
            f"no known price, so not ranked by price: {', '.join(sorted(others))}; state your "
            "rates in prices.yaml"
        )
    offered = report.chosen_offer
    if offered is not None:
        lines += [f"note: {text}" for text in offered.cautions]
    return lines


def _storage_lines(report: PlanReport) -> list[str]:
    storage = report.storage
    if storage is None:
        return []
    one = storage.chosen
    efa = ", EFA" if one.efa else ""
    money = (
        f"{one.usd_per_month:,.0f} USD a month"
        if one.usd_per_month is not None
        else f"price unknown ({one.price_note})"
    )
    lines = [
        f"Lustre {one.capacity_gib:,} GiB at {one.throughput_mbps_per_tib} MB/s per TiB{efa}: "
        f"{one.gbytes_per_s:.3g} GB/s, {money}; governed by {one.governed_by}",
        f"required: {storage.capacity_needed_gib:,.0f} GiB ({storage.kept} checkpoints of "
        f"{storage.checkpoint_bytes / 1e9:,.0f} GB and {storage.dataset_bytes / 1e12:,.3g} TB of "
        f"data) and {storage.needed_gbytes_per_s:.3g} GB/s",
        f"checkpoints every {storage.interval_seconds / 60:.3g} min, {storage.mode}: "
        f"{storage.blocking_seconds:.3g} s blocking, {storage.blocked_share:.2%} of the time; a "
        f"restart reads for {storage.restart_seconds:.0f} s",
        f"filling Lustre from S3 for the first epoch: at least {storage.first_epoch_hours:.3g} h",
    ]
    if storage.object_usd_per_month is not None:
        lines.append(
            f"S3: {storage.object_bytes / 1e12:,.3g} TB, {storage.object_usd_per_month:,.0f} USD "
            "a month"
        )
    return [*lines, *(f"note: {text}" for text in storage.warnings)]


def _failure_lines(report: PlanReport) -> list[str]:
    failures = report.failures
    if failures is None:
        return []
    hours = failures.mtti_hours
    rules = failures.intervals
    lines = [
        f"an interruption every {hours.p50:,.3g} h ({hours.p10:,.3g} to {hours.p90:,.3g}); "
        f"{counted(failures.spares, 'spare node')}",
        f"checkpoint interval: Young {rules.young_hours * 60:.3g} min, Daly "
        f"{rules.daly_hours * 60:.3g} min, a tenth of the mean time {rules.tenth_hours * 60:.3g} "
        f"min (goodput {rules.goodput_young:.1%}, {rules.goodput_daly:.1%}, "
        f"{rules.goodput_tenth:.1%})",
    ]
    rows: list[Sequence[str]] = [
        ("goodput by recovery", "minutes", "closed form", "simulated P10", "P50", "P90", "")
    ]
    for one in failures.recoveries:
        rows.append(
            (
                one.name,
                f"{one.minutes:g}",
                f"{one.closed_form:.1%}",
                f"{one.simulated.p10:.1%}",
                f"{one.simulated.p50:.1%}",
                f"{one.simulated.p90:.1%}",
                "" if one.agrees else "different",
            )
        )
    lines += columns(rows, ("left", "right", "right", "right", "right", "right", "left"))
    return [*lines, goodput_remark(report), failures.remark]


def goodput_remark(report: PlanReport) -> str:
    """Why the goodput of the estimate differs from that of the recoveries."""
    failures = report.failures
    assert failures is not None
    return (
        f"this table is the best case: checkpoints every "
        f"{failures.intervals.young_hours * 60:.3g} min, each blocking "
        f"{failures.save_seconds:.3g} s, and the median failure rate; the goodput of the estimate "
        f"({report.plan.estimate.goodput.p50:.1%} at P50) includes the longer intervals and "
        "pauses that are usual, and higher failure rates"
    )


def _measured_lines(report: PlanReport) -> list[str]:
    found = report.plan.narrowing
    if found is None:
        return []
    days = ("days", "", found.days_before, found.days_after, found.narrower)
    rows = [
        (_MEASURED[one.key], _figure(one.measured), one.before, one.after, one.narrower)
        for one in found.quantities
    ]
    head = ("", "measured", "P10 to P90 before", "after", "")
    cells = [head] + [
        (name, value, _interval(before), _interval(after), _by_how_much(share))
        for name, value, before, after, share in (*rows, days)
    ]
    lines = columns(cells, ("left", "right", "right", "right", "left"))
    if not found.quantities:
        lines = [f"nothing was measured in {', '.join(found.files)}: the plan is unchanged"]
    lines += [f"note: {text}" for text in found.notes]
    return [*lines, *(f"unknown: {text}" for text in found.unknown)]


def _interval(quantiles: Quantiles) -> str:
    return f"{_figure(quantiles.p10)} to {_figure(quantiles.p90)}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _by_how_much(share: float) -> str:
    if abs(share) < 0.005:
        return "unchanged"
    return f"{abs(share):.0%} {'narrower' if share > 0 else 'wider'}"


def _quota_lines(report: PlanReport) -> list[str]:
    rows = []
    for quota in report.quotas:
        default = "default unknown" if quota.default is None else f"default {quota.default:g}"
        rows.append((f"{quota.wanted:,.0f}", quota.code or "no code", default, quota.name))
    return columns(rows, ("right", "left", "left", "left")) if rows else []


def _phase_lines(report: PlanReport) -> list[str]:
    rows = [
        (
            one.name,
            counted(one.nodes, "node"),
            f"{one.starts} to {one.ends}",
            "price unknown" if one.usd is None else f"{one.usd:,.0f} USD",
            f"quota {one.quota_instances:,}",
            one.purpose,
        )
        for one in report.phases
    ]
    return columns(rows, ("left", "right", "left", "right", "right", "left")) if rows else []


def _advice_lines(report: PlanReport) -> list[str]:
    advice = report.advice
    if advice is None:
        return []
    return [
        f"{advice.platform}: {'; '.join(advice.reasons)}",
        *(f"note: {text}" for text in advice.cautions),
    ]


def _inference_lines(report: PlanReport) -> list[str]:
    found = report.inference
    if found is None:
        return []
    first, best = found.compute_optimal, found.inference_aware
    lines = [
        f"for {found.inference_tokens / 1e12:,.3g}T tokens of inference the least compute at the "
        f"same predicted loss is {best.params / 1e9:,.3g}B on {best.tokens / 1e12:,.3g}T tokens, "
        f"{found.saved_share:.1%} less than {first.params / 1e9:,.3g}B on "
        f"{first.tokens / 1e12:,.3g}T",
    ]
    if found.break_even_tokens is not None:
        lines.append(f"break-even at {found.break_even_tokens / 1e12:,.3g}T tokens of inference")
    return lines


def _owned_lines(report: PlanReport) -> list[str]:
    found, lines = report.owned, _owned_run_lines(report)
    if found is None:
        return lines
    lines += [
        f"owned {found.owned_total:,.0f} USD, rented {found.rented_total:,.0f} USD: "
        f"{found.cheaper} is cheaper; an owned hour of use costs {found.owned_per_hour:,.2f} USD"
    ]
    if found.years is None:
        lines.append("it is never paid back: an hour of its power costs more than renting")
    else:
        share = found.utilisation
        above = (
            f", above {share:.0%} use" if share is not None else ", at no use within its lifetime"
        )
        lines.append(f"it is paid back after {found.years:.2f} years{above}")
    return lines


def _owned_run_lines(report: PlanReport) -> list[str]:
    run = report.owned_run
    if run is None or run.days is None or run.layout is None or run.in_run_mfu is None:
        return []
    days = run.days
    return [
        f"the run on {run.accelerators:,} {run.hardware.accelerator}: {days.p10:,.3g}, "
        f"{days.p50:,.3g} and {days.p90:,.3g} days (P10, P50, P90), {run.layout.text}, in-run MFU "
        f"{run.in_run_mfu.p50:.0%}",
        *(f"note: {text}" for text in run.notes),
    ]


def _level_lines(report: PlanReport) -> list[str]:
    rows = [
        (
            one.reached,
            one.level.name,
            f"{one.usd_least:,.0f} to {one.usd_most:,.0f} USD",
            one.level.basis,
        )
        for one in report.levels
    ]
    return columns(rows, ("left", "left", "right", "left")) if rows else []
