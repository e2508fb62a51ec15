"""The options of a plan as rows: the chosen cluster first, then the others by price."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright.sizing.plan_types import Candidate, Quantiles
from clusterwright.sizing.report_types import PlanReport

OPTIONS_SHOWN: Final = 5


@dataclass(frozen=True)
class Option:
    """One row: a cluster, or another layout of the chosen cluster.

    Attributes
    ----------
    name:
        `60 x p5.48xlarge`, or the layout where all rows have the same cluster.
    capacity:
        The kind of capacity of `usd`; empty without a price.
    usd:
        Compute of the run, spares included; `None` if the price is unknown.
    note:
        How it compares with the chosen one.
    """

    name: str
    capacity: str
    days: Quantiles
    usd: Quantiles | None
    note: str
    chosen: bool = False


def same_cluster(report: PlanReport) -> bool:
    """Whether the candidates differ only in their layout."""
    chosen = report.plan.chosen
    return all(
        (one.hardware.name, one.nodes) == (chosen.hardware.name, chosen.nodes)
        for one in report.plan.candidates
    )


def options(report: PlanReport) -> tuple[Option, ...]:
    """Every feasible option: the chosen one, the priced ones by dollars, the others in rank."""
    layouts = same_cluster(report)
    rows = [
        _option(one, report, layouts=layouts)
        for one in report.plan.candidates
        if one.days is not None and one.layout is not None
    ]
    chosen = [row for row in rows if row.chosen]
    priced = [row for row in rows if not row.chosen and row.usd is not None]
    others = [row for row in rows if not row.chosen and row.usd is None]
    if not layouts:
        priced.sort(key=lambda row: row.usd.p50 if row.usd else 0.0)
    return (*chosen, *priced, *others)


def impossible(report: PlanReport) -> tuple[tuple[str, str], ...]:
    """Types on which the goal is impossible, with the reason; types of one reason together."""
    reasons: dict[str, list[str]] = {}
    for one in report.plan.candidates:
        if one.infeasible is not None:
            name = one.hardware.name
            reasons.setdefault(one.infeasible.replace(name, "it"), []).append(name)
    return tuple((", ".join(names), reason) for reason, names in reasons.items())


def _option(candidate: Candidate, report: PlanReport, *, layouts: bool) -> Option:
    assert candidate.days is not None
    assert candidate.layout is not None
    capacity, usd = _cheapest(candidate, report)
    hardware = candidate.hardware
    if layouts:
        name = candidate.layout.text
    elif hardware.instance_type:
        name = f"{candidate.nodes:,} x {hardware.name}"
    else:
        name = f"{candidate.accelerators:,} {hardware.name}"
    return Option(
        name=name,
        capacity=capacity if candidate.chosen or not layouts else "",
        days=candidate.days,
        usd=report.plan.estimate.usd if candidate.chosen else None if layouts else usd,
        note="; ".join(_notes(candidate, report)),
        chosen=candidate.chosen,
    )


def _notes(candidate: Candidate, report: PlanReport) -> Iterator[str]:
    if candidate.chosen:
        yield "chosen"
    elif candidate.notes:
        note = candidate.notes[-1]
        yield "no known price" if note.startswith("no known price") else note
    unsure = candidate.unknown_offering
    if unsure is not None and not any(unsure in note for note in candidate.notes):
        yield f"offered in {report.region}: unknown"


def _cheapest(candidate: Candidate, report: PlanReport) -> tuple[str, Quantiles | None]:
    """Kind of capacity and dollars of the cheapest offer; empty without a known price."""
    for offer in report.priced:
        other = offer.candidate
        if (other.hardware.name, other.nodes) == (candidate.hardware.name, candidate.nodes):
            return offer.capacity_kind, offer.usd
    return "", None
