"""A plan report as one HTML document, without scripts or external resources.

The order is: summary, what to decide, options, risks and next steps; then charts, cost,
reliability and quotas; settings and assumptions are folded at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clusterwright.render import charts
from clusterwright.render.html_elements import (
    folded,
    lines,
    listing,
    paragraph,
    section,
    table,
    text,
)
from clusterwright.render.html_page import document, facts
from clusterwright.render.plan import estimate_rows, title_of
from clusterwright.render.plan_decision import decisions, next_steps, risks
from clusterwright.render.plan_options import Option, impossible, options, same_cluster
from clusterwright.render.plan_report import asked_sections, goodput_remark
from clusterwright.render.table import Align, counted
from clusterwright.sizing.plan_types import Quantiles
from clusterwright.sizing.report_types import PlanReport

OPTIONS_SHOWN: Final = 8


def plan_report_html(report: PlanReport) -> str:
    """A complete document; the same report gives the same bytes."""
    title = title_of(report.plan)
    parts = [
        f"<h1>{text('Training plan: ' + report.plan.shape.name)}</h1>",
        paragraph(title, role="quiet"),
        _facts(report),
        section("What to decide", listing(decisions(report))),
        _options(report),
        _risks(report),
        section("What to do next", listing(next_steps(report), ordered=True)),
        _estimate(report),
        _uncertainty(report),
        _cost(report),
        _reliability(report),
        _quotas(report),
        _ramp(report),
        _levels(report),
        *(section(_sentence(name)[:-1], listing(rows)) for name, rows in _asked(report)),
        _technical(report),
    ]
    return document(title, parts)


def _facts(report: PlanReport) -> str:
    e, chosen = report.plan.estimate, report.plan.chosen
    spares = report.failures.spares if report.failures else 0
    name = chosen.hardware.instance_type or chosen.hardware.accelerator
    many = chosen.nodes if chosen.hardware.instance_type else chosen.accelerators
    cost = ("unknown", e.usd_unknown or "no rate is known")
    if e.usd is not None:
        kind = report.chosen_offer.capacity_kind if report.chosen_offer else ""
        cost = (
            f"{_short_usd(e.usd.p50)} USD",
            f"{_short_usd(e.usd.p10)} to {_short_usd(e.usd.p90)} USD (P10 to P90), {kind}",
        )
    rows = [
        (
            "Cluster",
            f"{many:,} x {name}",
            f"{counted(chosen.accelerators, 'accelerator')}, {counted(spares, 'spare node')}",
        ),
        (
            "Duration",
            f"{_days(e.days.p50)} days",
            f"{_days(e.days.p10)} to {_days(e.days.p90)} days (P10 to P90)",
        ),
        ("Compute cost", *cost),
        (
            "Goodput",
            f"{e.goodput.p50:.1%}",
            f"of the time after failures and checkpoints; MFU {e.in_run_mfu.p50:.0%}",
        ),
    ]
    return facts(rows)


def _options(report: PlanReport) -> str:
    found = options(report)
    layouts = same_cluster(report)
    header = (
        "Layout" if layouts else "Cluster",
        "Days, P50",
        "USD, P50",
        "Capacity",
        "Days, P10 to P90",
        "Comparison",
    )
    aligns: tuple[Align, ...] = ("left", "right", "right", "left", "right", "left")
    whole = () if layouts else (0, 3)
    first, rest = found[:OPTIONS_SHOWN], found[OPTIONS_SHOWN:]
    refused = table(("Type", "Why it is impossible"), impossible(report), ("left", "left"))
    more = table(header, [_option_row(row) for row in rest], aligns, whole=whole)
    return section(
        "Options",
        paragraph(
            "Cost of compute for the whole run, spares included. The chosen option is marked."
            if not layouts
            else "Layouts of the model on this cluster. The chosen one is marked.",
            role="quiet",
        ),
        table(
            header,
            [_option_row(row) for row in first],
            aligns,
            marked=[index for index, row in enumerate(first) if row.chosen],
            whole=whole,
        ),
        folded("Other options and impossible types", more, refused),
        charts.front(report) or _no_front(report),
    )


def _option_row(row: Option) -> tuple[str, ...]:
    return (
        row.name,
        _days(row.days.p50),
        "unknown" if row.usd is None else f"{row.usd.p50:,.0f}",
        row.capacity or "-",
        f"{_days(row.days.p10)} to {_days(row.days.p90)}",
        row.note,
    )


def _risks(report: PlanReport) -> str:
    rows = [(one.what, one.effect, one.remedy) for one in risks(report)]
    return section(
        "Risks", table(("Risk", "What happens", "What to do"), rows, ("left", "left", "left"))
    )


def _estimate(report: PlanReport) -> str:
    aligns: tuple[Align, ...] = ("left", "right", "right", "right")
    return section(
        "Estimate",
        paragraph(
            "P50 is the median; of ten runs, eight should be between P10 and P90.", role="quiet"
        ),
        table(("", "P10", "P50", "P90"), estimate_rows(report.plan), aligns),
    )


def _uncertainty(report: PlanReport) -> str:
    return section("What moves the estimate", charts.tornado(report))


def _cost(report: PlanReport) -> str:
    rows: list[Sequence[str]] = []
    usd, storage = report.plan.estimate.usd, report.storage
    if usd is not None:
        rows.append(("Compute, whole run", *_money(usd)))
    if storage is not None:
        one = storage.chosen
        rows.append(
            (
                f"Lustre, {one.capacity_gib:,} GiB at {one.throughput_mbps_per_tib} MB/s per TiB, "
                "a month",
                "",
                "unknown" if one.usd_per_month is None else f"{one.usd_per_month:,.0f}",
                "",
            )
        )
        if storage.object_usd_per_month is not None:
            rows.append(
                (
                    f"S3, {storage.object_bytes / 1e12:,.3g} TB, a month",
                    "",
                    f"{storage.object_usd_per_month:,.0f}",
                    "",
                )
            )
    notes = list(storage.warnings) if storage else []
    return section(
        "Cost",
        table(("", "USD, P10", "USD, P50", "USD, P90"), rows, ("left", "right", "right", "right")),
        listing(notes),
    )


def _reliability(report: PlanReport) -> str:
    failures = report.failures
    if failures is None:
        return ""
    rows = [
        (
            one.name,
            f"{one.minutes:g}",
            f"{one.simulated.p10:.1%}",
            f"{one.simulated.p50:.1%}",
            f"{one.simulated.p90:.1%}",
            f"{one.closed_form:.1%}",
        )
        for one in failures.recoveries
    ]
    header = (
        "Recovery",
        "Restart, min",
        "Goodput, P10",
        "Goodput, P50",
        "Goodput, P90",
        "Closed form",
    )
    right: tuple[Align, ...] = ("right",) * 5
    return section(
        "Failures and checkpoints",
        table(header, rows, ("left", *right)),
        paragraph(_sentence(goodput_remark(report)), role="quiet"),
        charts.goodput(report),
        charts.timeline(report),
    )


def _quotas(report: PlanReport) -> str:
    rows = [
        (
            quota.name,
            quota.code or "-",
            f"{quota.wanted:,.0f}",
            "unknown" if quota.default is None else f"{quota.default:,.0f}",
        )
        for quota in report.quotas
    ]
    return section(
        "Quotas",
        table(
            ("Quota", "Code", "Required", "AWS's default"),
            rows,
            ("left", "left", "right", "right"),
            whole=(1,),
        ),
    )


def _ramp(report: PlanReport) -> str:
    rows = [
        (
            one.name,
            f"{one.nodes:,}",
            f"{one.starts} to {one.ends}",
            "unknown" if one.usd is None else f"{one.usd:,.0f}",
            f"{one.quota_instances:,}",
            one.purpose,
        )
        for one in report.phases
    ]
    header = ("Phase", "Nodes", "Dates", "USD", "Quota", "Purpose")
    aligns: tuple[Align, ...] = ("left", "right", "left", "right", "right", "left")
    return section("Ramp", table(header, rows, aligns, whole=(2,)))


def _levels(report: PlanReport) -> str:
    rows = [
        (
            one.level.name,
            one.reached,
            f"{one.usd_least:,.0f} to {one.usd_most:,.0f}",
            one.level.basis,
        )
        for one in report.levels
    ]
    header = ("Kind of training", "Affordable", "USD", "Basis")
    return section(
        "What the budget affords", table(header, rows, ("left", "left", "right", "left"))
    )


def _asked(report: PlanReport) -> list[tuple[str, list[str]]]:
    """The sections of questions that are answered in sentences."""
    elsewhere = {"ramp", "what the budget affords", "not answered"}
    return [(name, rows) for name, rows in asked_sections(report) if name not in elsewhere]


def _technical(report: PlanReport) -> str:
    plan, launch = report.plan, report.launch
    rows = [
        (
            one.text,
            f"{one.values.p10:.4g}",
            f"{one.values.p50:.4g}",
            f"{one.values.p90:.4g}",
            one.unit,
            one.reason,
        )
        for one in plan.assumptions
    ]
    header = ("Assumption", "P10", "P50", "P90", "Unit", "Reason")
    aligns: tuple[Align, ...] = ("left", "right", "right", "right", "left", "left")
    settings = ""
    if launch is not None:
        layout = plan.chosen.layout
        sharded = layout is not None and layout.sharding == "fsdp"
        name = "torchtitan" if sharded else "Megatron-LM"
        words = launch.torchtitan_lines if sharded else launch.megatron
        other = launch.megatron if sharded else launch.torchtitan_lines
        settings = folded(f"Settings for {name}", lines(words), listing(launch.cautions)) + folded(
            f"Settings for {'Megatron-LM' if sharded else 'torchtitan'}", lines(other)
        )
    layout_text = plan.chosen.layout.text if plan.chosen.layout else ""
    return section(
        "For the engineers",
        paragraph(f"Layout: {layout_text}."),
        charts.memory(report),
        listing(plan.chosen.notes),
        "<h3>Values that were not given, and notes</h3>",
        listing(plan.warnings) or paragraph("None."),
        settings,
        folded("Assumptions of the estimate", table(header, rows, aligns)),
    )


def _no_front(report: PlanReport) -> str:
    if report.charts is None:
        return ""
    where = report.region or "an unknown region"
    return paragraph(
        f"No chart of days and dollars: fewer than two clusters have a known price in {where}."
    )


def _money(usd: Quantiles) -> tuple[str, str, str]:
    return f"{usd.p10:,.0f}", f"{usd.p50:,.0f}", f"{usd.p90:,.0f}"


def _short_usd(usd: float) -> str:
    return f"{usd / 1e6:,.2f} M" if usd >= 1e6 else f"{usd:,.0f}"


def _days(days: float) -> str:
    return f"{days:,.1f}" if days >= 0.1 else f"{days:.2g}"


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "."
